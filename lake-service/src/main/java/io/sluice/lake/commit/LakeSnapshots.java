package io.sluice.lake.commit;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.lake.v1.LakeFile;
import io.sluice.protocol.lake.v1.LakeSnapshot;
import io.sluice.protocol.metadata.v1.TableInfo;
import io.sluice.protocol.tiering.v1.LakeState;
import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.exceptions.RuntimeIOException;
import org.apache.iceberg.io.CloseableIterable;
import org.jspecify.annotations.Nullable;

/**
 * The files and offsets of the current snapshot of a Sluice table. A snapshot never changes, so the
 * last answers are kept. Thread-safe.
 */
public final class LakeSnapshots {
  private static final int MAX_KEPT = 64;
  private static final int MAX_KEPT_FILES = 200_000;
  private static final long NONE = -1;

  private final LakeTables tables;
  private final LakeRecord record;

  /** Last answer by table id, the least used one goes first. */
  private final Map<Long, LakeSnapshot> answers =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, LakeSnapshot> eldest) {
          return size() > MAX_KEPT;
        }
      };

  public LakeSnapshots(LakeTables tables, LakeRecord record) {
    this.tables = tables;
    this.record = record;
  }

  /**
   * The current snapshot; one with the id -1 when the lake holds nothing of the table yet.
   * TABLE_NOT_FOUND when there is no such table, LAKE_REGRESSED when what was there is gone,
   * UNSUPPORTED when somebody put deletes into it.
   */
  public LakeSnapshot current(long tableId) {
    TableInfo table = record.table(tableId);
    LakeTables.Loaded loaded = tables.own(table);
    Snapshot snapshot = snapshotOf(loaded);
    if (snapshot == null) {
      LakeState state = record.state(tableId);
      if (!state.getOffsetsList().isEmpty()) {
        // Recorded is only what the lake has: the first round may have come in between.
        loaded = tables.own(table);
        snapshot = snapshotOf(loaded);
        requireSnapshot(snapshot, state);
      }
    }
    if (loaded == null || snapshot == null) {
      return LakeSnapshot.newBuilder().setTableId(tableId).setSnapshotId(NONE).build();
    }
    LakeSnapshot kept = kept(tableId);
    if (kept != null && kept.getSnapshotId() == snapshot.snapshotId()) {
      return kept;
    }
    LakeSnapshot answer = read(tableId, loaded, snapshot);
    keep(answer);
    return answer;
  }

  private static @Nullable Snapshot snapshotOf(LakeTables.@Nullable Loaded loaded) {
    return loaded == null ? null : loaded.metadata().currentSnapshot();
  }

  /** Else a reader would take the log, which may begin later, for the whole table. */
  private static void requireSnapshot(@Nullable Snapshot snapshot, LakeState state) {
    if (snapshot == null) {
      throw new SluiceException(
          ErrorCode.LAKE_REGRESSED,
          "Table "
              + state.getDatabase()
              + "."
              + state.getTable()
              + " has no snapshot in the lake, but it was at "
              + LakeOffsets.of(state.getOffsetsList()));
    }
  }

  private @Nullable LakeSnapshot kept(long tableId) {
    synchronized (answers) {
      return answers.get(tableId);
    }
  }

  private void keep(LakeSnapshot answer) {
    synchronized (answers) {
      answers.put(answer.getTableId(), answer);
      long files = 0;
      for (LakeSnapshot each : answers.values()) {
        files += each.getFilesCount();
      }
      Iterator<LakeSnapshot> eldest = answers.values().iterator();
      while (files > MAX_KEPT_FILES && eldest.hasNext()) {
        files -= eldest.next().getFilesCount();
        eldest.remove();
      }
    }
  }

  private static LakeSnapshot read(long tableId, LakeTables.Loaded loaded, Snapshot snapshot) {
    Lineage lineage = loaded.lineage();
    LakeSnapshot.Builder answer =
        LakeSnapshot.newBuilder()
            .setTableId(tableId)
            .setSnapshotId(snapshot.snapshotId())
            .setIcebergSchema(SchemaParser.toJson(loaded.metadata().schema()))
            .setCommittedMs(snapshot.timestampMillis());
    // The offsets of the files that are there, whatever the property says of files that are not.
    LakeOffsets offsets = lineage.nearest() == null ? LakeOffsets.NONE : lineage.recorded();
    answer.addAllOffsets(offsets.toProto());
    BaseTable table = new BaseTable(loaded.operations(), loaded.identifier().toString());
    try (CloseableIterable<FileScanTask> tasks =
        table.newScan().useSnapshot(snapshot.snapshotId()).planFiles()) {
      for (FileScanTask task : tasks) {
        if (!task.deletes().isEmpty()) {
          throw new SluiceException(
              ErrorCode.UNSUPPORTED,
              "Lake table " + loaded.identifier() + " has deletes, which no round of Sluice makes");
        }
        answer.addFiles(file(task.file()));
      }
    } catch (IOException e) {
      throw new RuntimeIOException(e, "Cannot read the files of %s", loaded.identifier());
    }
    return answer.build();
  }

  private static LakeFile file(DataFile file) {
    Integer bucket = file.partition().get(0, Integer.class);
    return LakeFile.newBuilder()
        .setPath(file.location())
        .setRows(file.recordCount())
        .setBytes(file.fileSizeInBytes())
        .setBucket(bucket == null ? 0 : bucket)
        .build();
  }
}
