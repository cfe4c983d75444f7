package io.sluice.lake.commit;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.metadata.v1.ColumnDef;
import io.sluice.protocol.metadata.v1.SchemaDef;
import io.sluice.protocol.metadata.v1.TableInfo;
import io.sluice.protocol.tiering.v1.LakeState;
import io.sluice.protocol.tiering.v1.RoundCommittedRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The coordinator's side as its contract says: rounds in order, each once. */
public final class FakeRecord implements LakeRecord {
  private final Map<Long, TableInfo> tables = new LinkedHashMap<>();
  private final Map<Long, LakeState> states = new LinkedHashMap<>();
  private final Set<String> rounds = new HashSet<>();
  private final List<RoundCommittedRequest> recorded = new ArrayList<>();
  private boolean away;
  private int lostTellings;

  /** A log table with the columns {@code id BIGINT NOT NULL, name STRING}, and the lake enabled. */
  public synchronized TableInfo create(long id, String database, String table, int buckets) {
    TableInfo info =
        TableInfo.newBuilder()
            .setTableId(id)
            .setDatabase(database)
            .setTable(table)
            .setBucketCount(buckets)
            .putOptions("table.datalake.enabled", "true")
            .setSchema(
                SchemaDef.newBuilder()
                    .setSchemaId(1)
                    .addColumns(
                        ColumnDef.newBuilder()
                            .setId(3)
                            .setName("id")
                            .setType("BIGINT")
                            .setNotNull(true))
                    .addColumns(ColumnDef.newBuilder().setId(7).setName("name").setType("STRING")))
            .build();
    return put(info);
  }

  /** Any table. */
  public synchronized TableInfo put(TableInfo info) {
    tables.put(info.getTableId(), info);
    states.put(
        info.getTableId(),
        LakeState.newBuilder()
            .setTableId(info.getTableId())
            .setDatabase(info.getDatabase())
            .setTable(info.getTable())
            .setSnapshotId(-1)
            .setEpoch(1)
            .setState("TIERING")
            .build());
    return info;
  }

  public synchronized void drop(long id) {
    tables.remove(id);
    states.remove(id);
  }

  public synchronized void epoch(long id, long epoch) {
    states.put(id, state(id).toBuilder().setEpoch(epoch).build());
  }

  /** Whether nobody answers. */
  public synchronized void away(boolean now) {
    away = now;
  }

  /** So many calls of roundCommitted fail without being recorded. */
  public synchronized void loseTellings(int calls) {
    lostTellings = calls;
  }

  public synchronized List<RoundCommittedRequest> recorded() {
    return List.copyOf(recorded);
  }

  @Override
  public synchronized TableInfo table(long tableId) {
    requireHere();
    TableInfo info = tables.get(tableId);
    if (info == null) {
      throw new SluiceException(ErrorCode.TABLE_NOT_FOUND, "No table of id " + tableId);
    }
    return info;
  }

  @Override
  public synchronized TableInfo table(String database, String table) {
    requireHere();
    for (TableInfo info : tables.values()) {
      if (info.getDatabase().equals(database) && info.getTable().equals(table)) {
        return info;
      }
    }
    throw new SluiceException(ErrorCode.TABLE_NOT_FOUND, "No table " + database + "." + table);
  }

  @Override
  public synchronized LakeState state(long tableId) {
    requireHere();
    LakeState state = states.get(tableId);
    if (state == null) {
      throw new SluiceException(ErrorCode.TABLE_NOT_FOUND, "No table of id " + tableId);
    }
    return state;
  }

  @Override
  public synchronized List<LakeState> states() {
    requireHere();
    return List.copyOf(states.values());
  }

  @Override
  public synchronized void roundCommitted(RoundCommittedRequest request, Duration within) {
    requireHere();
    if (lostTellings > 0) {
      lostTellings--;
      throw new SluiceException(ErrorCode.UNAVAILABLE, "injected: not heard");
    }
    if (!rounds.add(request.getRoundId())) {
      return;
    }
    LakeState state = state(request.getTableId());
    LakeOffsets before = LakeOffsets.of(state.getOffsetsList());
    if (!LakeOffsets.of(request.getStartList()).equals(before)) {
      rounds.remove(request.getRoundId());
      throw new SluiceException(
          ErrorCode.FENCED_ROUND, "Starts at " + request.getStartList() + ", recorded " + before);
    }
    recorded.add(request);
    states.put(
        request.getTableId(),
        state.toBuilder()
            .setSnapshotId(request.getSnapshotId())
            .setRoundId(request.getRoundId())
            .clearOffsets()
            .addAllOffsets(request.getEndList())
            .build());
  }

  @Override
  public synchronized void holdRegressed(long tableId, String reason) {
    requireHere();
    states.put(tableId, state(tableId).toBuilder().setHold("regressed").build());
  }

  private void requireHere() {
    if (away) {
      throw new SluiceException(ErrorCode.UNAVAILABLE, "injected: no coordinator");
    }
  }
}
