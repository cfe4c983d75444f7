package io.sluice.tiering.job;

import io.sluice.protocol.tiering.v1.FailureScope;
import java.util.List;

/** How a round ended. */
public sealed interface RoundResult {
  /** Every name that {@link #outcome} gives. */
  List<String> OUTCOMES = List.of("committed", "empty", "failed", "superseded", "dropped");

  /**
   * It is in the lake, or there was nothing new.
   *
   * @param snapshotId -1 when there was nothing new
   * @param more whether there was more than it took
   */
  record Finished(long snapshotId, long rows, long bytes, int files, boolean more)
      implements RoundResult {
    /** Nothing was new. */
    static final Finished NOTHING_NEW = new Finished(-1, 0, 0, 0, false);
  }

  /**
   * It is not in the lake, or nobody knows.
   *
   * @param weight whether it counts against the table
   */
  record Failed(String cause, FailureScope scope, Weight weight) implements RoundResult {
    boolean superseded() {
      return weight == Weight.SUPERSEDED;
    }
  }

  /** Whether a failure brings its table nearer to quarantine. */
  enum Weight {
    /** It does. */
    COUNTED,
    /** What the round reads from was away: it will work when that is back. */
    OUTAGE,
    /** Another round or epoch has taken its place. */
    SUPERSEDED
  }

  /** It was given up before its commit. */
  record Dropped(String reason) implements RoundResult {}

  /** The name in metrics. */
  default String outcome() {
    if (this instanceof Finished finished) {
      return finished.snapshotId() < 0 ? "empty" : "committed";
    }
    if (this instanceof Failed failed) {
      return failed.superseded() ? "superseded" : "failed";
    }
    return "dropped";
  }
}
