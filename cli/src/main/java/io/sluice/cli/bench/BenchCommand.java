package io.sluice.cli.bench;

import io.sluice.cli.CliException;
import io.sluice.cli.Command;
import io.sluice.cli.CommandContext;
import io.sluice.cli.measure.MachineFacts;
import io.sluice.cli.options.Arguments;
import io.sluice.cli.options.CommandLine;
import io.sluice.cli.options.NearestName;
import io.sluice.cli.options.UsageException;
import io.sluice.cli.terminal.Terminal;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** {@code sluice bench NAME...}: runs benchmarks on clusters of their own. */
public final class BenchCommand implements Command {
  private static final List<BenchWorkload> WORKLOADS =
      List.of(
          new LogAppendWorkload(),
          new LogScanWorkload(),
          new LatencyWorkload(),
          new StartUpWorkload());
  private static final List<String> CODECS = List.of("none", "zstd", "lz4");
  private static final String RESULTS = "benchmarks/results";
  private static final DateTimeFormatter FILE_TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd-HHmm").withZone(ZoneOffset.UTC);

  @Override
  public CommandLine commandLine() {
    CommandLine.Builder builder =
        CommandLine.of("bench", "Runs benchmarks on a fresh cluster, which is removed afterwards")
            .rest("NAME", "the benchmarks to run, see below")
            .option("--rows", "N", "rows of one repetition, for example 500k")
            .option("--repeat", "N", "measured repetitions after one warm-up (default 3)")
            .option("--codec", "A,B", "of none, zstd, lz4 (default all; log-scan: zstd)")
            .option("--schema", "A,B", "of narrow, wide (default both; log-append only)")
            .option("--json", "FILE", "where to write the result (default " + RESULTS + "/...)")
            .option("--with", "PEERS", "compare with other products: not in this build")
            .note("Benchmarks:");
    for (BenchWorkload workload : WORKLOADS) {
      builder.note(String.format("  %-12s %s", workload.name(), workload.summary()));
    }
    return builder
        .note("")
        .note(
            "Figures are medians of interleaved repetitions; +- is how far one lies from it at most.")
        .note("CPU s/M: CPU seconds for a million rows.")
        .build();
  }

  @Override
  public int run(Arguments arguments, CommandContext context) throws Exception {
    if (arguments.value("--with").isPresent()) {
      throw new CliException(
          "Comparing with " + arguments.value("--with").get() + " is not in this build",
          "Run the benchmark without --with.");
    }
    List<BenchWorkload> chosen = arguments.rest().stream().map(BenchCommand::find).toList();
    if (chosen.size() > 1 && arguments.value("--json").isPresent()) {
      throw new UsageException("--json names one file; run one benchmark at a time with it");
    }
    Path launcher = context.settings().requiredLauncher();
    for (BenchWorkload workload : chosen) {
      run(workload, plan(workload, arguments), launcher, arguments, context);
    }
    return 0;
  }

  private static BenchWorkload find(String name) {
    for (BenchWorkload workload : WORKLOADS) {
      if (workload.name().equals(name)) {
        return workload;
      }
    }
    List<String> known = WORKLOADS.stream().map(BenchWorkload::name).toList();
    throw new UsageException(
        "there is no benchmark "
            + name
            + NearestName.suggestion(name, known)
            + ". There are "
            + String.join(", ", known));
  }

  private static BenchPlan plan(BenchWorkload workload, Arguments arguments) {
    boolean scan = workload instanceof LogScanWorkload;
    List<String> codecs =
        scan && arguments.value("--codec").isEmpty()
            ? List.of("zstd")
            : arguments.choices("--codec", CODECS);
    return new BenchPlan(
        arguments.number("--rows", 0, 1, 100_000_000),
        (int) arguments.number("--repeat", 3, 1, 100),
        codecs,
        arguments.choices("--schema", BenchSchema.NAMES));
  }

  private static void run(
      BenchWorkload workload,
      BenchPlan plan,
      Path launcher,
      Arguments arguments,
      CommandContext context)
      throws Exception {
    Terminal terminal = context.terminal();
    terminal.line(terminal.bold(workload.name()) + ": " + workload.summary());
    Map<String, Object> machine = new LinkedHashMap<>(MachineFacts.ofThisMachine());
    machine.put("commit", MachineFacts.commit(context.settings().repository()));
    Instant started = Instant.ofEpochMilli(context.time().epochMs());
    machine.put("started", started.toString());
    List<Series> series =
        workload.run(
            plan,
            new BenchClusters(launcher, new Random(), terminal::problem),
            line -> terminal.line("  " + terminal.dim(line)));
    BenchReport report = new BenchReport(workload.name(), parameters(plan), series, machine);
    terminal.blank();
    report.table().lines().forEach(line -> terminal.line("  " + line));
    Path file =
        arguments
            .value("--json")
            .map(Path::of)
            .orElseGet(
                () ->
                    context
                        .settings()
                        .repository()
                        .resolve(RESULTS)
                        .resolve(workload.name() + "-" + FILE_TIME.format(started) + ".json"));
    report.write(file);
    terminal.blank();
    terminal.line("  written to " + file);
    terminal.blank();
  }

  private static Map<String, Object> parameters(BenchPlan plan) {
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("repeat", plan.repeat());
    if (plan.rows() > 0) {
      parameters.put("rows", plan.rows());
    }
    parameters.put("codecs", plan.codecs());
    parameters.put("schemas", plan.schemas());
    return parameters;
  }
}
