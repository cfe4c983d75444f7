package io.sluice.coordinator.metadata;

import io.sluice.common.ErrorCode;
import io.sluice.common.TableBucket;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The part of the state machine that is about the lake. It keeps the chain: a round is recorded
 * only where the one before it ended, whatever its epoch, because the lake is the truth about
 * offsets; the epoch decides only whose round counts for the state of the table.
 */
final class LakeTransitions {
  private LakeTransitions() {}

  static Transition apply(ClusterState state, Command.ForLake command) {
    LakeTable lake = state.lakes().get(command.tableId());
    Table table = state.table(command.tableId());
    if (lake == null || table == null) {
      return Transition.rejected(
          state,
          ErrorCode.TABLE_NOT_FOUND,
          table == null
              ? "There is no table with id " + command.tableId() + "; it may have been dropped"
              : "Table " + table.path() + " is not copied to the lake");
    }
    if (command instanceof Command.RaiseTieringEpoch raise) {
      return raise(state, table, lake, raise);
    }
    if (command instanceof Command.RoundCommitted committed) {
      return committed(state, table, lake, committed);
    }
    if (command instanceof Command.RoundEmpty empty) {
      return empty.epoch() == lake.epoch() && lake.mayRun()
          ? changed(state, lake.withSuccess(empty.nowMs()))
          : Transition.accepted(state);
    }
    if (command instanceof Command.RoundFailed failed) {
      return failed.epoch() == lake.epoch() && lake.mayRun()
          ? changed(
              state,
              lake.withFailure(
                  lake.failures().plus(failed.worker(), failed.cause(), failed.nowMs())))
          : Transition.accepted(state);
    }
    return hold(state, lake, (Command.SetLakeHold) command);
  }

  private static Transition raise(
      ClusterState state, Table table, LakeTable lake, Command.RaiseTieringEpoch command) {
    if (command.epoch() == lake.epoch()) {
      return Transition.accepted(state);
    }
    if (command.epoch() != lake.epoch() + 1) {
      return Transition.rejected(
          state,
          ErrorCode.FENCED_ROUND,
          "Table "
              + table.path()
              + " cannot be raised to tiering epoch "
              + command.epoch()
              + ": it is in epoch "
              + lake.epoch());
    }
    return changed(state, lake.withEpoch(command.epoch()));
  }

  private static Transition hold(ClusterState state, LakeTable lake, Command.SetLakeHold command) {
    boolean weaker = command.hold() != LakeHold.NONE && command.hold().compareTo(lake.hold()) < 0;
    boolean same = command.hold() == lake.hold() && command.reason().equals(lake.holdReason());
    return weaker || same
        ? Transition.accepted(state)
        : changed(state, lake.withHold(command.hold(), command.reason()));
  }

  private static Transition committed(
      ClusterState state, Table table, LakeTable lake, Command.RoundCommitted command) {
    if (lake.rounds().contains(command.roundId())) {
      return Transition.accepted(state);
    }
    Transition refused = check(state, table, lake, command);
    if (refused != null) {
      return refused;
    }
    LakeTable next =
        lake.withRound(
            command.roundId(),
            command.snapshotId(),
            moved(lake.offsets(), command.end()),
            command.size());
    if (command.epoch() == lake.epoch()) {
      next = next.withSuccess(command.size().committedMs());
    }
    return Transition.accepted(state.withLake(next), table.tableId(), 0, List.of());
  }

  private static @Nullable Transition check(
      ClusterState state, Table table, LakeTable lake, Command.RoundCommitted command) {
    if (command.epoch() > lake.epoch()) {
      return fenced(
          state,
          table,
          command,
          "its epoch " + command.epoch() + " was never given; the newest is " + lake.epoch());
    }
    Map<LakeOffset, Long> starts = byBucket(command.start());
    Map<LakeOffset, Long> recordedEnds = byBucket(lake.offsets());
    List<LakeOffset> named = new ArrayList<>(command.start());
    named.addAll(command.end());
    for (LakeOffset bucket : named) {
      if (state.bucket(bucketId(table, bucket)) == null) {
        return Transition.rejected(
            state,
            ErrorCode.BUCKET_NOT_FOUND,
            "Round "
                + command.roundId()
                + " names bucket "
                + describe(bucket)
                + ", which table "
                + table.path()
                + " does not have");
      }
      long start = starts.getOrDefault(bucket, 0L);
      long recorded = recordedEnds.getOrDefault(bucket, 0L);
      if (start != recorded) {
        return fenced(
            state,
            table,
            command,
            "bucket "
                + describe(bucket)
                + " starts at "
                + start
                + ", recorded is "
                + recorded
                + (lake.rounds().isEmpty() ? "" : " after round " + lake.roundId()));
      }
    }
    for (LakeOffset end : command.end()) {
      long start = starts.getOrDefault(end, 0L);
      if (end.offset() < start) {
        return Transition.rejected(
            state,
            ErrorCode.INVALID_ARGUMENT,
            "Round "
                + command.roundId()
                + " ends before it starts: bucket "
                + describe(end)
                + " of "
                + table.path()
                + " from "
                + start
                + " to "
                + end.offset());
      }
    }
    return null;
  }

  private static Map<LakeOffset, Long> byBucket(List<LakeOffset> offsets) {
    Map<LakeOffset, Long> found = new TreeMap<>();
    for (LakeOffset offset : offsets) {
      found.put(offset, offset.offset());
    }
    return found;
  }

  /** The recorded offsets with those of the round in their place; both in order. */
  private static List<LakeOffset> moved(List<LakeOffset> recorded, List<LakeOffset> ends) {
    Map<LakeOffset, LakeOffset> all = new TreeMap<>();
    for (LakeOffset offset : recorded) {
      all.put(offset, offset);
    }
    for (LakeOffset end : ends) {
      all.remove(end);
      all.put(end, end);
    }
    // A bucket at 0 is the same as one that is missing: keep one form.
    for (Iterator<LakeOffset> left = all.values().iterator(); left.hasNext(); ) {
      if (left.next().offset() == 0) {
        left.remove();
      }
    }
    return List.copyOf(all.values());
  }

  private static TableBucket bucketId(Table table, LakeOffset offset) {
    return new TableBucket(table.tableId(), offset.partitionId(), offset.bucket());
  }

  private static String describe(LakeOffset bucket) {
    return bucket.partitionId() == 0
        ? String.valueOf(bucket.bucket())
        : bucket.bucket() + " of partition " + bucket.partitionId();
  }

  private static Transition fenced(
      ClusterState state, Table table, Command.RoundCommitted command, String why) {
    return Transition.rejected(
        state,
        ErrorCode.FENCED_ROUND,
        "Round " + command.roundId() + " of table " + table.path() + " is refused: " + why);
  }

  private static Transition changed(ClusterState state, LakeTable lake) {
    return Transition.accepted(state.withLake(lake));
  }
}
