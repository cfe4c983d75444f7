package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.tablet.kv.KvStore;
import io.sluice.tablet.log.BucketLog;
import io.sluice.tablet.log.SequenceDecision;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
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
  private final Retention retention;
  private final Refusals refusals;
  private final ReplicaStatus status;
  private final Listeners listeners = new Listeners();
  // Of the shard's thread.
  private final WaitingPuts waiting = new WaitingPuts();
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
            : new KvReplica(context.kv(), log, this::table, () -> Housekeeper.force(this));
    this.retention = new Retention(this, log, kv);
    retention.table(table);
    this.refusals = new Refusals(context.serverId(), this::displayName);
    this.status = new ReplicaStatus(refusals);
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
    if (committed >= epochStart && visible >= committed && status.leads(now)) {
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
      KvReplica.Progress progress = kv.catchUp(committed);
      if (progress == KvReplica.Progress.DONE) {
        return true;
      }
      if (progress == KvReplica.Progress.MORE) {
        ControlTask.queue(shard, this::prepare);
      } else {
        goOnAfterPause();
      }
    } catch (SluiceException e) {
      takeOffline("Cannot load the rows: " + e.getMessage());
    } catch (RuntimeException | Error defect) {
      takeOffline("The rows cannot be loaded in a way that is not understood: " + defect);
      throw defect;
    }
    return false;
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
      shard.submit(new Put(this, shard, request, callback, epoch));
    } catch (SluiceException refused) {
      Put.refuse(callback, refused, this);
    }
  }

  /** Decides and stores; on the shard's thread. */
  void process(Put put) {
    try {
      Leadership now = requireServing();
      if (!now.leads(put.epoch())) {
        throw refusals.notLeader(now);
      }
      decide(put);
    } catch (SluiceException refused) {
      afterFailure(refused);
      put.abandon(refused);
    } catch (RuntimeException | Error defect) {
      takeOffline("A put failed in a way that is not understood: " + defect);
      throw defect;
    }
  }

  private void decide(Put put) {
    LogBatchHeader header = put.request().header();
    SequenceDecision decision =
        log.decide(
            header, put.request().ackedThrough(), context.fences().newest(header.writerId()));
    refusals.check(decision, put.request());
    context.fences().raise(header.writerId(), header.writerEpoch());
    if (decision instanceof SequenceDecision.Duplicate duplicate) {
      // Its rows may still wait for the in-sync replicas: they lie below the log end.
      put.storedAt(duplicate.baseOffset(), true, log.endOffset());
      answer(put);
      return;
    }
    if (context.disk().full()) {
      throw context.disk().refusal(displayName());
    }
    int stored = decision instanceof SequenceDecision.Overlap overlap ? overlap.rows() : 0;
    if (kv != null) {
      change(put, kv, stored);
    } else if (stored > 0) {
      storeRest(put, stored);
    } else {
      store(put, header, put.request().sections());
    }
  }

  /** Changes rows; the answer waits for all that the put was evaluated against. */
  private void change(Put put, KvReplica rows, int firstRow) {
    long base = rows.put(put.request(), firstRow, put.epoch());
    put.storedAt(base, false, log.endOffset());
    advance();
    answer(put);
  }

  private void storeRest(Put put, int rows) {
    try (BatchSlicer.Slice rest = context.slicer().dropFirst(table, put.request(), rows)) {
      store(put, rest.header(), rest.sections());
    }
  }

  private void store(Put put, LogBatchHeader header, List<ByteBuffer> sections) {
    long base = log.append(header, sections, put.epoch());
    put.storedAt(base, false, header.nextOffset());
    advance();
    answer(put);
  }

  private void answer(Put put) {
    if (!put.request().waitForVisible() || put.visibleAt() <= visible) {
      put.succeed();
    } else {
      waiting.add(put);
    }
  }

  void afterFailure(SluiceException refused) {
    if (log.broken()) {
      takeOffline(String.valueOf(refused.getMessage()));
    } else if (refused.code() == ErrorCode.DISK_FULL && refused.getCause() instanceof IOException) {
      context.disk().foundNoSpace();
    }
  }

  /** Advances committed as far as the in-sync replicas have the log, and answers who waited. */
  private void advance() {
    ReplicaRole role = status.leadership().role();
    if (role == null || !role.isOnlyReplica(context.serverId())) {
      return;
    }
    committed = log.endOffset();
    long seen = kv == null ? committed : Math.min(committed, apply(kv));
    if (seen == visible) {
      return;
    }
    visible = seen;
    waiting.succeedBelow(visible);
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
    waiting.refuseAll(refusals.notLeader(status.leadership()));
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
    return new ReplicaOffsets(start, start, reached, shown, Math.min(shown, forced), end);
  }

  long visible() {
    return visible;
  }

  @Override
  public KvStore requireRows() {
    KvReplica rows = kv;
    if (rows == null) {
      throw refusals.noRows(table);
    }
    requireLeader();
    return rows.store();
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
    ControlTask.queue(shard, () -> waiting.refuseAll(refusals.offline(reason)));
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
