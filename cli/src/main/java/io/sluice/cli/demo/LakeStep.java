package io.sluice.cli.demo;

import io.sluice.cli.CliException;
import io.sluice.cli.rest.RestClient;
import io.sluice.cli.terminal.Figures;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/** Waits until the tiering worker has brought the flights into the lake, and shows the snapshot. */
final class LakeStep {
  private static final Duration TIMEOUT = Duration.ofSeconds(120);
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final DemoOutput output;
  private final FlightsTable flights;
  private final RestClient coordinator;

  LakeStep(DemoOutput output, FlightsTable flights, RestClient coordinator) {
    this.output = output;
    this.flights = flights;
    this.coordinator = coordinator;
  }

  void run() {
    output.step("Wait for the lake: an Iceberg snapshot with every flight");
    output.note("A worker reads the log over Arrow Flight and writes Parquet, one file a bucket.");
    long start = System.nanoTime();
    LakeState first = waitFor(Map.of());
    output.fact("first snapshot", Long.toString(first.snapshotId()), "round " + first.round());
    long waited = System.nanoTime() - start;
    LakeState all = waitFor(flights.visibleEnds());
    round("files", first);
    if (!all.round().equals(first.round())) {
      round("another round", all);
    }
    output.fact(
        "offsets",
        all.offsets().values().stream().map(Figures::count).collect(Collectors.joining("   ")),
        "up to here each bucket is in the lake; kept in the snapshot itself");
    output.fact("waited", Figures.duration(waited), "the freshness asked for is 10 s");
  }

  private void round(String label, LakeState state) {
    output.fact(
        label,
        Figures.count(state.files()) + " with " + Figures.count(state.rows()) + " rows",
        Figures.bytes(state.bytes())
            + " of Parquet"
            + (state.durationMs() == 0
                ? ""
                : "; the round took " + Figures.duration(Duration.ofMillis(state.durationMs()))));
  }

  /** Waits until the lake has every row below these offsets. */
  LakeState waitFor(Map<Integer, Long> ends) {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    LakeState state = LakeState.of(coordinator, FlightsTable.PATH);
    while (!state.covers(ends)) {
      if (System.nanoTime() - deadline > 0) {
        throw new CliException(
            "After "
                + TIMEOUT.toSeconds()
                + " s the lake does not have every flight: the table is "
                + state.state()
                + (state.failure().isEmpty() ? "" : ", " + state.failure())
                + ", "
                + Figures.count(state.rowsInLake())
                + " rows are in the lake",
            "./sluice tiering shows the queue, ./sluice logs tiering-1 what the worker says.");
      }
      LockSupport.parkNanos(PAUSE.toNanos());
      state = LakeState.of(coordinator, FlightsTable.PATH);
    }
    return state;
  }
}
