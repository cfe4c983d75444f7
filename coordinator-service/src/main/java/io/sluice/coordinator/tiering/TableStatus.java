package io.sluice.coordinator.tiering;

import io.sluice.coordinator.metadata.LakeOffset;
import io.sluice.coordinator.metadata.LakeTable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A table of the queue as it stands; the names are those of the REST API. Times are epoch
 * milliseconds.
 *
 * @param hold empty, paused, quarantined or regressed
 * @param worker who has it, null when nobody
 * @param phase what its worker does, null when that is not known
 * @param dueMs when it is due, null where it waits for no time
 * @param lastCommitMs when the lake last committed a round of it
 * @param tierLagMs time since its last success, or since it was created
 * @param late whether that is more than twice the freshness
 * @param failures in a row
 */
public record TableStatus(
    long tableId,
    String database,
    String table,
    TieringState state,
    TieringGroup group,
    String hold,
    String holdReason,
    long freshnessMs,
    long epoch,
    @Nullable String worker,
    @Nullable String roundId,
    @Nullable String phase,
    long roundRows,
    long roundBytes,
    long stateSinceMs,
    @Nullable Long dueMs,
    @Nullable Long lastCommitMs,
    long tierLagMs,
    boolean late,
    @Nullable LastRound lastRound,
    int failures,
    long failuresTotal,
    @Nullable LastFailure lastFailure,
    List<Offset> offsets) {

  /**
   * The last committed round.
   *
   * @param durationMs as its worker reported it, null when that is not known
   */
  public record LastRound(
      String roundId,
      long snapshotId,
      long rows,
      long bytes,
      int files,
      @Nullable Long durationMs,
      long committedMs) {}

  /** The last failure. */
  public record LastFailure(String cause, String scope, String worker, long atMs) {}

  /** How far a bucket is in the lake. */
  public record Offset(int bucket, long offset) {}

  public TableStatus {
    offsets = List.copyOf(offsets);
  }

  static TableStatus of(QueuedTable table, long nowMs) {
    LakeTable record = table.record;
    var progress = table.progress;
    long lagMs = table.lagMs(nowMs);
    boolean waits =
        table.state.group() == TieringGroup.WAITING || table.state == TieringState.FAILED;
    return new TableStatus(
        table.tableId,
        table.path.database(),
        table.path.table(),
        table.state,
        table.state.group(),
        record.hold().text(),
        record.holdReason(),
        table.freshnessMs,
        record.epoch(),
        table.worker == null ? null : table.worker.workerId,
        progress == null ? null : progress.getRoundId(),
        progress == null ? null : progress.getPhase(),
        progress == null ? 0 : progress.getRows(),
        progress == null ? 0 : progress.getBytes(),
        table.stateSinceMs,
        waits ? table.dueMs : null,
        record.last().committedMs() == 0 ? null : record.last().committedMs(),
        lagMs,
        lagMs > 2 * table.freshnessMs,
        lastRound(table),
        record.failures().inRow(),
        record.failures().total(),
        lastFailure(table),
        offsets(record));
  }

  private static @Nullable LastRound lastRound(QueuedTable table) {
    LakeTable record = table.record;
    if (record.rounds().isEmpty()) {
      return null;
    }
    LakeTable.LastRound last = record.last();
    boolean known = table.durationMs >= 0 && table.durationOf.equals(record.roundId());
    return new LastRound(
        record.roundId(),
        record.snapshotId(),
        last.rows(),
        last.bytes(),
        last.files(),
        known ? table.durationMs : null,
        last.committedMs());
  }

  private static @Nullable LastFailure lastFailure(QueuedTable table) {
    QueuedTable.Failure failure = table.lastFailure;
    return failure == null
        ? null
        : new LastFailure(failure.cause(), failure.scope(), failure.worker(), failure.atMs());
  }

  private static List<Offset> offsets(LakeTable record) {
    List<Offset> offsets = new ArrayList<>(record.offsets().size());
    for (LakeOffset offset : record.offsets()) {
      offsets.add(new Offset(offset.bucket(), offset.offset()));
    }
    return offsets;
  }
}
