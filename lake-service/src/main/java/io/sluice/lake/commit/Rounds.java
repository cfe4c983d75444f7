package io.sluice.lake.commit;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.lake.catalog.LakeCatalog;
import io.sluice.lake.commit.LakeOffsets.Bucket;
import io.sluice.protocol.lake.v1.CommitRoundRequest;
import io.sluice.protocol.metadata.v1.TableInfo;
import io.sluice.protocol.tiering.v1.LakeState;
import io.sluice.protocol.tiering.v1.RoundCommittedRequest;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.exceptions.RuntimeIOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prepares, commits and resolves rounds. All of it for one table happens in the table's lane, so a
 * call sees what the one before it left, and the coordinator is asked inside of it: an epoch that
 * is current there cannot have committed another round meanwhile.
 *
 * <pre>
 * commit:  found in the history ........................... Committed
 *          another round unresolved: found, or fenced out
 *          epoch, fence, start or files wrong ............. Refused
 *          swapped ........................................ Committed, then recorded
 *          the catalog said no ............................ Refused
 *          no answer ...................................... Unknown; the table is reserved
 * resolve: found in the history ........................... Committed
 *          fenced out by an empty snapshot ................ Refused
 *          still no answer ................................ Unknown
 * </pre>
 */
public final class Rounds {
  private static final Logger LOG = LoggerFactory.getLogger(Rounds.class);
  private static final Pattern ROUND_ID = Pattern.compile("(\\d+)-(\\d+)-[0-9a-f]{8}");

  private final LakeCatalog catalog;
  private final LakeTables tables;
  private final LakeRecord record;
  private final Recorder recorder;
  private final Lanes lanes;

  /**
   * What a worker needs to begin a round.
   *
   * @param table the table as the coordinator describes it
   * @param loaded its lake table
   * @param lineage where it is
   * @param dataLocation where the round's files go
   */
  record Prepared(
      TableInfo table, LakeTables.Loaded loaded, Lineage lineage, String dataLocation) {}

  Rounds(
      LakeCatalog catalog, LakeTables tables, LakeRecord record, Recorder recorder, Lanes lanes) {
    this.catalog = catalog;
    this.tables = tables;
    this.record = record;
    this.recorder = recorder;
    this.lanes = lanes;
  }

  /**
   * Makes the lake table when it is missing and says where the round starts. FENCED_ROUND for an
   * epoch that is over, LAKE_REGRESSED for a table that was rolled back, LAKE_TABLE_EXISTS when its
   * name is taken in the lake.
   */
  Prepared prepare(long tableId, long epoch, String roundId) {
    checkRoundId(tableId, epoch, roundId);
    return lanes.in(
        tableId,
        lane -> {
          LakeState state = record.state(tableId);
          TableInfo table = record.table(tableId);
          checkEpoch(state, lane, epoch, roundId);
          checkHold(state, table);
          LakeTables.Loaded existing = tables.own(table);
          if (existing == null && !state.getOffsetsList().isEmpty()) {
            recorder.compare(null, state);
          }
          LakeTables.Loaded loaded = existing == null ? tables.openOrCreate(table) : existing;
          settle(lane, tableId, loaded, roundId);
          recorder.compare(loaded, state);
          loaded = tables.openOrCreate(table);
          Lineage lineage = loaded.lineage();
          if (lineage.epoch() > epoch) {
            throw fenced(
                roundId, "has epoch " + epoch + ", the lake is at epoch " + lineage.epoch());
          }
          lane.prepared(epoch);
          return new Prepared(table, loaded, lineage, roundLocation(loaded, roundId));
        });
  }

  /**
   * Commits a round, once however often it is called. UNAVAILABLE or TIMEOUT when the coordinator
   * cannot be asked: nothing was committed then.
   */
  RoundOutcome commit(CommitRoundRequest request) {
    long tableId = request.getTableId();
    String roundId = request.getRoundId();
    checkRoundId(tableId, request.getEpoch(), roundId);
    return lanes.in(
        tableId,
        lane -> {
          try {
            return commitIn(lane, request);
          } catch (RoundRefusedException refused) {
            return refused.outcome();
          } catch (SluiceException failure) {
            if (failure.code().retriable()) {
              throw failure;
            }
            return new RoundOutcome.Refused(failure.code(), String.valueOf(failure.getMessage()));
          } catch (RuntimeIOException unreadable) {
            // Before the commit: what was handed over, or the lake, could not be read.
            return new RoundOutcome.Refused(
                ErrorCode.STORAGE_ERROR,
                "Round " + roundId + " was not committed: " + RoundCommitter.words(unreadable));
          }
        });
  }

  private RoundOutcome commitIn(Lanes.Lane lane, CommitRoundRequest request) {
    long tableId = request.getTableId();
    String roundId = request.getRoundId();
    LakeState state;
    TableInfo table;
    try {
      state = record.state(tableId);
      table = record.table(tableId);
    } catch (SluiceException e) {
      if (e.code() != ErrorCode.TABLE_NOT_FOUND) {
        throw e;
      }
      return resolveDropped(lane, tableId, roundId, e);
    }
    LakeTables.Loaded loaded = tables.own(table);
    if (loaded == null) {
      throw new RoundRefusedException(
          ErrorCode.TABLE_CHANGED,
          "Table " + LakeTables.name(table) + " has no lake table of id " + tableId);
    }
    Snapshot present = Lineage.findRound(loaded.metadata(), tableId, roundId);
    if (present != null) {
      lane.resolved();
      recorder.tell(loaded, present);
      return new RoundOutcome.Committed(present.snapshotId());
    }
    settle(lane, tableId, loaded, roundId);
    checkEpoch(state, lane, request.getEpoch(), roundId);
    checkHold(state, table);
    Round round = check(request, table, loaded);
    return swap(lane, loaded, round);
  }

  private Round check(CommitRoundRequest request, TableInfo table, LakeTables.Loaded loaded) {
    Lineage lineage = loaded.lineage();
    LakeOffsets start = LakeOffsets.of(request.getStartList());
    LakeOffsets end = LakeOffsets.of(request.getEndList());
    Map<Bucket, Long> moved = new TreeMap<>(start.asMap());
    moved.putAll(end.asMap());
    moved.forEach(
        (bucket, ignored) -> {
          long recorded = lineage.recorded().offset(bucket);
          if (start.offset(bucket) != recorded) {
            throw new RoundRefusedException(
                ErrorCode.FENCED_ROUND,
                "Round "
                    + request.getRoundId()
                    + " starts bucket "
                    + bucket
                    + " at "
                    + start.offset(bucket)
                    + ", the lake is at "
                    + recorded);
          }
          if (end.asMap().containsKey(bucket) && end.offset(bucket) < recorded) {
            throw new RoundRefusedException(
                ErrorCode.INVALID_ARGUMENT,
                "Round "
                    + request.getRoundId()
                    + " ends bucket "
                    + bucket
                    + " at "
                    + end.offset(bucket)
                    + ", before its start "
                    + recorded);
          }
        });
    HandedFiles handed =
        new HandedFiles(
            catalog.locations(),
            roundLocation(loaded, request.getRoundId()),
            loaded.metadata().spec(),
            table.getBucketCount());
    return new Round(
        request.getTableId(),
        request.getEpoch(),
        request.getFence(),
        request.getRoundId(),
        lineage.recorded(),
        lineage.recorded().advancedTo(end),
        handed.check(request, start, end));
  }

  private RoundOutcome swap(Lanes.Lane lane, LakeTables.Loaded loaded, Round round) {
    lane.reserve(round.roundId());
    RoundOutcome outcome =
        RoundCommitter.commit(loaded.operations(), loaded.identifier().toString(), round);
    if (outcome instanceof RoundOutcome.Unknown unknown) {
      LOG.warn(
          "Table {} takes no round until this is settled: {}",
          loaded.identifier(),
          unknown.message());
      return outcome;
    }
    lane.resolved();
    if (outcome instanceof RoundOutcome.Committed committed) {
      LOG.info(
          "Round {} committed to {} as snapshot {}, {} files, now at {}",
          round.roundId(),
          loaded.identifier(),
          committed.snapshotId(),
          round.files().size(),
          round.end());
      Snapshot snapshot = loaded.metadata().snapshot(committed.snapshotId());
      RoundCommittedRequest message =
          Comparison.request(round.tableId(), snapshot, round.start(), round.end());
      recorder.tell(loaded.identifier(), message);
    }
    return outcome;
  }

  /**
   * Settles a round whose commit had no answer. A round of an epoch that is over, and that is not
   * known to be under way, cannot be committed any more and needs no fence.
   */
  RoundOutcome resolve(long tableId, long epoch, String roundId) {
    checkRoundId(tableId, epoch, roundId);
    return lanes.in(
        tableId,
        lane -> {
          TableInfo table;
          LakeState state;
          try {
            table = record.table(tableId);
            state = record.state(tableId);
          } catch (SluiceException e) {
            if (e.code() != ErrorCode.TABLE_NOT_FOUND) {
              throw e;
            }
            return resolveDropped(lane, tableId, roundId, e);
          }
          LakeTables.Loaded loaded = tables.own(table);
          if (loaded == null) {
            return new RoundOutcome.Refused(
                ErrorCode.TABLE_CHANGED,
                "Table " + LakeTables.name(table) + " has no lake table of id " + tableId);
          }
          boolean over = epoch < state.getEpoch() || epoch < lane.preparedEpoch();
          try {
            return resolveIn(lane, loaded, roundId, over);
          } catch (SluiceException unsettled) {
            return new RoundOutcome.Unknown(String.valueOf(unsettled.getMessage()));
          }
        });
  }

  /**
   * What became of a round of a table that was dropped: nothing more is committed to its lake
   * table, which stays with what was committed before.
   */
  private RoundOutcome resolveDropped(
      Lanes.Lane lane, long tableId, String roundId, SluiceException dropped) {
    try {
      LakeTables.Loaded left = tables.left(tableId);
      if (left != null) {
        settle(lane, tableId, left, roundId);
        // Others may have changed the table since: every snapshot counts that is still there.
        for (Snapshot snapshot : left.metadata().snapshots()) {
          if (Lineage.isOfRound(snapshot, tableId, roundId)) {
            return new RoundOutcome.Committed(snapshot.snapshotId());
          }
        }
      }
    } catch (RuntimeException unread) {
      return new RoundOutcome.Unknown(
          "Round "
              + roundId
              + " is of a table that was dropped; whether it was committed before cannot be seen: "
              + RoundCommitter.words(unread));
    }
    return new RoundOutcome.Refused(
        dropped.code(),
        "Round " + roundId + " is of a table that was dropped: " + dropped.getMessage());
  }

  private RoundOutcome resolveIn(
      Lanes.Lane lane, LakeTables.Loaded loaded, String roundId, boolean over) {
    long tableId = loaded.tableId();
    if (lane.unresolved() != null && !roundId.equals(lane.unresolved())) {
      settle(lane, tableId, loaded, roundId);
    }
    if (lane.unresolved() != null || !over) {
      lane.reserve(roundId);
      fenceOut(lane, tableId, loaded, roundId);
    }
    Snapshot present = Lineage.findRound(loaded.metadata(), tableId, roundId);
    if (present == null) {
      return new RoundOutcome.Refused(
          ErrorCode.FENCED_ROUND,
          "Round " + roundId + " is not in the lake and cannot be committed any more");
    }
    recorder.tell(loaded, present);
    return new RoundOutcome.Committed(present.snapshotId());
  }

  /**
   * Settles what an earlier round left open, before {@code next} goes on. UNAVAILABLE when that is
   * not possible now.
   */
  private void settle(Lanes.Lane lane, long tableId, LakeTables.Loaded loaded, String next) {
    String open = lane.unresolved();
    if (open != null) {
      LOG.info("Settling round {} of {} before {}", open, loaded.identifier(), next);
      fenceOut(lane, tableId, loaded, open);
    }
  }

  private static void fenceOut(
      Lanes.Lane lane, long tableId, LakeTables.Loaded loaded, String roundId) {
    RuntimeException cause = null;
    try {
      loaded.operations().refresh();
      boolean settled =
          Lineage.findRound(loaded.metadata(), tableId, roundId) != null
              || RoundCommitter.fence(loaded.operations(), loaded.identifier().toString(), tableId);
      loaded.operations().refresh();
      if (settled) {
        lane.resolved();
        return;
      }
    } catch (RuntimeException failure) {
      cause = failure;
    }
    throw new SluiceException(
        ErrorCode.UNAVAILABLE,
        "The outcome of round "
            + roundId
            + " of "
            + loaded.identifier()
            + " cannot be settled now"
            + (cause == null ? "" : ": " + RoundCommitter.words(cause)),
        cause);
  }

  private static void checkHold(LakeState state, TableInfo table) {
    if (Recorder.isRegressed(state)) {
      throw new SluiceException(
          ErrorCode.LAKE_REGRESSED,
          "Table " + LakeTables.name(table) + " is held back because its lake table regressed");
    }
  }

  private static void checkEpoch(LakeState state, Lanes.Lane lane, long epoch, String roundId) {
    if (epoch != state.getEpoch()) {
      throw fenced(roundId, "has epoch " + epoch + ", the coordinator is at " + state.getEpoch());
    }
    if (epoch < lane.preparedEpoch()) {
      throw fenced(
          roundId, "has epoch " + epoch + ", a round of epoch " + lane.preparedEpoch() + " began");
    }
  }

  private static SluiceException fenced(String roundId, String what) {
    return new SluiceException(ErrorCode.FENCED_ROUND, "Round " + roundId + " " + what);
  }

  private static void checkRoundId(long tableId, long epoch, String roundId) {
    Matcher parts = ROUND_ID.matcher(roundId);
    boolean good =
        parts.matches()
            && parts.group(1).equals(Long.toString(tableId))
            && parts.group(2).equals(Long.toString(epoch));
    if (!good) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Round id '"
              + roundId
              + "' must be "
              + tableId
              + "-"
              + epoch
              + "- and 8 hexadecimal digits");
    }
  }

  private static String roundLocation(LakeTables.Loaded loaded, String roundId) {
    return loaded.metadata().location() + "/data/round-" + roundId;
  }

  /** Whether a round of the table waits to be resolved; for tests. */
  @Nullable String unresolved(long tableId) {
    return lanes.in(tableId, Lanes.Lane::unresolved);
  }
}
