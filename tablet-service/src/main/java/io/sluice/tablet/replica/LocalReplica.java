package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.tablet.kv.RowsView;
import io.sluice.tablet.log.BucketLog;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A replica whose log is on this server's disk, with the rows beside it when the table has a
 * primary key: then the log is the changelog of the rows. Its shard's thread is the only one that
 * appends; roles come from the thread that follows the coordinator; everything others read is
 * volatile.
 */
final class LocalReplica implements Replica {
  private static final Logger logger = LoggerFactory.getLogger(LocalReplica.class);

  private final ReplicaContext context;
  private final BucketLog log;
  private final AppendShard shard;
  private final @Nullable KvReplica kv;
  private final @Nullable ExpirySweep expiry;
  private final Retention retention;
  private final Refusals refusals;
  private final ReplicaStatus status;
  private final Listeners listeners = new Listeners();
  // Of the shard's thread.
  private final PutQueue puts;
  private boolean telling;
  private boolean pausing;

  private volatile HostedTable table;
  private volatile long committed;
  private volatile long visible;

  LocalReplica(ReplicaContext context, BucketLog log, AppendShard shard, HostedTable table) {
    this.context = context;
    this.log = log;
    this.shard = shard;
    this.table = table;
    this.committed = log.startOffset();
    this.visible = committed;
    this.kv =
        table.schema().primaryKey().isEmpty()
            ? null
            : new KvReplica(
                context.kv(),
                log,
                this::table,
                new ReplicaChangelog(this),
                new WaitingForIds(this));
    this.expiry = kv == null ? null : new ExpirySweep(this, kv, context.kv());
    this.retention = new Retention(this, log, kv);
    retention.table(table);
    this.refusals = new Refusals(context.serverId(), this::displayName);
    this.status = new ReplicaStatus(refusals);
    this.puts = new PutQueue(this, context, log, kv, refusals);
  }

  @Override
  public TableBucket bucket() {
    return log.bucket();
  }

  @Override
  public HostedTable table() {
    return table;
  }

  /** Takes over a newer description of the table. */
  void table(HostedTable newer) {
    table = newer;
    retention.table(newer);
  }

  /** Does something on the thread that owns the log. */
  void onShard(Runnable work) {
    ControlTask.queue(shard, work);
  }

  Retention retention() {
    return retention;
  }

  BucketLog log() {
    return log;
  }

  /** How messages name this bucket. */
  String displayName() {
    return table.path() + "-" + bucket().bucket();
  }

  /** Follows the coordinator's decision; one with an older epoch or ISR version changes nothing. */
  void assign(ReplicaRole role) {
    Leadership before = status.leadership();
    ReplicaRole known = before.role();
    if (before.state() == Leadership.State.GONE || (known != null && role.isOlderThan(known))) {
      return;
    }
    boolean leads = role.leaderServerId() == context.serverId();
    boolean sameTerm = known != null && role.leaderEpoch() == known.leaderEpoch();
    if (sameTerm && leads && before.state() != Leadership.State.FOLLOWER) {
      // The shard may turn PREPARING into LEADING at the same time.
      status.keepsStateIn(role);
      ControlTask.queue(shard, this::prepare);
      return;
    }
    status.becomes(
        new Leadership(leads ? Leadership.State.PREPARING : Leadership.State.FOLLOWER, role));
    ControlTask.queue(shard, leads ? this::prepare : this::refuseWaiting);
    tellListeners();
  }

  /** Records the epoch and, when all of earlier epochs is committed, begins to lead. */
  private void prepare() {
    Leadership now = status.leadership();
    if (now.state() == Leadership.State.LEADING) {
      advance();
      return;
    }
    if (now.state() != Leadership.State.PREPARING || status.offlineReason() != null) {
      return;
    }
    long epochStart;
    try {
      epochStart = log.startEpoch(now.epoch());
    } catch (SluiceException e) {
      takeOffline("Cannot begin epoch " + now.epoch() + ": " + e.getMessage());
      return;
    }
    advance();
    if (!loadRows()) {
      return;
    }
    advance();
    if (committed >= epochStart
        && visible >= committed
        && (kv == null || !kv.isBehind(committed))
        && status.leads(now)) {
      if (kv != null) {
        kv.lead(now.epoch());
      }
      logger.debug(
          "Leads {} ({}) from offset {} under epoch {}",
          displayName(),
          bucket(),
          epochStart,
          now.epoch());
      changed();
    }
  }

  /**
   * Loads a part of the changelog that the rows do not have yet; when there is more, prepares on in
   * a turn of its own, so that other buckets of the shard go on.
   */
  private boolean loadRows() {
    if (kv == null) {
      return true;
    }
    try {
      switch (kv.catchUp(committed, () -> onShard(this::prepare))) {
        case DONE -> {
          return true;
        }
        case MORE -> onShard(this::prepare);
        case STALLED -> goOnAfterPause();
        case OPENING -> {
          // Prepares on when it is open.
        }
      }
    } catch (SluiceException e) {
      takeOffline("Cannot load the rows: " + e.getMessage());
    } catch (RuntimeException | Error defect) {
      takeOffline("The rows cannot be loaded in a way that is not understood: " + defect);
      throw defect;
    }
    return false;
  }

  /**
   * The files of the rows are damaged: what is committed is built anew from a snapshot and the log,
   * while puts and lookups are asked to try again. Records stay as visible as they were.
   */
  void restoreRows(SluiceException damage) {
    if (kv == null || status.gone() || status.offlineReason() != null) {
      return;
    }
    logger.warn("Restores the rows of {}: {}", displayName(), damage.getMessage());
    status.leadsNoMore();
    kv.dropDamaged(damage);
    prepare();
  }

  /** Ends every use: the directory is about to be removed. Waits until nothing is being written. */
  void retire() {
    status.retires();
    ControlTask.call(
        shard,
        () -> {
          refuseWaiting();
          if (kv != null) {
            kv.discard();
          }
          return true;
        });
    tellListeners();
  }

  /** Closes the store of the rows; after the shard has stopped. */
  void closeRows() {
    puts.refuseParked(new SluiceException(ErrorCode.UNAVAILABLE, "This tablet server is stopping"));
    if (kv != null) {
      kv.close();
    }
  }

  boolean gone() {
    return status.gone();
  }

  @Override
  public int requireLeader() {
    return status.requireLeader();
  }

  /** Throws what forbids every use now: offline, or removed. */
  Leadership requireServing() {
    return status.requireServing();
  }

  @Override
  public void append(AppendRequest request, AppendCallback callback) {
    try {
      int epoch = requireLeader();
      shard.submit(new BatchPut(this, shard, request, callback, epoch));
    } catch (SluiceException refused) {
      Put.refuse(callback, refused, this);
    }
  }

  @Override
  public void insertMissing(List<byte[]> encodedKeys, AppendCallback callback) {
    try {
      if (kv == null) {
        throw refusals.noRows(table);
      }
      int epoch = requireLeader();
      shard.submit(new MissingRows(this, shard, encodedKeys, callback, epoch));
    } catch (SluiceException refused) {
      Put.refuse(callback, refused, this);
    }
  }

  /** Takes a put in; on the shard's thread. */
  void take(Put put) {
    puts.take(put);
  }

  /** The puts that wait here; of the shard's thread. */
  PutQueue puts() {
    return puts;
  }

  boolean leads() {
    return status.leadership().state() == Leadership.State.LEADING && offlineReason() == null;
  }

  /** One turn of the removal of expired rows; on the housekeeper's thread. */
  int sweepExpired(long nowMs) {
    return expiry == null || gone() ? 0 : expiry.doWork(nowMs);
  }

  /**
   * Deletes those of the rows that have expired by then.
   *
   * @param done called on the shard's thread with whether they are gone
   */
  void removeExpired(List<byte[]> keys, Consumer<Boolean> done) {
    onShard(
        () -> {
          boolean removed = false;
          try {
            Leadership now = status.leadership();
            if (kv != null && leads() && !context.disk().full()) {
              kv.removeExpired(keys, now.epoch());
              removed = true;
              advance();
            }
          } catch (SluiceException e) {
            // They stay hidden; the next pass finds them again.
            afterFailure(e);
            logger.debug("Expired rows of {} stay for now: {}", displayName(), e.getMessage());
          } catch (RuntimeException | Error defect) {
            takeOffline("Expired rows were removed in a way that is not understood: " + defect);
            throw defect;
          } finally {
            done.accept(removed);
          }
        });
  }

  void afterFailure(SluiceException refused) {
    if (log.broken()) {
      takeOffline(String.valueOf(refused.getMessage()));
    } else if (refused.code() == ErrorCode.DISK_FULL && refused.getCause() instanceof IOException) {
      context.disk().foundNoSpace();
    }
  }

  /** Advances committed as far as the in-sync replicas have the log, and answers who waited. */
  void advance() {
    ReplicaRole role = status.leadership().role();
    if (role == null || !role.isOnlyReplica(context.serverId())) {
      return;
    }
    committed = log.endOffset();
    long seen = kv == null ? committed : Math.min(committed, apply(kv));
    // Rows that are being restored are behind what was visible already.
    if (seen <= visible) {
      return;
    }
    visible = seen;
    puts.succeedBelow(visible);
    changed();
  }

  /** Moves what is committed to the rows, as far as their store takes it now. */
  private long apply(KvReplica rows) {
    try {
      rows.apply(committed);
    } catch (SluiceException e) {
      // What is committed must get there in the end: it was taken in.
      if (e.code() != ErrorCode.DISK_FULL) {
        takeOffline("Cannot apply changes to the rows: " + e.getMessage());
        return visible;
      }
      context.disk().foundNoSpace();
    }
    if (rows.isBehind(committed)) {
      goOnAfterPause();
    }
    return rows.applied();
  }

  /** The store asked to wait: tries again what became of the role meanwhile. */
  private void goOnAfterPause() {
    if (!pausing) {
      pausing = true;
      context
          .kv()
          .afterPause(
              () ->
                  ControlTask.queue(
                      shard,
                      () -> {
                        pausing = false;
                        prepare();
                      }));
    }
  }

  private void refuseWaiting() {
    if (kv != null) {
      kv.leadNoMore();
    }
    puts.refuseAll(refusals.notLeader(status.leadership()));
  }

  @Override
  public long writerSequence(long writerId, int writerEpoch) {
    requireLeader();
    return ControlTask.call(
        shard,
        () -> {
          requireLeader();
          int newest = Math.max(log.writerEpoch(writerId), context.fences().newest(writerId));
          if (writerEpoch < newest) {
            throw refusals.fenced(writerId, writerEpoch, newest);
          }
          context.fences().raise(writerId, writerEpoch);
          return log.lastSequence(writerId);
        });
  }

  @Override
  public ReplicaOffsets offsets() {
    // Each is read before the one that bounds it from above.
    long start = log.startOffset();
    long forced = log.forcedOffset();
    long shown = visible;
    long reached = committed;
    long end = log.endOffset();
    long rows = kv == null ? ReplicaOffsets.UNKNOWN_ROWS : kv.rowCount();
    return new ReplicaOffsets(start, start, reached, shown, Math.min(shown, forced), end, rows);
  }

  long visible() {
    return visible;
  }

  @Override
  public RowsView requireRows() {
    KvReplica rows = kv;
    if (rows == null) {
      throw refusals.noRows(table);
    }
    requireLeader();
    return rows.rows();
  }

  @Override
  public long sizeBytes() {
    return log.sizeBytes();
  }

  @Override
  public long offsetForTime(long epochMs) {
    requireServing();
    try {
      return Math.min(log.offsetForTime(epochMs), visible());
    } catch (SluiceException e) {
      throw afterRead(e);
    }
  }

  @Override
  public BatchCursor openCursor(long startOffset) {
    requireServing();
    long end = visible();
    if (startOffset < log.startOffset() || startOffset > end) {
      throw outOfRange(startOffset);
    }
    try {
      return new ReplicaCursor(this, log.openCursor(startOffset));
    } catch (SluiceException e) {
      throw afterRead(e);
    }
  }

  SluiceException outOfRange(long offset) {
    return refusals.outOfRange(offset, log.startOffset(), visible());
  }

  /** Takes the replica offline when a read found damage; returns the failure to throw. */
  SluiceException afterRead(SluiceException failure) {
    if (failure.code() == ErrorCode.CORRUPT_STORAGE) {
      takeOffline(String.valueOf(failure.getMessage()));
    }
    return failure;
  }

  /** Ends all service, once, until the process starts again. */
  void takeOffline(String reason) {
    if (!status.goesOffline(reason)) {
      return;
    }
    logger.error("Replica of {} ({}) goes offline: {}", displayName(), bucket(), reason);
    ControlTask.queue(shard, () -> puts.refuseAll(refusals.offline(reason)));
    tellListeners();
  }

  /** Why this replica serves nothing, null when it serves. */
  @Nullable String offlineReason() {
    return status.offlineReason();
  }

  @Override
  public void addListener(Runnable listener) {
    listeners.add(listener);
  }

  @Override
  public void removeListener(Runnable listener) {
    listeners.remove(listener);
  }

  private void changed() {
    if (!telling) {
      telling = true;
      shard.tellLater(this);
    }
  }

  /** Calls the listeners. */
  void tellListeners() {
    if (shard.isCurrentThread()) {
      telling = false;
    }
    listeners.tell(displayName());
  }
}
