package io.sluice.lake.commit;

import io.sluice.lake.catalog.LakeKeys;
import io.sluice.protocol.tiering.v1.LakeState;
import io.sluice.protocol.tiering.v1.RoundCommittedRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotSummary;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.io.FileIO;
import org.jspecify.annotations.Nullable;

/**
 * Compares a lake table with what the coordinator has recorded of it. The lake is the truth, except
 * where it is behind: then somebody rolled it back.
 */
sealed interface Comparison {
  /** Lake and record say the same. */
  record InStep() implements Comparison {}

  /**
   * The lake has rounds that are not recorded.
   *
   * @param missing what to record, oldest first, each starting where the one before it ends
   */
  record Ahead(List<RoundCommittedRequest> missing) implements Comparison {
    public Ahead {
      missing = List.copyOf(missing);
    }
  }

  /**
   * The lake lacks rows that are recorded or were committed.
   *
   * @param reason names both sides
   */
  record Behind(String reason) implements Comparison {}

  /**
   * Compares.
   *
   * @param loaded the table's own lake table, null when there is none
   */
  static Comparison of(LakeTables.@Nullable Loaded loaded, LakeState state) {
    LakeOffsets record = LakeOffsets.of(state.getOffsetsList());
    if (loaded == null) {
      return record.isEmpty()
          ? new InStep()
          : new Behind("its lake table is gone, but it was at " + record);
    }
    TableMetadata metadata = loaded.metadata();
    FileIO files = loaded.operations().io();
    Lineage lineage = Lineage.of(metadata, files);
    if (lineage.rolledBack() != null) {
      return new Behind("the lake table was rolled back: " + lineage.rolledBack());
    }
    if (lineage.recorded().equals(record)) {
      return new InStep();
    }
    if (!lineage.recorded().covers(record)) {
      return new Behind(
          "the lake is at "
              + lineage.recorded()
              + (lineage.nearest() == null
                  ? ""
                  : " with snapshot " + lineage.nearest().snapshotId())
              + ", recorded is "
              + record
              + " with snapshot "
              + state.getSnapshotId());
    }
    return new Ahead(missing(metadata, state, record, files));
  }

  private static List<RoundCommittedRequest> missing(
      TableMetadata metadata, LakeState state, LakeOffsets record, FileIO files) {
    Deque<Snapshot> chain = new ArrayDeque<>();
    boolean reached = false;
    for (Snapshot snapshot : Lineage.ancestors(metadata)) {
      if (!Lineage.isOf(snapshot, state.getTableId())) {
        continue;
      }
      if (Lineage.offsets(snapshot, files).equals(record)) {
        reached = true;
        break;
      }
      chain.addFirst(snapshot);
    }
    List<RoundCommittedRequest> missing = new ArrayList<>();
    if (!reached && !record.isEmpty() && !chain.isEmpty()) {
      // The snapshots in between are no longer kept: one step to where the lake is.
      Snapshot newest = chain.getLast();
      missing.add(request(state.getTableId(), newest, record, Lineage.offsets(newest, files)));
      return missing;
    }
    LakeOffsets start = record;
    for (Snapshot snapshot : chain) {
      LakeOffsets end = Lineage.offsets(snapshot, files);
      if (!end.equals(start)) {
        missing.add(request(state.getTableId(), snapshot, start, end));
        start = end;
      }
    }
    return missing;
  }

  /** What the coordinator is told about a snapshot of ours. */
  static RoundCommittedRequest request(
      long tableId, Snapshot snapshot, LakeOffsets start, LakeOffsets end) {
    Map<String, String> summary = snapshot.summary();
    return RoundCommittedRequest.newBuilder()
        .setTableId(tableId)
        .setEpoch(Lineage.number(summary, LakeKeys.EPOCH))
        .setRoundId(summary.getOrDefault(LakeKeys.ROUND, "fence-" + snapshot.snapshotId()))
        .setSnapshotId(snapshot.snapshotId())
        .addAllStart(start.toProto())
        .addAllEnd(end.toProto())
        .setCommittedMs(snapshot.timestampMillis())
        .setRows(Lineage.number(summary, SnapshotSummary.ADDED_RECORDS_PROP))
        .setBytes(Lineage.number(summary, SnapshotSummary.ADDED_FILE_SIZE_PROP))
        .setFiles((int) Lineage.number(summary, SnapshotSummary.ADDED_FILES_PROP))
        .build();
  }
}
