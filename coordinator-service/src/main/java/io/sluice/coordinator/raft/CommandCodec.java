package io.sluice.coordinator.raft;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.MetadataLog;
import io.sluice.coordinator.metadata.Outcome;
import io.sluice.coordinator.raft.proto.Accepted;
import io.sluice.coordinator.raft.proto.Bootstrap;
import io.sluice.coordinator.raft.proto.CommandRecord;
import io.sluice.coordinator.raft.proto.CreateDatabase;
import io.sluice.coordinator.raft.proto.Decision;
import io.sluice.coordinator.raft.proto.DropDatabase;
import io.sluice.coordinator.raft.proto.DropTable;
import io.sluice.coordinator.raft.proto.InitWriter;
import io.sluice.coordinator.raft.proto.OutcomeRecord;
import io.sluice.coordinator.raft.proto.Rejected;

/** Commands and outcomes to and from bytes. */
final class CommandCodec {
  private CommandCodec() {}

  static byte[] encode(Command command) {
    return toRecord(command).toByteArray();
  }

  private static CommandRecord toRecord(Command command) {
    CommandRecord.Builder record = CommandRecord.newBuilder();
    if (command instanceof Command.Bootstrap c) {
      record.setBootstrap(Bootstrap.newBuilder().setClusterId(c.clusterId()));
    } else if (command instanceof Command.CreateDatabase c) {
      record.setCreateDatabase(
          CreateDatabase.newBuilder()
              .setName(c.name())
              .setComment(c.comment())
              .setNowMs(c.nowMs()));
    } else if (command instanceof Command.DropDatabase c) {
      record.setDropDatabase(DropDatabase.newBuilder().setName(c.name()).setCascade(c.cascade()));
    } else if (command instanceof Command.CreateTable c) {
      record.setCreateTable(TableCodec.toRecord(c));
    } else if (command instanceof Command.DropTable c) {
      record.setDropTable(
          DropTable.newBuilder().setDatabase(c.path().database()).setTable(c.path().table()));
    } else if (command instanceof Command.ForServer c) {
      ReplicaCodec.write(c, record);
    } else if (command instanceof Command.ForReplicas c) {
      ReplicaCodec.write(c, record);
    } else if (command instanceof Command.InitWriter c) {
      record.setInitWriter(InitWriter.newBuilder().setName(c.name()));
    } else if (command instanceof Command.ForTable c) {
      TableCodec.write(c, record);
    } else if (command instanceof Command.ForLake c) {
      LakeCodec.write(c, record);
    } else {
      throw new IllegalArgumentException("Unknown command " + command);
    }
    return record.build();
  }

  /** CORRUPT_STORAGE when the bytes are no command that this build knows. */
  static Command decode(byte[] bytes) {
    try {
      return fromRecord(CommandRecord.parseFrom(bytes));
    } catch (InvalidProtocolBufferException e) {
      throw new SluiceException(
          ErrorCode.CORRUPT_STORAGE,
          "A metadata command of " + bytes.length + " bytes cannot be read: " + e.getMessage(),
          e);
    }
  }

  private static Command fromRecord(CommandRecord record) {
    return switch (record.getCommandCase()) {
      case BOOTSTRAP -> new Command.Bootstrap(record.getBootstrap().getClusterId());
      case CREATE_DATABASE -> {
        CreateDatabase r = record.getCreateDatabase();
        yield new Command.CreateDatabase(r.getName(), r.getComment(), r.getNowMs());
      }
      case DROP_DATABASE -> {
        DropDatabase r = record.getDropDatabase();
        yield new Command.DropDatabase(r.getName(), r.getCascade());
      }
      case CREATE_TABLE -> TableCodec.fromRecord(record.getCreateTable());
      case DROP_TABLE -> {
        DropTable r = record.getDropTable();
        yield new Command.DropTable(new TablePath(r.getDatabase(), r.getTable()));
      }
      case REGISTER_SERVER,
          END_SESSION,
          LEAVING,
          SET_SERVER_STATE,
          ALTER_ISR,
          REPLICAS_OFFLINE,
          REASSIGN,
          CANCEL_REASSIGN,
          ELECT_PREFERRED,
          ELECT_UNCLEAN ->
          ReplicaCodec.fromRecord(record);
      case INIT_WRITER -> new Command.InitWriter(record.getInitWriter().getName());
      case RAISE_TIERING_EPOCH -> LakeCodec.fromRecord(record.getRaiseTieringEpoch());
      case ROUND_COMMITTED -> LakeCodec.fromRecord(record.getRoundCommitted());
      case ROUND_EMPTY -> LakeCodec.fromRecord(record.getRoundEmpty());
      case ROUND_FAILED -> LakeCodec.fromRecord(record.getRoundFailed());
      case SET_LAKE_HOLD -> LakeCodec.fromRecord(record.getSetLakeHold());
      case ALTER_TABLE -> TableCodec.fromRecord(record.getAlterTable());
      case CREATE_PARTITION -> TableCodec.fromRecord(record.getCreatePartition());
      case DROP_PARTITION -> TableCodec.fromRecord(record.getDropPartition());
      case GRANT_IDS -> TableCodec.fromRecord(record.getGrantIds());
      case COMMAND_NOT_SET ->
          throw new SluiceException(
              ErrorCode.CORRUPT_STORAGE,
              "A metadata command is of a kind this build does not know; a newer coordinator wrote"
                  + " it");
    };
  }

  static byte[] encode(long index, Outcome outcome) {
    OutcomeRecord.Builder record = OutcomeRecord.newBuilder().setIndex(index);
    if (outcome instanceof Outcome.Rejected rejected) {
      record.setRejected(
          Rejected.newBuilder().setCode(rejected.code().name()).setMessage(rejected.message()));
    } else {
      Outcome.Accepted accepted = outcome.orThrow();
      record.setAccepted(
          Accepted.newBuilder()
              .setId(accepted.id())
              .setEpoch(accepted.epoch())
              .setCount(accepted.count())
              .addAllDecisions(accepted.decisions().stream().map(CommandCodec::toRecord).toList()));
    }
    return record.build().toByteArray();
  }

  static MetadataLog.Applied decodeOutcome(byte[] bytes) throws InvalidProtocolBufferException {
    OutcomeRecord record = OutcomeRecord.parseFrom(bytes);
    Outcome outcome =
        record.hasRejected()
            ? new Outcome.Rejected(
                ErrorCode.valueOf(record.getRejected().getCode()),
                record.getRejected().getMessage())
            : new Outcome.Accepted(
                record.getAccepted().getId(),
                record.getAccepted().getEpoch(),
                record.getAccepted().getCount(),
                record.getAccepted().getDecisionsList().stream()
                    .map(CommandCodec::fromRecord)
                    .toList());
    return new MetadataLog.Applied(record.getIndex(), outcome);
  }

  private static Decision toRecord(Outcome.Decision decision) {
    return decision.refusal() == null
        ? Decision.getDefaultInstance()
        : Decision.newBuilder()
            .setCode(decision.refusal().name())
            .setMessage(decision.message())
            .build();
  }

  private static Outcome.Decision fromRecord(Decision record) {
    return record.getCode().isEmpty()
        ? Outcome.Decision.DONE
        : new Outcome.Decision(ErrorCode.valueOf(record.getCode()), record.getMessage());
  }
}
