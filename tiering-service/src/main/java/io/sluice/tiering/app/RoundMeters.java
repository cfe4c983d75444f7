package io.sluice.tiering.app;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.sluice.tiering.job.RoundObserver;
import io.sluice.tiering.job.RoundPhase;
import io.sluice.tiering.job.RoundResult;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Counts and times rounds. All series exist from the start, so that a rate is never missing one.
 */
final class RoundMeters implements RoundObserver {
  private final Map<RoundPhase, Timer> phases = new EnumMap<>(RoundPhase.class);
  private final Map<String, Counter> outcomes = new HashMap<>();
  private final Counter rows;
  private final Counter bytes;
  private final Counter files;

  RoundMeters(MeterRegistry registry) {
    for (RoundPhase phase : RoundPhase.values()) {
      phases.put(
          phase,
          Timer.builder("sluice.tiering.round.phase")
              .tag("phase", phase.text())
              .description("Time that rounds were in a phase")
              .register(registry));
    }
    for (String outcome : RoundResult.OUTCOMES) {
      outcomes.put(
          outcome,
          Counter.builder("sluice.tiering.rounds")
              .tag("outcome", outcome)
              .description("Rounds by how they ended")
              .register(registry));
    }
    rows = counter(registry, "sluice.tiering.round.rows", "Rows of rounds that are in the lake");
    bytes =
        Counter.builder("sluice.tiering.round.size")
            .baseUnit("bytes")
            .description("Bytes of files of rounds that are in the lake")
            .register(registry);
    files = counter(registry, "sluice.tiering.round.files", "Files of rounds in the lake");
  }

  private static Counter counter(MeterRegistry registry, String name, String description) {
    return Counter.builder(name).description(description).register(registry);
  }

  @Override
  public void phaseEnded(RoundPhase phase, long nanos) {
    Timer timer = phases.get(phase);
    if (timer != null) {
      timer.record(nanos, TimeUnit.NANOSECONDS);
    }
  }

  @Override
  public void ended(RoundResult result) {
    Counter outcome = outcomes.get(result.outcome());
    if (outcome != null) {
      outcome.increment();
    }
    if (result instanceof RoundResult.Finished finished) {
      rows.increment(finished.rows());
      bytes.increment(finished.bytes());
      files.increment(finished.files());
    }
  }
}
