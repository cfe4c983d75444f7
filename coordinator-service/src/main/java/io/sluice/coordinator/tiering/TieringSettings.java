package io.sluice.coordinator.tiering;

import java.time.Duration;

/**
 * Settings of the queue.
 *
 * @param pollInterval how often workers report
 * @param workerTimeout a table that no worker has named for so long is taken back
 * @param sweepInterval how often that is looked for
 * @param workersExpected how many workers there should be
 * @param lakeProbeInterval how often one round tries while the lake is out of order
 */
public record TieringSettings(
    Duration pollInterval,
    Duration workerTimeout,
    Duration sweepInterval,
    int workersExpected,
    Duration lakeProbeInterval) {
  private static final Duration ONE_MINUTE = Duration.ofMinutes(1);

  /** 30 s, 2 min, 15 s, one worker, one probe a minute. */
  public static final TieringSettings DEFAULT =
      new TieringSettings(Duration.ofSeconds(30), Duration.ofMinutes(2), Duration.ofSeconds(15), 1);

  /** With one probe of the lake a minute. */
  public TieringSettings(
      Duration pollInterval, Duration workerTimeout, Duration sweepInterval, int workersExpected) {
    this(pollInterval, workerTimeout, sweepInterval, workersExpected, ONE_MINUTE);
  }
}
