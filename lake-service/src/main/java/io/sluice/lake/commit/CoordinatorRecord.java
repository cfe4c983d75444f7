package io.sluice.lake.commit;

import io.sluice.protocol.metadata.v1.GetTableRequest;
import io.sluice.protocol.metadata.v1.MetadataServiceGrpc;
import io.sluice.protocol.metadata.v1.TableInfo;
import io.sluice.protocol.tiering.v1.GetLakeStateRequest;
import io.sluice.protocol.tiering.v1.LakeState;
import io.sluice.protocol.tiering.v1.ListLakeStatesRequest;
import io.sluice.protocol.tiering.v1.RoundCommittedRequest;
import io.sluice.protocol.tiering.v1.SetHoldRequest;
import io.sluice.protocol.tiering.v1.TieringServiceGrpc;
import io.sluice.servicekit.CoordinatorLink;
import java.time.Duration;
import java.util.List;

/** {@link LakeRecord} over the leader among the coordinators. Every request may be repeated. */
public final class CoordinatorRecord implements LakeRecord {
  private static final String REGRESSED = "regressed";

  private final CoordinatorLink link;

  public CoordinatorRecord(CoordinatorLink link) {
    this.link = link;
  }

  @Override
  public TableInfo table(long tableId) {
    return table(GetTableRequest.newBuilder().setTableId(tableId).build());
  }

  @Override
  public TableInfo table(String database, String table) {
    return table(GetTableRequest.newBuilder().setDatabase(database).setTable(table).build());
  }

  private TableInfo table(GetTableRequest request) {
    return link.read(channel -> MetadataServiceGrpc.newBlockingStub(channel).getTable(request));
  }

  @Override
  public LakeState state(long tableId) {
    GetLakeStateRequest request = GetLakeStateRequest.newBuilder().setTableId(tableId).build();
    return link.read(channel -> TieringServiceGrpc.newBlockingStub(channel).getLakeState(request));
  }

  @Override
  public List<LakeState> states() {
    ListLakeStatesRequest request = ListLakeStatesRequest.getDefaultInstance();
    return link.read(channel -> TieringServiceGrpc.newBlockingStub(channel).listLakeStates(request))
        .getStatesList();
  }

  @Override
  public void roundCommitted(RoundCommittedRequest request, Duration within) {
    // Recorded now or before: both are what was asked for.
    link.read(
        within, channel -> TieringServiceGrpc.newBlockingStub(channel).roundCommitted(request));
  }

  @Override
  public void holdRegressed(long tableId, String reason) {
    SetHoldRequest request =
        SetHoldRequest.newBuilder()
            .setTableId(tableId)
            .setHold(REGRESSED)
            .setReason(reason)
            .build();
    link.read(channel -> TieringServiceGrpc.newBlockingStub(channel).setHold(request));
  }
}
