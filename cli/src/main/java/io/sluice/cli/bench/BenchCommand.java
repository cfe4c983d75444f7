package io.sluice.cli.bench;

import io.sluice.bench.harness.BenchSchema;
import io.sluice.cli.Command;
import io.sluice.cli.CommandContext;
import io.sluice.cli.bench.compare.ComparePlan;
import io.sluice.cli.bench.compare.ComparisonReport;
import io.sluice.cli.bench.compare.ComparisonRun;
import io.sluice.cli.bench.compare.Peers;
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
          new StartUpWorkload(),
          new BucketsWorkload(),
          new MicroWorkload());
  private static final List<String> CODECS = List.of("none", "zstd", "lz4");
  private static final int COMPARE_REPEAT = 5;
  private static final String RESULTS = "benchmarks/results";
  private static final DateTimeFormatter FILE_TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd-HHmm").withZone(ZoneOffset.UTC);

  @Override
  public CommandLine commandLine() {
    CommandLine.Builder builder =
        CommandLine.of("bench", "Runs benchmarks on a fresh cluster, which is removed afterwards")
            .rest("NAME", "the benchmarks to run, see below")
            .option("--rows", "N", "rows of one repetition, for example 500k")
            .option(
                "--repeat",
                "N",
                "measured repetitions after one warm-up (default 3); with --with after three (default 5)")
            .option("--codec", "A,B", "of none, zstd, lz4 (default all; log-scan: zstd)")
            .option("--schema", "A,B", "of narrow, wide (default both; log-append only)")
            .option("--buckets", "N", "buckets on one tablet (default 10000; buckets only)")
            .option("--filter", "REGEX", "micro benchmarks whose names match (micro only)")
            .option("--json", "FILE", "where to write the result (default " + RESULTS + "/...)")
            .option(
                "--with", "PEERS", "of kafka, fluss: run them too, on the same rows, and compare")
            .option("--window", "MS", "with --with: length of a measured window")
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
    List<BenchWorkload> chosen = arguments.rest().stream().map(BenchCommand::find).toList();
    if (chosen.size() > 1 && arguments.value("--json").isPresent()) {
      throw new UsageException("--json names one file; run one benchmark at a time with it");
    }
    boolean compare = arguments.value("--with").isPresent();
    ComparePlan comparison = comparePlan(arguments);
    if (compare) {
      chosen.forEach(BenchCommand::checkComparable);
    } else if (arguments.value("--window").isPresent()) {
      throw new UsageException("--window goes with --with; without it say --rows");
    }
    Path launcher = context.settings().requiredLauncher();
    boolean kept = true;
    for (BenchWorkload workload : chosen) {
      if (compare) {
        compare(workload, comparison, launcher, arguments, context);
      } else {
        kept &= run(workload, plan(workload, arguments), launcher, arguments, context);
      }
    }
    return kept ? 0 : 1;
  }

  private static void checkComparable(BenchWorkload workload) {
    if (!ComparisonRun.names().contains(workload.name())) {
      throw new UsageException(
          workload.name()
              + " cannot be compared with other products; these can: "
              + String.join(", ", ComparisonRun.names()));
    }
  }

  /** What is not said stays open: each comparison has its own defaults. */
  private static ComparePlan comparePlan(Arguments arguments) {
    return new ComparePlan(
        arguments.number("--rows", 0, 1, 100_000_000),
        (int) arguments.number("--repeat", COMPARE_REPEAT, 1, 100),
        arguments.number("--window", 0, 100, 600_000),
        arguments.value("--codec").isEmpty() ? List.of() : arguments.choices("--codec", CODECS),
        arguments.value("--schema").isEmpty()
            ? List.of()
            : arguments.choices("--schema", BenchSchema.NAMES),
        arguments.choices("--with", Peers.NAMES));
  }

  private static void compare(
      BenchWorkload workload,
      ComparePlan plan,
      Path launcher,
      Arguments arguments,
      CommandContext context)
      throws Exception {
    Terminal terminal = context.terminal();
    terminal.line(terminal.bold(workload.name()) + " with " + String.join(" and ", plan.peers()));
    Instant started = Instant.ofEpochMilli(context.time().epochMs());
    Map<String, Object> machine = machine(context, started);
    ComparisonReport report =
        new ComparisonRun(
                new BenchClusters(launcher, new Random(), terminal::problem),
                context.settings().repository(),
                String.valueOf(machine.get("commit")),
                line -> terminal.line("  " + terminal.dim(line)))
            .run(workload.name(), plan);
    terminal.blank();
    report.lanes().lines().forEach(line -> terminal.line("  " + line));
    terminal.blank();
    report.goals().lines().forEach(line -> terminal.line("  " + line));
    terminal.blank();
    report.notes().forEach(line -> terminal.line("  " + line));
    Path file = resultFile(workload.name() + "-with-peers", started, arguments, context);
    BenchReport.write(file, report.json(machine));
    terminal.blank();
    terminal.line("  written to " + file);
    terminal.blank();
  }

  private static Map<String, Object> machine(CommandContext context, Instant started) {
    Map<String, Object> machine = new LinkedHashMap<>(MachineFacts.ofThisMachine());
    machine.put("commit", MachineFacts.commit(context.settings().repository()));
    machine.put("started", started.toString());
    return machine;
  }

  private static Path resultFile(
      String name, Instant started, Arguments arguments, CommandContext context) {
    return arguments
        .value("--json")
        .map(Path::of)
        .orElseGet(
            () ->
                context
                    .settings()
                    .repository()
                    .resolve(RESULTS)
                    .resolve(name + "-" + FILE_TIME.format(started) + ".json"));
  }

  private static BenchWorkload find(String name) {
    for (BenchWorkload workload : WORKLOADS) {
      if (workload.name().equals(name)) {
        return workload;
      }
    }
    List<String> known = WORKLOADS.stream().map(BenchWorkload::name).toList();
    String suggestion = NearestName.suggestion(name, known);
    throw new UsageException(
        "there is no benchmark "
            + name
            + (suggestion.isEmpty() ? "." : suggestion)
            + " There are "
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
        (int) arguments.number("--repeat", workload.defaultRepeat(), 1, 100),
        codecs,
        arguments.choices("--schema", BenchSchema.NAMES),
        (int) arguments.number("--buckets", BucketsWorkload.BUCKETS, 10, 100_000),
        arguments.value("--filter").orElse(""));
  }

  /** Returns whether the results keep the workload's bounds. */
  private static boolean run(
      BenchWorkload workload,
      BenchPlan plan,
      Path launcher,
      Arguments arguments,
      CommandContext context)
      throws Exception {
    Terminal terminal = context.terminal();
    terminal.line(terminal.bold(workload.name()) + ": " + workload.summary());
    Instant started = Instant.ofEpochMilli(context.time().epochMs());
    Map<String, Object> machine = machine(context, started);
    List<Series> series =
        workload.run(
            plan,
            new BenchClusters(launcher, new Random(), terminal::problem),
            line -> terminal.line("  " + terminal.dim(line)));
    BenchReport report = new BenchReport(workload.name(), parameters(plan), series, machine);
    terminal.blank();
    report.table().lines().forEach(line -> terminal.line("  " + line));
    Path file = resultFile(workload.name(), started, arguments, context);
    BenchReport.write(file, report.json());
    terminal.blank();
    terminal.line("  written to " + file);
    terminal.blank();
    List<String> exceeded = workload.exceeded(series);
    exceeded.forEach(terminal::problem);
    return exceeded.isEmpty();
  }

  private static Map<String, Object> parameters(BenchPlan plan) {
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("repeat", plan.repeat());
    if (plan.rows() > 0) {
      parameters.put("rows", plan.rows());
    }
    parameters.put("buckets", plan.buckets());
    parameters.put("codecs", plan.codecs());
    parameters.put("schemas", plan.schemas());
    return parameters;
  }
}
