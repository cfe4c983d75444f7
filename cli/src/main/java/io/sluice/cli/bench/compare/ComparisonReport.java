package io.sluice.cli.bench.compare;

import io.sluice.cli.bench.Metric;
import io.sluice.cli.measure.JsonText;
import io.sluice.cli.measure.Spread;
import io.sluice.cli.terminal.Figures;
import io.sluice.cli.terminal.TextTable;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The result of a comparison: tables for people, JSON for keeping. */
public final class ComparisonReport {
  private static final Set<Metric> WITH_SPREAD =
      EnumSet.of(
          Metric.ROWS_PER_SECOND,
          Metric.P50_MS,
          Metric.P99_MS,
          Metric.FIRST_LOOKUP_SECONDS,
          Metric.FIRST_WRITE_SECONDS);

  private static final String DISTURBED = "~";

  private final Comparison comparison;
  private final ComparePlan plan;
  private final Map<String, String> titles;
  private final Standings standings;

  /**
   * @param titles name and version of each product by its short name
   */
  ComparisonReport(
      Comparison comparison, ComparePlan plan, Map<String, String> titles, Standings standings) {
    this.comparison = comparison;
    this.plan = plan;
    this.titles = Map.copyOf(titles);
    this.standings = standings;
  }

  /** Name of the benchmark. */
  public String name() {
    return comparison.name();
  }

  /** Name of a file of its results, without the time. */
  public String fileName() {
    int chosen = plan.replication().replicas();
    boolean several = plan.replication().several() && replication().equals(plan.replication());
    return name() + (several ? "-rf" + chosen : "") + (plan.peers().isEmpty() ? "" : "-with-peers");
  }

  /** Medians of every lane, and how many times as good Sluice is. */
  public TextTable lanes() {
    TextTable table = new TextTable().left("contest").left("product").left("settings");
    for (Metric metric : comparison.shown()) {
      table.right(metric.title());
      if (WITH_SPREAD.contains(metric)) {
        table.right("+-");
      }
    }
    table.right("Sluice / this");
    String last = "";
    for (LaneResult result : standings.results()) {
      String contest = result.contest().name();
      List<String> cells = new ArrayList<>();
      cells.add(contest.equals(last) ? "" : contest);
      cells.add(result.lane().product());
      cells.add(result.lane().settings());
      for (Metric metric : comparison.shown()) {
        addCells(cells, result, metric);
      }
      cells.add(times(result));
      table.row(cells);
      last = contest;
    }
    return table;
  }

  private void addCells(List<String> cells, LaneResult result, Metric metric) {
    Optional<Spread> spread = result.spread(metric);
    boolean mark = result.disturbed() && metric == comparison.shown().get(0);
    cells.add((mark ? DISTURBED : "") + spread.map(s -> figure(s.median())).orElse("-"));
    if (WITH_SPREAD.contains(metric)) {
      cells.add(
          spread.map(s -> String.format(Locale.ROOT, "%.0f%%", 100 * s.deviation())).orElse("-"));
    }
  }

  /** How many times as fast as this lane Sluice is; for latencies, its part of the lane's. */
  private String times(LaneResult result) {
    Metric first = comparison.shown().get(0);
    if (result.lane().isSluice()) {
      return "";
    }
    return standings
        .sluice(result.contest().name(), first)
        .flatMap(
            own ->
                result
                    .spread(first)
                    .filter(other -> other.median() != 0)
                    .map(other -> ratio(own.value() / other.median())))
        .orElse("-");
  }

  /** What has to be reached, and whether it is; no rows when peers are missing for all of it. */
  public TextTable goals() {
    TextTable table =
        new TextTable()
            .left("goal")
            .right("Sluice")
            .right("other")
            .left("whose")
            .right("ratio")
            .left("must")
            .left("")
            .left("aim")
            .left("");
    for (Goal goal : goalList()) {
      String sign = goal.atLeast() ? ">= " : "<= ";
      table.row(
          goal.text(),
          figure(goal.sluice()),
          goal.against().isEmpty() ? "" : figure(goal.other()),
          goal.against(),
          goal.against().isEmpty() ? "" : ratio(goal.ratio()),
          sign + plain(goal.must()),
          goal.mustReached() ? "reached" : "NOT reached",
          goal.aim().isPresent() ? sign + plain(goal.aim().getAsDouble()) : "",
          goal.aimReached().map(reached -> reached ? "reached" : "not reached").orElse(""));
    }
    return table;
  }

  private List<Goal> goalList() {
    return comparison.goals(standings);
  }

  /** Lines on how to read the tables. */
  public List<String> notes() {
    List<String> notes = new ArrayList<>();
    titles.values().stream().sorted().forEach(notes::add);
    notes.add(
        "Medians of "
            + plan.repeat()
            + " interleaved windows; heaps "
            + JavaProcesses.HEAP
            + " for each client and "
            + replication().heap()
            + " for each server of rows, touched at the start; RF "
            + replication().replicas()
            + (replication().several() ? " on " + replication().servers() + " servers" : "")
            + ", acks all, buckets: "
            + comparison.buckets()
            + ".");
    if (standings.results().stream().anyMatch(LaneResult::disturbed)) {
      notes.add(
          DISTURBED
              + " other programs used over "
              + LaneResult.QUIET_CORES
              + " cores in too many of its windows: only CPU seconds and bytes say something.");
    }
    return notes;
  }

  private Replication replication() {
    return comparison.replication(plan);
  }

  /** A figure as people read it. */
  static String figure(double value) {
    return value >= 1_000 ? Figures.count(Math.round(value)) : Figures.threeDigits(value);
  }

  private static String ratio(double value) {
    return Figures.threeDigits(value) + " x";
  }

  private static String plain(double bound) {
    return bound == Math.rint(bound) ? Long.toString((long) bound) : Double.toString(bound);
  }

  /**
   * The whole report as JSON text.
   *
   * @param machine facts about machine and source tree
   */
  public String json(Map<String, Object> machine) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("benchmark", comparison.name());
    json.put("with", plan.peers());
    json.put("products", titles);
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("repeat", plan.repeat());
    parameters.put("rows", plan.rows());
    parameters.put("keys", plan.keys());
    parameters.put("window_ms", plan.windowMillis());
    parameters.put("heap", JavaProcesses.HEAP);
    parameters.put("server_heap", replication().heap());
    parameters.put("servers_of_rows", replication().servers());
    parameters.put("replicas", replication().replicas());
    parameters.put("buckets", comparison.buckets());
    json.put("parameters", parameters);
    json.put("machine", machine);
    json.put(
        "results",
        standings.results().stream()
            .map(result -> result.json(titles.getOrDefault(result.lane().product(), "")))
            .toList());
    json.put("goals", goalList().stream().map(Goal::json).toList());
    return JsonText.pretty(json);
  }
}
