package io.sluice.coordinator.metadata;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What must not be forgotten about the tiering of one table.
 *
 * @param tableId table
 * @param epoch newest epoch, 0 before the first; only grows
 * @param endedEpoch newest epoch whose round has ended, by a commit, with nothing new, or by a
 *     failure; below {@code epoch} a round may be running
 * @param rounds ids of the newest committed rounds, the last one last, at most {@link #MAX_ROUNDS}
 * @param snapshotId snapshot of the last round, {@link #NO_SNAPSHOT} before the first
 * @param offsets how far each bucket is in the lake, by partition and bucket; one that is missing
 *     is at 0
 * @param tieredMs when the lake last had everything, epoch milliseconds, 0 = never
 * @param last size of the last committed round
 * @param failures what went wrong
 * @param hold why there are no rounds
 * @param holdReason the same in words, empty without a hold
 */
public record LakeTable(
    long tableId,
    long epoch,
    long endedEpoch,
    List<String> rounds,
    long snapshotId,
    List<LakeOffset> offsets,
    long tieredMs,
    LastRound last,
    Failures failures,
    LakeHold hold,
    String holdReason) {
  /** No snapshot yet. */
  public static final long NO_SNAPSHOT = -1;

  /** How many rounds are remembered, so that a repeated call for one is known. */
  public static final int MAX_ROUNDS = 8;

  /**
   * Size of the last committed round.
   *
   * @param committedMs when the lake committed it, epoch milliseconds, 0 before the first
   */
  public record LastRound(long rows, long bytes, int files, long committedMs) {
    /** Before the first round. */
    public static final LastRound NONE = new LastRound(0, 0, 0, 0);
  }

  /**
   * What went wrong.
   *
   * @param inRow failures since the last success
   * @param total failures ever
   * @param workers up to two workers that failed since the last success
   * @param cause cause of the last failure, empty without one
   * @param worker worker of the last failure
   * @param atMs time of the last failure, epoch milliseconds
   */
  public record Failures(
      int inRow, long total, List<String> workers, String cause, String worker, long atMs) {
    /** Nothing ever failed. */
    public static final Failures NONE = new Failures(0, 0, List.of(), "", "", 0);

    private static final int MAX_WORKERS = 2;

    public Failures {
      workers = List.copyOf(workers);
    }

    Failures plus(String failedWorker, String newCause, long nowMs) {
      List<String> seen = new ArrayList<>(workers);
      if (!seen.contains(failedWorker) && seen.size() < MAX_WORKERS) {
        seen.add(failedWorker);
      }
      return new Failures(inRow + 1, total + 1, seen, newCause, failedWorker, nowMs);
    }

    /** After a success: the count in a row is over, the last failure stays to be read. */
    Failures over() {
      return inRow == 0 ? this : new Failures(0, total, List.of(), cause, worker, atMs);
    }
  }

  public LakeTable {
    rounds = List.copyOf(rounds);
    offsets = List.copyOf(offsets);
    if (endedEpoch > epoch) {
      throw new IllegalArgumentException(
          "Table " + tableId + ": epoch " + endedEpoch + " ended, but the newest is " + epoch);
    }
  }

  static LakeTable created(long tableId) {
    return new LakeTable(
        tableId,
        0,
        0,
        List.of(),
        NO_SNAPSHOT,
        List.of(),
        0,
        LastRound.NONE,
        Failures.NONE,
        LakeHold.NONE,
        "");
  }

  /** Id of the last committed round, empty before the first. */
  public String roundId() {
    return rounds.isEmpty() ? "" : rounds.get(rounds.size() - 1);
  }

  /** Whether a round of the newest epoch may be running. */
  public boolean mayRun() {
    return endedEpoch < epoch;
  }

  /** How far that bucket is in the lake. */
  public long offset(long partitionId, int bucket) {
    int position = Collections.binarySearch(offsets, new LakeOffset(partitionId, bucket, 0));
    return position < 0 ? 0 : offsets.get(position).offset();
  }

  LakeTable withEpoch(long newEpoch) {
    return new LakeTable(
        tableId,
        newEpoch,
        endedEpoch,
        rounds,
        snapshotId,
        offsets,
        tieredMs,
        last,
        failures,
        hold,
        holdReason);
  }

  /** The lake moved on. */
  LakeTable withRound(String roundId, long newSnapshot, List<LakeOffset> moved, LastRound size) {
    List<String> remembered = new ArrayList<>(rounds);
    remembered.add(roundId);
    if (remembered.size() > MAX_ROUNDS) {
      remembered.remove(0);
    }
    return new LakeTable(
        tableId,
        epoch,
        endedEpoch,
        remembered,
        newSnapshot,
        moved,
        Math.max(tieredMs, size.committedMs()),
        size,
        failures,
        hold,
        holdReason);
  }

  /** The round of the newest epoch ended well. */
  LakeTable withSuccess(long nowMs) {
    return new LakeTable(
        tableId,
        epoch,
        epoch,
        rounds,
        snapshotId,
        offsets,
        Math.max(tieredMs, nowMs),
        last,
        failures.over(),
        hold,
        holdReason);
  }

  /** The round of the newest epoch failed. */
  LakeTable withFailure(Failures changed) {
    return new LakeTable(
        tableId,
        epoch,
        epoch,
        rounds,
        snapshotId,
        offsets,
        tieredMs,
        last,
        changed,
        hold,
        holdReason);
  }

  /** With another hold. A table that is let go again starts counting its failures anew. */
  LakeTable withHold(LakeHold changed, String reason) {
    return new LakeTable(
        tableId,
        epoch,
        endedEpoch,
        rounds,
        snapshotId,
        offsets,
        tieredMs,
        last,
        changed == LakeHold.NONE ? failures.over() : failures,
        changed,
        reason);
  }
}
