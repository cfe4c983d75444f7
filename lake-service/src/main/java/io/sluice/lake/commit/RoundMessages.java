package io.sluice.lake.commit;

import io.sluice.protocol.lake.v1.CommitOutcome;
import io.sluice.protocol.lake.v1.CommitRoundRequest;
import io.sluice.protocol.lake.v1.CommitRoundResponse;
import io.sluice.protocol.lake.v1.PrepareRoundRequest;
import io.sluice.protocol.lake.v1.PrepareRoundResponse;
import io.sluice.protocol.lake.v1.ResolveRoundRequest;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.Snapshot;

/** {@link Rounds} in the words of {@code sluice.lake.v1}. */
public final class RoundMessages {
  private static final long NONE = -1;

  private final Rounds rounds;

  public RoundMessages(Rounds rounds) {
    this.rounds = rounds;
  }

  /** See {@link Rounds#prepare}. */
  public PrepareRoundResponse prepare(PrepareRoundRequest request) {
    Rounds.Prepared prepared =
        rounds.prepare(request.getTableId(), request.getEpoch(), request.getRoundId());
    var metadata = prepared.loaded().metadata();
    Snapshot current = metadata.currentSnapshot();
    return PrepareRoundResponse.newBuilder()
        .setFence(prepared.lineage().fence())
        .setBaseSnapshotId(current == null ? NONE : current.snapshotId())
        .addAllOffsets(prepared.lineage().recorded().toProto())
        .setDataLocation(prepared.dataLocation())
        .setIcebergSchema(SchemaParser.toJson(metadata.schema()))
        .setIcebergSpec(PartitionSpecParser.toJson(metadata.spec()))
        .setFormatVersion(metadata.formatVersion())
        .setTable(prepared.table())
        .build();
  }

  /** See {@link Rounds#commit}. */
  public CommitRoundResponse commit(CommitRoundRequest request) {
    return response(rounds.commit(request));
  }

  /** See {@link Rounds#resolve}. */
  public CommitRoundResponse resolve(ResolveRoundRequest request) {
    return response(rounds.resolve(request.getTableId(), request.getEpoch(), request.getRoundId()));
  }

  private static CommitRoundResponse response(RoundOutcome outcome) {
    CommitRoundResponse.Builder response = CommitRoundResponse.newBuilder().setSnapshotId(NONE);
    if (outcome instanceof RoundOutcome.Committed committed) {
      response.setOutcome(CommitOutcome.COMMITTED).setSnapshotId(committed.snapshotId());
    } else if (outcome instanceof RoundOutcome.Refused refused) {
      response
          .setOutcome(CommitOutcome.REFUSED)
          .setCode(refused.code().name())
          .setMessage(refused.message());
    } else if (outcome instanceof RoundOutcome.Unknown unknown) {
      response.setOutcome(CommitOutcome.UNKNOWN).setCode("TIMEOUT").setMessage(unknown.message());
    }
    return response.build();
  }
}
