package io.sluice.systemtests.replicated;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What a soak has done up to now, for people. For one thread. */
final class SoakSummary {
  private final long seed;
  private final Timeline time = new Timeline();
  private final Map<String, Integer> faults = new TreeMap<>();
  private final Map<String, Long> failures = new TreeMap<>();
  private int rounds;
  private long operations;
  private long acknowledgedRows;
  private int elections;
  private int violations;
  private History.Outage longest = new History.Outage("nobody", 0, 0);

  SoakSummary(long seed) {
    this.seed = seed;
  }

  void add(History history, int newElections) {
    rounds++;
    history.timeline().faults().forEach((kind, times) -> faults.merge(kind, times, Integer::sum));
    history.failures().forEach((code, times) -> failures.merge(code, times.get(), Long::sum));
    operations += history.operations();
    for (SourceHistory source : history.sources()) {
      acknowledgedRows += source.acknowledged();
    }
    acknowledgedRows += history.sums().source().acknowledged();
    elections += newElections;
    violations += history.violations().count();
    if (history.longestOutage().seconds() > longest.seconds()) {
      longest = history.longestOutage();
    }
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "Soak of %.1f minutes with seed %d: %d rounds, %d violations of the invariants%n",
            time.seconds() / 60,
            seed,
            rounds,
            violations));
    text.append(
        String.format(
            Locale.ROOT,
            "  operations %d, rows of named writers acknowledged %d, elections %d%n",
            operations,
            acknowledgedRows,
            elections));
    text.append(
        String.format(
            Locale.ROOT,
            "  longest write outage %.1f s (%s), operations that failed %s%n",
            longest.seconds(),
            longest.client(),
            failures));
    faults.forEach((kind, times) -> text.append("  %4d x %s%n".formatted(times, kind)));
    return text.toString();
  }
}
