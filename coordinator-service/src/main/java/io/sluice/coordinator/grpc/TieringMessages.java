package io.sluice.coordinator.grpc;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.LakeHold;
import io.sluice.coordinator.metadata.LakeOffset;
import io.sluice.coordinator.metadata.LakeTable;
import io.sluice.coordinator.tiering.LakeRecords;
import io.sluice.coordinator.tiering.TieringState;
import io.sluice.protocol.tiering.v1.BucketOffset;
import io.sluice.protocol.tiering.v1.LakeState;
import io.sluice.protocol.tiering.v1.ListLakeStatesResponse;
import io.sluice.protocol.tiering.v1.RoundCommittedRequest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Lake records to and from their messages. */
final class TieringMessages {
  private TieringMessages() {}

  static Command.RoundCommitted round(RoundCommittedRequest request) {
    return new Command.RoundCommitted(
        request.getTableId(),
        request.getEpoch(),
        request.getRoundId(),
        request.getSnapshotId(),
        offsets("start", request.getStartList()),
        offsets("end", request.getEndList()),
        new LakeTable.LastRound(
            request.getRows(), request.getBytes(), request.getFiles(), request.getCommittedMs()));
  }

  private static List<LakeOffset> offsets(String field, List<BucketOffset> messages) {
    List<LakeOffset> offsets = new ArrayList<>(messages.size());
    Set<String> seen = new HashSet<>();
    for (BucketOffset message : messages) {
      LakeOffset offset =
          new LakeOffset(message.getPartitionId(), message.getBucket(), message.getOffset());
      if (offset.partitionId() < 0 || offset.bucket() < 0 || offset.offset() < 0) {
        throw invalid(field + " has a negative part: " + offset);
      }
      if (!seen.add(offset.partitionId() + "-" + offset.bucket())) {
        throw invalid(field + " names a bucket twice: " + offset);
      }
      offsets.add(offset);
    }
    return offsets;
  }

  static LakeHold hold(String text) {
    try {
      return LakeHold.of(text);
    } catch (IllegalArgumentException unknown) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "'" + text + "' is no hold; it must be empty, paused, quarantined or regressed",
          unknown);
    }
  }

  static LakeState state(LakeRecords.Recorded recorded) {
    LakeTable lake = recorded.lake();
    TieringState state = recorded.state();
    LakeState.Builder message =
        LakeState.newBuilder()
            .setTableId(lake.tableId())
            .setEpoch(lake.epoch())
            .setSnapshotId(lake.snapshotId())
            .setRoundId(lake.roundId())
            .setState((state == null ? TieringState.NEW : state).name())
            .setHold(lake.hold().text())
            .setDatabase(recorded.table().path().database())
            .setTable(recorded.table().path().table())
            .setCommittedMs(lake.last().committedMs());
    for (LakeOffset offset : lake.offsets()) {
      message.addOffsets(
          BucketOffset.newBuilder()
              .setPartitionId(offset.partitionId())
              .setBucket(offset.bucket())
              .setOffset(offset.offset()));
    }
    return message.build();
  }

  static ListLakeStatesResponse states(List<LakeRecords.Recorded> all) {
    ListLakeStatesResponse.Builder message = ListLakeStatesResponse.newBuilder();
    all.forEach(recorded -> message.addStates(state(recorded)));
    return message.build();
  }

  private static SluiceException invalid(String message) {
    return new SluiceException(ErrorCode.INVALID_ARGUMENT, message);
  }
}
