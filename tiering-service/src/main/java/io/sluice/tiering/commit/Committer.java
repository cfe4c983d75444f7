package io.sluice.tiering.commit;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import io.sluice.tiering.commit.CommitOutcome.Unknown;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Commits a round and does not leave it at Unknown while there is a chance to settle it. */
public final class Committer {
  private static final Logger LOG = LoggerFactory.getLogger(Committer.class);

  private final Lake lake;
  private final TimeSource clock;
  private final Timings timings;

  /**
   * How long an unknown outcome is asked after.
   *
   * @param minPauseMs pause before the first question
   * @param maxPauseMs the pauses double up to this
   * @param giveUpMs after this the round stays unknown; the next one settles it
   */
  public record Timings(long minPauseMs, long maxPauseMs, long giveUpMs) {
    /** From 200 ms to 5 s, for 2 min. */
    public static final Timings DEFAULT = new Timings(200, 5_000, 120_000);

    public Timings {
      if (minPauseMs < 1 || maxPauseMs < minPauseMs || giveUpMs < 0) {
        throw new SluiceException(
            ErrorCode.INVALID_ARGUMENT,
            "Pauses must be positive and the largest not below the smallest");
      }
    }
  }

  /** Waits between two questions. */
  @FunctionalInterface
  public interface Pause {
    /** Waits so long, or less when nobody needs the answer any more: then false. */
    boolean await(long millis);
  }

  public Committer(Lake lake, TimeSource clock, Timings timings) {
    this.lake = lake;
    this.clock = clock;
    this.timings = timings;
  }

  /**
   * Commits. Unknown only when lake-service did not say what became of the round within the time,
   * or the pause was cut short; its files must then stay.
   */
  public CommitOutcome commit(RoundCommit commit, Pause pause) {
    CommitOutcome outcome = lake.commit(commit);
    long until = clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timings.giveUpMs());
    long pauseMs = timings.minPauseMs();
    boolean told = false;
    while (outcome instanceof Unknown unknown) {
      if (!told) {
        told = true;
        LOG.warn(
            "Round {}: the outcome of its commit is unknown and has to be asked for: {}",
            commit.key().roundId(),
            unknown.message());
      }
      boolean goOn = pause.await(pauseMs);
      if (!goOn || clock.nanoTime() - until >= 0) {
        return outcome;
      }
      pauseMs = Math.min(timings.maxPauseMs(), pauseMs * 2);
      outcome = lake.resolve(commit.key());
    }
    if (told) {
      LOG.info("Round {} is settled: {}", commit.key().roundId(), outcome);
    }
    return outcome;
  }

  /** What may be waited for at most, for messages. */
  public Duration patience() {
    return Duration.ofMillis(timings.giveUpMs());
  }
}
