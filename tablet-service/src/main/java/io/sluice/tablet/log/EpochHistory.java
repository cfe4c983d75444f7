package io.sluice.tablet.log;

import java.util.ArrayList;
import java.util.List;

/**
 * Where each leader epoch begins in a log, as of one moment. Epochs and offsets both grow.
 *
 * @param starts the epochs in order; empty before the first leader
 */
public record EpochHistory(List<Start> starts) {
  /** No leader yet. */
  public static final EpochHistory EMPTY = new EpochHistory(List.of());

  /** What {@link End#epoch} is when a log knows no epoch that old. */
  public static final int NO_EPOCH = 0;

  /**
   * The start of an epoch.
   *
   * @param epoch the leader epoch, from 1
   * @param startOffset log end when its leader took over
   */
  public record Start(int epoch, long startOffset) {}

  /**
   * The end of an epoch in a log.
   *
   * @param epoch the epoch, {@link #NO_EPOCH} when there is none
   * @param endOffset offset after its last record
   */
  public record End(int epoch, long endOffset) {}

  public EpochHistory {
    starts = List.copyOf(starts);
  }

  /**
   * With an epoch that begins at the log end. One that began there and stored nothing gives way,
   * also to an older one: it was that of a leader whose log was not the one that went on.
   *
   * @throws IllegalArgumentException when a record below belongs to a newer epoch
   */
  public EpochHistory started(int epoch, long logEnd) {
    EpochHistory stored = cutTo(logEnd);
    int last = stored.lastEpoch();
    if (epoch < last) {
      throw new IllegalArgumentException(
          "Epoch " + epoch + " cannot begin at " + logEnd + ", behind records of epoch " + last);
    }
    if (epoch == last) {
      return stored;
    }
    List<Start> more = new ArrayList<>(stored.starts);
    more.add(new Start(epoch, logEnd));
    return new EpochHistory(more);
  }

  /** Without the epochs that begin at or behind a new log end: none of their records is left. */
  public EpochHistory cutTo(long logEnd) {
    int kept = starts.size();
    while (kept > 0 && starts.get(kept - 1).startOffset() >= logEnd) {
      kept--;
    }
    return kept == starts.size() ? this : new EpochHistory(starts.subList(0, kept));
  }

  /**
   * Without the epochs that end below the log start. The one of the record before the log start
   * stays: a replica that stands there names it.
   */
  public EpochHistory trimmedTo(long logStart) {
    int first = 0;
    while (first + 1 < starts.size() && starts.get(first + 1).startOffset() < logStart) {
      first++;
    }
    return first == 0 ? this : new EpochHistory(starts.subList(first, starts.size()));
  }

  /** The newest epoch, {@link #NO_EPOCH} when there was no leader yet. */
  public int lastEpoch() {
    return starts.isEmpty() ? NO_EPOCH : starts.get(starts.size() - 1).epoch();
  }

  /** The epoch of the record before an offset, {@link #NO_EPOCH} when nothing is known of it. */
  public int epochBefore(long offset) {
    for (int i = starts.size() - 1; i >= 0; i--) {
      if (starts.get(i).startOffset() < offset) {
        return starts.get(i).epoch();
      }
    }
    return NO_EPOCH;
  }

  /**
   * The largest epoch that is not above the one asked for, and where it ends here: where the next
   * one begins, or the log ends (KIP-101, KIP-279).
   *
   * @param logStart where a log that knows no epoch so old says that it ends
   */
  public End endOf(int epoch, long logStart, long logEnd) {
    long end = logEnd;
    for (int i = starts.size() - 1; i >= 0; i--) {
      Start start = starts.get(i);
      if (start.epoch() <= epoch) {
        return new End(start.epoch(), end);
      }
      end = start.startOffset();
    }
    return new End(NO_EPOCH, Math.min(logStart, logEnd));
  }
}
