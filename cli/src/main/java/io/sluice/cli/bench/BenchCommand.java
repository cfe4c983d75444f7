package io.sluice.cli.bench;

import io.sluice.bench.harness.BenchSchema;
import io.sluice.cli.Command;
import io.sluice.cli.CommandContext;
import io.sluice.cli.bench.compare.ComparePlan;
import io.sluice.cli.bench.compare.ComparisonReport;
import io.sluice.cli.bench.compare.ComparisonRun;
import io.sluice.cli.bench.compare.Peers;
import io.sluice.cli.bench.compare.Replication;
import io.sluice.cli.measure.MachineFacts;
import io.sluice.cli.options.Arguments;
import io.sluice.cli.options.CommandLine;
import io.sluice.cli.options.NearestName;
import io.sluice.cli.options.UsageException;
import io.sluice.cli.terminal.Terminal;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.Stream;

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
  private static final String REPLICATED = String.join(", ", ComparisonRun.replicated());
  private static final int MOST_TABLETS = 5;
  private static final int MOST_REPLICAS_UNASKED = 3;
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
                "--keys",
                "N",
                "keys of tables with a primary key (default 1m; restart, failover: 10m)")
            .option(
                "--repeat",
                "N",
                "measured repetitions (default 3; with other products, and upsert to prefix, 5), after the warm-ups that the benchmark needs")
            .option("--codec", "A,B", "of none, zstd, lz4 (default all; log-scan: zstd)")
            .option("--schema", "A,B", "of narrow, wide (default both; log-append only)")
            .option(
                "--buckets",
                "N",
                "buckets on one tablet (default 10000, with --primary-key 1000; buckets only)")
            .flag("--primary-key", "buckets of tables with a primary key, empty (buckets only)")
            .option("--filter", "REGEX", "micro benchmarks whose names match (micro only)")
            .option(
                "--tablets",
                "N",
                "so many tablets, and brokers of kafka (default 1; " + REPLICATED + " only)")
            .option(
                "--rf",
                "N",
                "copies of each row; with 2 or more, 2 must be in sync (default --tablets, at most 3)")
            .option("--json", "FILE", "where to write the result (default " + RESULTS + "/...)")
            .option(
                "--with", "PEERS", "of kafka, fluss: run them too, on the same rows, and compare")
            .option("--window", "MS", "with --with, or a primary key: length of a measured window")
            .note("Benchmarks:");
    for (BenchWorkload workload : WORKLOADS) {
      builder.note(noteLine(workload.name(), workload.summary()));
    }
    ComparisonRun.alone().forEach((name, summary) -> builder.note(noteLine(name, summary)));
    return builder
        .note(
            noteLine(
                "metadata", "what many buckets cost a coordinator; alone, with --buckets only"))
        .note("")
        .note(
            "Figures are medians of interleaved repetitions; +- is how far one lies from it at most.")
        .note("CPU s/M: CPU seconds for a million rows.")
        .build();
  }

  private static String noteLine(String name, String summary) {
    return String.format("  %-12s %s", name, summary);
  }

  @Override
  public int run(Arguments arguments, CommandContext context) throws Exception {
    List<String> chosen = arguments.rest().stream().distinct().toList();
    chosen.forEach(BenchCommand::checkKnown);
    boolean compare =
        arguments.value("--with").isPresent() || !replication(arguments).equals(Replication.NONE);
    Predicate<String> compared = name -> compare || ComparisonRun.alone().containsKey(name);
    checkOptions(chosen, compared, arguments);
    ComparePlan comparison = comparePlan(arguments);
    Path launcher = context.settings().requiredLauncher();
    for (List<String> group : ComparisonRun.groups(chosen.stream().filter(compared).toList())) {
      compare(group, comparison, launcher, arguments, context);
    }
    boolean kept = true;
    for (BenchWorkload workload : WORKLOADS) {
      if (chosen.contains(workload.name()) && !compared.test(workload.name())) {
        kept &= run(workload, plan(workload, arguments), launcher, arguments, context);
      }
    }
    return kept ? 0 : 1;
  }

  private static void checkKnown(String name) {
    List<String> known =
        Stream.concat(
                WORKLOADS.stream().map(BenchWorkload::name),
                ComparisonRun.alone().keySet().stream())
            .toList();
    if (!known.contains(name)) {
      String suggestion = NearestName.suggestion(name, known);
      throw new UsageException(
          "there is no benchmark "
              + name
              + (suggestion.isEmpty() ? "." : suggestion)
              + " There are "
              + String.join(", ", known));
    }
  }

  private static void checkOptions(
      List<String> chosen, Predicate<String> compared, Arguments arguments) {
    if (chosen.size() > 1 && arguments.value("--json").isPresent()) {
      throw new UsageException("--json names one file; run one benchmark at a time with it");
    }
    if (arguments.value("--with").isPresent()) {
      List<String> peers = arguments.choices("--with", Peers.NAMES);
      chosen.forEach(name -> checkComparable(name, peers));
    }
    checkReplication(chosen, arguments);
    if (arguments.value("--window").isPresent() && chosen.stream().noneMatch(compared)) {
      throw new UsageException("--window goes with --with; without it say --rows");
    }
    if (arguments.value("--keys").isPresent()
        && chosen.stream().noneMatch(ComparisonRun.alone()::containsKey)) {
      throw new UsageException(
          "--keys goes with " + String.join(", ", ComparisonRun.alone().keySet()));
    }
    if (arguments.has("--primary-key") && !chosen.contains(BucketsWorkload.NAME)) {
      throw new UsageException("--primary-key goes with " + BucketsWorkload.NAME);
    }
  }

  /** What was asked for, checked for itself: several servers keep up to three copies. */
  private static Replication replication(Arguments arguments) {
    int tablets = (int) arguments.number("--tablets", 1, 1, MOST_TABLETS);
    int unasked = Math.min(tablets, MOST_REPLICAS_UNASKED);
    int replicas = (int) arguments.number("--rf", unasked, 1, MOST_TABLETS);
    if (replicas > tablets) {
      throw new UsageException(
          "--rf is " + replicas + "; with --tablets " + tablets + " it must be at most " + tablets);
    }
    return new Replication(tablets, replicas);
  }

  private static void checkReplication(List<String> chosen, Arguments arguments) {
    for (String option : List.of("--tablets", "--rf")) {
      if (arguments.value(option).isPresent() && !ComparisonRun.replicated().containsAll(chosen)) {
        throw new UsageException(option + " goes with " + REPLICATED + " only");
      }
    }
    if (!replication(arguments).equals(Replication.NONE)
        && arguments.list("--with").contains(Peers.FLUSS)) {
      throw new UsageException(
          "fluss runs as one tablet server with one replica here; with --tablets and --rf say"
              + " --with kafka");
    }
  }

  private static void checkComparable(String name, List<String> peers) {
    List<String> comparable =
        ComparisonRun.names().stream()
            .filter(each -> !ComparisonRun.peers(each).isEmpty())
            .toList();
    if (!comparable.contains(name)) {
      throw new UsageException(
          name
              + " cannot be compared with other products; these can: "
              + String.join(", ", comparable));
    }
    for (String peer : peers) {
      if (!ComparisonRun.peers(name).contains(peer)) {
        throw new UsageException(
            name
                + " cannot be compared with "
                + peer
                + ", which has no tables with a primary key; it can with "
                + String.join(", ", ComparisonRun.peers(name)));
      }
    }
  }

  /** What is not said stays open: each comparison has its own defaults. */
  private static ComparePlan comparePlan(Arguments arguments) {
    return new ComparePlan(
        arguments.number("--rows", 0, 1, 100_000_000),
        arguments.number("--keys", 0, BenchSchema.GROUP_ROWS, 1_000_000_000),
        (int) arguments.number("--repeat", 0, 1, 100),
        arguments.number("--window", 0, 100, 600_000),
        given("--codec", CODECS, arguments),
        given("--schema", BenchSchema.NAMES, arguments),
        given("--with", Peers.NAMES, arguments),
        replication(arguments));
  }

  private static List<String> given(String option, List<String> known, Arguments arguments) {
    return arguments.value(option).isEmpty() ? List.of() : arguments.choices(option, known);
  }

  private static void compare(
      List<String> names,
      ComparePlan plan,
      Path launcher,
      Arguments arguments,
      CommandContext context)
      throws Exception {
    Terminal terminal = context.terminal();
    terminal.line(
        terminal.bold(String.join(", ", names))
            + (plan.peers().isEmpty() ? "" : " with " + String.join(" and ", plan.peers())));
    Instant started = Instant.ofEpochMilli(context.time().epochMs());
    Map<String, Object> machine = machine(context, started);
    new ComparisonRun(
            new BenchClusters(launcher, new Random(), terminal::problem),
            context.settings().repository(),
            String.valueOf(machine.get("commit")),
            line -> terminal.line("  " + terminal.dim(line)))
        .run(
            names,
            plan,
            report -> {
              show(report, terminal);
              write(
                  resultFile(report.fileName(), started, arguments, context),
                  report.json(machine),
                  terminal);
            });
  }

  private static void show(ComparisonReport report, Terminal terminal) {
    terminal.blank();
    terminal.line("  " + terminal.bold(report.name()));
    report.lanes().lines().forEach(line -> terminal.line("  " + line));
    terminal.blank();
    List<String> goals = report.goals().lines();
    if (goals.size() > 1) {
      goals.forEach(line -> terminal.line("  " + line));
      terminal.blank();
    }
    report.notes().forEach(line -> terminal.line("  " + line));
  }

  private static void write(Path file, String json, Terminal terminal) throws IOException {
    BenchReport.write(file, json);
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

  private static BenchPlan plan(BenchWorkload workload, Arguments arguments) {
    boolean scan = workload instanceof LogScanWorkload;
    List<String> codecs =
        scan && arguments.value("--codec").isEmpty()
            ? List.of("zstd")
            : arguments.choices("--codec", CODECS);
    int buckets =
        arguments.has("--primary-key") ? BucketsWorkload.KEYED_BUCKETS : BucketsWorkload.BUCKETS;
    return new BenchPlan(
        arguments.number("--rows", 0, 1, 100_000_000),
        (int) arguments.number("--repeat", workload.defaultRepeat(), 1, 100),
        codecs,
        arguments.choices("--schema", BenchSchema.NAMES),
        (int) arguments.number("--buckets", buckets, 10, 100_000),
        arguments.has("--primary-key"),
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
    String name = workload.name() + (plan.primaryKey() ? "-primary-key" : "");
    write(resultFile(name, started, arguments, context), report.json(), terminal);
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
    parameters.put("primary_key", plan.primaryKey());
    parameters.put("codecs", plan.codecs());
    parameters.put("schemas", plan.schemas());
    return parameters;
  }
}
