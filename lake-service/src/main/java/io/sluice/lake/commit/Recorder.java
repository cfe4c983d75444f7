package io.sluice.lake.commit;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import io.sluice.protocol.tiering.v1.LakeState;
import io.sluice.protocol.tiering.v1.RoundCommittedRequest;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the coordinator what the lake says. What cannot be told at once is told by the next
 * comparison; the lake remembers it.
 */
final class Recorder {
  private static final Logger LOG = LoggerFactory.getLogger(Recorder.class);
  private static final String REGRESSED = "regressed";
  private static final long FIRST_PAUSE_MS = 50;
  private static final long MAX_PAUSE_MS = 1000;

  private final LakeRecord record;
  private final TimeSource time;
  private final Duration within;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private volatile Runnable late = () -> {};

  /**
   * @param within how long one telling may take with all its attempts
   */
  Recorder(LakeRecord record, TimeSource time, Duration within) {
    this.record = record;
    this.time = time;
    this.within = within;
  }

  /** Called when something could not be told: a comparison should come soon. */
  void whenLate(Runnable wake) {
    late = wake;
  }

  /** Ends waiting between attempts. */
  void stop() {
    stopping.countDown();
  }

  static boolean isRegressed(LakeState state) {
    return state.getHold().equals(REGRESSED);
  }

  /** Tells of a round that was committed; tries again for a while. */
  void tell(TableIdentifier table, RoundCommittedRequest round) {
    long deadline = time.nanoTime() + within.toNanos();
    long pause = FIRST_PAUSE_MS;
    while (true) {
      try {
        record.roundCommitted(round, Duration.ofNanos(Math.max(1, deadline - time.nanoTime())));
        return;
      } catch (SluiceException failure) {
        boolean again = failure.code().retriable() && time.nanoTime() < deadline;
        if (!again || waited(pause)) {
          LOG.warn(
              "Round {} of {} is in the lake but not recorded yet; the comparison will: {}",
              round.getRoundId(),
              table,
              failure.getMessage());
          late.run();
          return;
        }
        pause = Math.min(pause * 2, MAX_PAUSE_MS);
      }
    }
  }

  /** Waits before another attempt; true when the service is stopping. */
  private boolean waited(long pauseMs) {
    try {
      return stopping.await(pauseMs, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /** Tells of a round that was found in the history, with everything before it that is missing. */
  void tell(LakeTables.Loaded loaded, Snapshot round) {
    try {
      replay(loaded, record.state(loaded.tableId()));
    } catch (SluiceException failure) {
      LOG.warn(
          "Snapshot {} of {} is not recorded yet; the comparison will: {}",
          round.snapshotId(),
          loaded.identifier(),
          failure.getMessage());
      late.run();
    }
  }

  /**
   * Compares and mends: replays what is missing in the record, holds back a table that regressed.
   *
   * @param loaded the table's own lake table, null when there is none
   * @throws SluiceException LAKE_REGRESSED after holding it back
   */
  void compare(LakeTables.@Nullable Loaded loaded, LakeState state) {
    Comparison comparison = replay(loaded, state);
    if (comparison instanceof Comparison.Behind behind) {
      throw new SluiceException(
          ErrorCode.LAKE_REGRESSED,
          "Table " + state.getDatabase() + "." + state.getTable() + ": " + behind.reason());
    }
  }

  /** As {@link #compare}, and answers what was found. */
  Comparison replay(LakeTables.@Nullable Loaded loaded, LakeState state) {
    Comparison comparison = Comparison.of(loaded, state);
    if (comparison instanceof Comparison.Ahead ahead) {
      for (RoundCommittedRequest missing : ahead.missing()) {
        record.roundCommitted(missing, within);
        LOG.info(
            "Recorded round {} of {}.{}, snapshot {}, which was in the lake alone",
            missing.getRoundId(),
            state.getDatabase(),
            state.getTable(),
            missing.getSnapshotId());
      }
    } else if (comparison instanceof Comparison.Behind behind && !isRegressed(state)) {
      LOG.error(
          "Table {}.{} regressed and takes no rounds: {}",
          state.getDatabase(),
          state.getTable(),
          behind.reason());
      record.holdRegressed(state.getTableId(), behind.reason());
    }
    return comparison;
  }
}
