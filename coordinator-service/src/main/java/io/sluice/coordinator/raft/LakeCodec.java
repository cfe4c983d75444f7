package io.sluice.coordinator.raft;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.LakeHold;
import io.sluice.coordinator.metadata.LakeOffset;
import io.sluice.coordinator.metadata.LakeTable;
import io.sluice.coordinator.raft.proto.CommandRecord;
import io.sluice.coordinator.raft.proto.LakeFailures;
import io.sluice.coordinator.raft.proto.LakeRound;
import io.sluice.coordinator.raft.proto.LakeTableRecord;
import io.sluice.coordinator.raft.proto.RaiseTieringEpoch;
import io.sluice.coordinator.raft.proto.RoundCommitted;
import io.sluice.coordinator.raft.proto.RoundEmpty;
import io.sluice.coordinator.raft.proto.RoundFailed;
import io.sluice.coordinator.raft.proto.SetLakeHold;
import java.util.ArrayList;
import java.util.List;

/** What is kept about the lake, and the commands about it, to and from their records. */
final class LakeCodec {
  private LakeCodec() {}

  static void write(Command.ForLake command, CommandRecord.Builder record) {
    if (command instanceof Command.RaiseTieringEpoch c) {
      record.setRaiseTieringEpoch(
          RaiseTieringEpoch.newBuilder().setTableId(c.tableId()).setEpoch(c.epoch()));
    } else if (command instanceof Command.RoundCommitted c) {
      record.setRoundCommitted(
          RoundCommitted.newBuilder()
              .setTableId(c.tableId())
              .setEpoch(c.epoch())
              .setRoundId(c.roundId())
              .setSnapshotId(c.snapshotId())
              .addAllStart(toRecords(c.start()))
              .addAllEnd(toRecords(c.end()))
              .setSize(toRecord(c.size())));
    } else if (command instanceof Command.RoundEmpty c) {
      record.setRoundEmpty(
          RoundEmpty.newBuilder().setTableId(c.tableId()).setEpoch(c.epoch()).setNowMs(c.nowMs()));
    } else if (command instanceof Command.RoundFailed c) {
      record.setRoundFailed(
          RoundFailed.newBuilder()
              .setTableId(c.tableId())
              .setEpoch(c.epoch())
              .setWorker(c.worker())
              .setCause(c.cause())
              .setNowMs(c.nowMs()));
    } else if (command instanceof Command.SetLakeHold c) {
      record.setSetLakeHold(
          SetLakeHold.newBuilder()
              .setTableId(c.tableId())
              .setHold(c.hold().text())
              .setReason(c.reason()));
    } else {
      throw new IllegalArgumentException("Unknown command " + command);
    }
  }

  static Command fromRecord(RaiseTieringEpoch record) {
    return new Command.RaiseTieringEpoch(record.getTableId(), record.getEpoch());
  }

  static Command fromRecord(RoundCommitted record) {
    return new Command.RoundCommitted(
        record.getTableId(),
        record.getEpoch(),
        record.getRoundId(),
        record.getSnapshotId(),
        fromRecords(record.getStartList()),
        fromRecords(record.getEndList()),
        fromRecord(record.getSize()));
  }

  static Command fromRecord(RoundEmpty record) {
    return new Command.RoundEmpty(record.getTableId(), record.getEpoch(), record.getNowMs());
  }

  static Command fromRecord(RoundFailed record) {
    return new Command.RoundFailed(
        record.getTableId(),
        record.getEpoch(),
        record.getWorker(),
        record.getCause(),
        record.getNowMs());
  }

  static Command fromRecord(SetLakeHold record) {
    return new Command.SetLakeHold(record.getTableId(), hold(record.getHold()), record.getReason());
  }

  static LakeTableRecord toRecord(LakeTable lake) {
    return LakeTableRecord.newBuilder()
        .setTableId(lake.tableId())
        .setEpoch(lake.epoch())
        .setEndedEpoch(lake.endedEpoch())
        .addAllRounds(lake.rounds())
        .setSnapshotId(lake.snapshotId())
        .addAllOffsets(toRecords(lake.offsets()))
        .setTieredMs(lake.tieredMs())
        .setLast(toRecord(lake.last()))
        .setFailures(toRecord(lake.failures()))
        .setHold(lake.hold().text())
        .setHoldReason(lake.holdReason())
        .build();
  }

  static LakeTable fromRecord(LakeTableRecord record) {
    return new LakeTable(
        record.getTableId(),
        record.getEpoch(),
        record.getEndedEpoch(),
        record.getRoundsList(),
        record.getSnapshotId(),
        fromRecords(record.getOffsetsList()),
        record.getTieredMs(),
        fromRecord(record.getLast()),
        fromRecord(record.getFailures()),
        hold(record.getHold()),
        record.getHoldReason());
  }

  private static LakeRound toRecord(LakeTable.LastRound last) {
    return LakeRound.newBuilder()
        .setRows(last.rows())
        .setBytes(last.bytes())
        .setFiles(last.files())
        .setCommittedMs(last.committedMs())
        .build();
  }

  private static LakeTable.LastRound fromRecord(LakeRound record) {
    return new LakeTable.LastRound(
        record.getRows(), record.getBytes(), record.getFiles(), record.getCommittedMs());
  }

  private static LakeFailures toRecord(LakeTable.Failures failures) {
    return LakeFailures.newBuilder()
        .setInRow(failures.inRow())
        .setTotal(failures.total())
        .addAllWorkers(failures.workers())
        .setCause(failures.cause())
        .setWorker(failures.worker())
        .setAtMs(failures.atMs())
        .build();
  }

  private static LakeTable.Failures fromRecord(LakeFailures record) {
    return new LakeTable.Failures(
        record.getInRow(),
        record.getTotal(),
        record.getWorkersList(),
        record.getCause(),
        record.getWorker(),
        record.getAtMs());
  }

  private static List<io.sluice.coordinator.raft.proto.LakeOffset> toRecords(
      List<LakeOffset> offsets) {
    List<io.sluice.coordinator.raft.proto.LakeOffset> records = new ArrayList<>(offsets.size());
    for (LakeOffset offset : offsets) {
      records.add(
          io.sluice.coordinator.raft.proto.LakeOffset.newBuilder()
              .setPartitionId(offset.partitionId())
              .setBucket(offset.bucket())
              .setOffset(offset.offset())
              .build());
    }
    return records;
  }

  private static List<LakeOffset> fromRecords(
      List<io.sluice.coordinator.raft.proto.LakeOffset> records) {
    List<LakeOffset> offsets = new ArrayList<>(records.size());
    for (io.sluice.coordinator.raft.proto.LakeOffset record : records) {
      offsets.add(new LakeOffset(record.getPartitionId(), record.getBucket(), record.getOffset()));
    }
    return offsets;
  }

  private static LakeHold hold(String text) {
    try {
      return LakeHold.of(text);
    } catch (IllegalArgumentException unknown) {
      throw new SluiceException(
          ErrorCode.CORRUPT_STORAGE,
          "A hold '"
              + text
              + "' is of a kind this build does not know; a newer coordinator wrote it",
          unknown);
    }
  }
}
