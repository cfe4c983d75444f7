package io.sluice.coordinator.tiering;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.common.TimeSource;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.LakeHold;
import io.sluice.coordinator.metadata.LakeTable;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.MetadataLog;
import io.sluice.coordinator.metadata.PersistentMap;
import io.sluice.coordinator.metadata.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What the committer and operators may ask and change, for gRPC and REST alike. Reads are
 * linearizable. Futures fail with a {@link SluiceException}, NOT_COORDINATOR_LEADER where another
 * coordinator leads. Thread-safe.
 */
public final class LakeRecords {
  private static final int MAX_ROUND_ID = 200;
  private static final int MAX_REASON = 1000;

  private final MetadataLog log;
  private final TieringLoop loop;
  private final TimeSource time;

  public LakeRecords(MetadataLog log, TieringLoop loop, TimeSource time) {
    this.log = log;
    this.loop = loop;
    this.time = time;
  }

  /**
   * A table's record with its place in the queue.
   *
   * @param state null when the queue has not seen the table yet
   */
  public record Recorded(Table table, LakeTable lake, @Nullable TieringState state) {}

  /** Records a round; tells whether this call did, false when it was recorded before. */
  public CompletableFuture<Boolean> roundCommitted(Command.RoundCommitted round) {
    if (round.roundId().isBlank() || round.roundId().length() > MAX_ROUND_ID) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT, "A round id has 1 to " + MAX_ROUND_ID + " characters");
    }
    // A clock ahead of ours would make the lake look fresher than it is.
    LakeTable.LastRound size = round.size();
    long nowMs = time.epochMs();
    long committedMs =
        size.committedMs() <= 0 || size.committedMs() > nowMs ? nowMs : size.committedMs();
    Command.RoundCommitted dated =
        new Command.RoundCommitted(
            round.tableId(),
            round.epoch(),
            round.roundId(),
            round.snapshotId(),
            round.start(),
            round.end(),
            new LakeTable.LastRound(size.rows(), size.bytes(), size.files(), committedMs));
    return log.submit(dated).thenApply(applied -> applied.outcome().orThrow().id() != 0);
  }

  /** The record of that table; TABLE_NOT_FOUND when it has none. */
  public CompletableFuture<Recorded> lake(long tableId) {
    return log.readLatest()
        .thenCompose(
            image -> loop.ask((queue, nowMs) -> recorded(image, lakeOf(image, tableId), queue)));
  }

  /** The record of every table that is copied to the lake, by id. */
  public CompletableFuture<List<Recorded>> lakes() {
    return log.readLatest()
        .thenCompose(
            image ->
                loop.ask(
                    (queue, nowMs) -> {
                      List<Recorded> all = new ArrayList<>(image.state().lakes().size());
                      for (PersistentMap.Entry<Long, LakeTable> entry : image.state().lakes()) {
                        all.add(recorded(image, entry.value(), queue));
                      }
                      return all;
                    }));
  }

  private static LakeTable lakeOf(MetadataImage image, long tableId) {
    LakeTable lake = image.state().lakes().get(tableId);
    if (lake == null) {
      Table table = image.state().table(tableId);
      throw new SluiceException(
          ErrorCode.TABLE_NOT_FOUND,
          table == null
              ? "There is no table with id " + tableId
              : "Table " + table.path() + " is not copied to the lake");
    }
    return lake;
  }

  private static Recorded recorded(MetadataImage image, LakeTable lake, TieringQueue queue) {
    Table table = image.state().table(lake.tableId());
    if (table == null) {
      throw new SluiceException(
          ErrorCode.TABLE_NOT_FOUND, "There is no table with id " + lake.tableId());
    }
    return new Recorded(table, lake, queue.state(lake.tableId()));
  }

  /**
   * Sets a hold unless a stronger one stands, or clears it.
   *
   * @param reason in words; may be empty
   */
  public CompletableFuture<Recorded> setHold(long tableId, LakeHold hold, String reason) {
    String given = reason.length() > MAX_REASON ? reason.substring(0, MAX_REASON) : reason;
    return log.submit(new Command.SetLakeHold(tableId, hold, hold == LakeHold.NONE ? "" : given))
        .thenCompose(
            applied -> {
              applied.outcome().orThrow();
              return lake(tableId);
            });
  }

  /**
   * As {@link #setHold(long, LakeHold, String)} by name; answers the table's place in the queue.
   */
  public CompletableFuture<TableStatus> setHold(TablePath path, LakeHold hold, String reason) {
    return log.readLatest()
        .thenCompose(image -> setHold(idOf(image, path), hold, reason))
        .thenCompose(recorded -> status(path));
  }

  /** Where the table stands; TABLE_NOT_FOUND when it is not copied to the lake. */
  public CompletableFuture<TableStatus> status(TablePath path) {
    return query(
        (image, queue, nowMs) -> {
          TableStatus status = queue.tableStatus(idOf(image, path), nowMs);
          if (status == null) {
            throw notInLake(path);
          }
          return status;
        });
  }

  /** Asks the queue after a linearizable read. */
  public <T> CompletableFuture<T> query(TieringLoop.Question<T> question) {
    return query((image, queue, nowMs) -> question.answer(queue, nowMs));
  }

  private interface ImageQuestion<T> {
    T answer(MetadataImage image, TieringQueue queue, long nowMs);
  }

  private <T> CompletableFuture<T> query(ImageQuestion<T> question) {
    return log.readLatest()
        .thenCompose(image -> loop.ask((queue, nowMs) -> question.answer(image, queue, nowMs)));
  }

  private static long idOf(MetadataImage image, TablePath path) {
    Table table = image.state().table(path);
    if (table == null) {
      throw new SluiceException(ErrorCode.TABLE_NOT_FOUND, "Table " + path + " does not exist");
    }
    if (!image.state().lakes().containsKey(table.tableId())) {
      throw notInLake(path);
    }
    return table.tableId();
  }

  private static SluiceException notInLake(TablePath path) {
    return new SluiceException(
        ErrorCode.TABLE_NOT_FOUND, "Table " + path + " is not copied to the lake");
  }
}
