package io.sluice.coordinator.raft;

import io.sluice.common.TableBucket;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.raft.proto.AlterIsr;
import io.sluice.coordinator.raft.proto.BucketRef;
import io.sluice.coordinator.raft.proto.CancelReassign;
import io.sluice.coordinator.raft.proto.CommandRecord;
import io.sluice.coordinator.raft.proto.ElectPreferred;
import io.sluice.coordinator.raft.proto.ElectUnclean;
import io.sluice.coordinator.raft.proto.EndSession;
import io.sluice.coordinator.raft.proto.IsrChange;
import io.sluice.coordinator.raft.proto.IsrMember;
import io.sluice.coordinator.raft.proto.Leaving;
import io.sluice.coordinator.raft.proto.Move;
import io.sluice.coordinator.raft.proto.Reassign;
import io.sluice.coordinator.raft.proto.RegisterServer;
import io.sluice.coordinator.raft.proto.ReplicasOffline;
import io.sluice.coordinator.raft.proto.SetServerState;
import java.util.List;

/** Commands about tablet servers and replicas to and from their records. */
final class ReplicaCodec {
  private ReplicaCodec() {}

  static void write(Command.ForServer command, CommandRecord.Builder record) {
    if (command instanceof Command.RegisterServer c) {
      record.setRegisterServer(
          RegisterServer.newBuilder()
              .setRegistration(RecordCodec.toRecord(c.registration()))
              .setNowMs(c.nowMs())
              .setEmptyDisk(c.emptyDisk()));
    } else if (command instanceof Command.EndSession c) {
      record.setEndSession(
          EndSession.newBuilder().setServerId(c.serverId()).setIncarnation(c.incarnation()));
    } else if (command instanceof Command.Leaving c) {
      record.setLeaving(
          Leaving.newBuilder().setServerId(c.serverId()).setIncarnation(c.incarnation()));
    } else {
      Command.SetServerState c = (Command.SetServerState) command;
      record.setSetServerState(
          SetServerState.newBuilder()
              .setServerId(c.serverId())
              .setState(RecordCodec.serverState(c.state())));
    }
  }

  static void write(Command.ForReplicas command, CommandRecord.Builder record) {
    if (command instanceof Command.AlterIsr c) {
      record.setAlterIsr(
          AlterIsr.newBuilder()
              .setServerId(c.serverId())
              .addAllChanges(c.changes().stream().map(ReplicaCodec::toRecord).toList()));
    } else if (command instanceof Command.ReplicasOffline c) {
      record.setReplicasOffline(
          ReplicasOffline.newBuilder()
              .setServerId(c.serverId())
              .setIncarnation(c.incarnation())
              .addAllBuckets(toRecords(c.buckets())));
    } else if (command instanceof Command.Reassign c) {
      record.setReassign(
          Reassign.newBuilder()
              .addAllMoves(c.moves().stream().map(ReplicaCodec::toRecord).toList()));
    } else if (command instanceof Command.CancelReassign c) {
      record.setCancelReassign(CancelReassign.newBuilder().addAllBuckets(toRecords(c.buckets())));
    } else if (command instanceof Command.ElectPreferred c) {
      record.setElectPreferred(ElectPreferred.newBuilder().addAllBuckets(toRecords(c.buckets())));
    } else {
      Command.ElectUnclean c = (Command.ElectUnclean) command;
      record.setElectUnclean(
          ElectUnclean.newBuilder().setBucket(toRecord(c.bucket())).setServerId(c.serverId()));
    }
  }

  /** Of a record whose command is one of these. */
  static Command fromRecord(CommandRecord record) {
    return switch (record.getCommandCase()) {
      case REGISTER_SERVER -> {
        RegisterServer r = record.getRegisterServer();
        yield new Command.RegisterServer(
            RecordCodec.fromRecord(r.getRegistration()), r.getNowMs(), r.getEmptyDisk());
      }
      case END_SESSION -> {
        EndSession r = record.getEndSession();
        yield new Command.EndSession(r.getServerId(), r.getIncarnation());
      }
      case LEAVING -> {
        Leaving r = record.getLeaving();
        yield new Command.Leaving(r.getServerId(), r.getIncarnation());
      }
      case SET_SERVER_STATE -> {
        SetServerState r = record.getSetServerState();
        yield new Command.SetServerState(r.getServerId(), RecordCodec.serverState(r.getState()));
      }
      case ALTER_ISR -> {
        AlterIsr r = record.getAlterIsr();
        yield new Command.AlterIsr(
            r.getServerId(), r.getChangesList().stream().map(ReplicaCodec::fromRecord).toList());
      }
      case REPLICAS_OFFLINE -> {
        ReplicasOffline r = record.getReplicasOffline();
        yield new Command.ReplicasOffline(
            r.getServerId(), r.getIncarnation(), fromRecords(r.getBucketsList()));
      }
      case REASSIGN ->
          new Command.Reassign(
              record.getReassign().getMovesList().stream().map(ReplicaCodec::fromRecord).toList());
      case CANCEL_REASSIGN ->
          new Command.CancelReassign(fromRecords(record.getCancelReassign().getBucketsList()));
      case ELECT_PREFERRED ->
          new Command.ElectPreferred(fromRecords(record.getElectPreferred().getBucketsList()));
      case ELECT_UNCLEAN -> {
        ElectUnclean r = record.getElectUnclean();
        yield new Command.ElectUnclean(fromRecord(r.getBucket()), r.getServerId());
      }
      default -> throw new IllegalArgumentException("Not about replicas: " + record);
    };
  }

  private static IsrChange toRecord(Command.IsrChange change) {
    IsrChange.Builder record =
        IsrChange.newBuilder()
            .setBucket(toRecord(change.bucket()))
            .setLeaderEpoch(change.leaderEpoch())
            .setIsrVersion(change.isrVersion());
    for (Command.IsrMember member : change.isr()) {
      record.addIsr(
          IsrMember.newBuilder()
              .setServerId(member.serverId())
              .setIncarnation(member.incarnation()));
    }
    return record.build();
  }

  private static Command.IsrChange fromRecord(IsrChange record) {
    return new Command.IsrChange(
        fromRecord(record.getBucket()),
        record.getLeaderEpoch(),
        record.getIsrVersion(),
        record.getIsrList().stream()
            .map(member -> new Command.IsrMember(member.getServerId(), member.getIncarnation()))
            .toList());
  }

  private static Move toRecord(Command.Move move) {
    return Move.newBuilder().setBucket(toRecord(move.bucket())).addAllTarget(move.target()).build();
  }

  private static Command.Move fromRecord(Move record) {
    return new Command.Move(fromRecord(record.getBucket()), record.getTargetList());
  }

  private static List<BucketRef> toRecords(List<TableBucket> buckets) {
    return buckets.stream().map(ReplicaCodec::toRecord).toList();
  }

  private static List<TableBucket> fromRecords(List<BucketRef> records) {
    return records.stream().map(ReplicaCodec::fromRecord).toList();
  }

  private static BucketRef toRecord(TableBucket bucket) {
    return BucketRef.newBuilder()
        .setTableId(bucket.tableId())
        .setPartitionId(bucket.partitionId())
        .setBucket(bucket.bucket())
        .build();
  }

  private static TableBucket fromRecord(BucketRef record) {
    return new TableBucket(record.getTableId(), record.getPartitionId(), record.getBucket());
  }
}
