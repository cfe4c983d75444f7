package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.tablet.log.BucketLog;
import io.sluice.tablet.log.SequenceDecision;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A replica whose log is on this server's disk. Its shard's thread is the only one that appends;
 * roles come from the thread that follows the coordinator; everything others read is volatile.
 */
final class LocalReplica implements Replica {
  private static final Logger logger = LoggerFactory.getLogger(LocalReplica.class);

  private final ReplicaContext context;
  private final BucketLog log;
  private final AppendShard shard;
  private final AtomicReference<Leadership> leadership = new AtomicReference<>(Leadership.NONE);
  private final AtomicReference<@Nullable String> offlineReason = new AtomicReference<>();
  private final CopyOnWriteArrayList<Runnable> listeners = new CopyOnWriteArrayList<>();
  // Of the shard's thread: puts that wait for visible, by offset.
  private final ArrayDeque<Put> waiting = new ArrayDeque<>();
  private boolean telling;

  private volatile HostedTable table;
  private volatile long committed;

  LocalReplica(ReplicaContext context, BucketLog log, AppendShard shard, HostedTable table) {
    this.context = context;
    this.log = log;
    this.shard = shard;
    this.table = table;
    this.committed = log.startOffset();
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
  }

  BucketLog log() {
    return log;
  }

  /** How messages name this bucket. */
  private String displayName() {
    return table.path() + "-" + bucket().bucket();
  }

  // Roles

  private Leadership currentLeadership() {
    return Objects.requireNonNull(leadership.get());
  }

  /** Follows the coordinator's decision; one with an older epoch or ISR version changes nothing. */
  void assign(ReplicaRole role) {
    Leadership before = currentLeadership();
    ReplicaRole known = before.role();
    if (before.state() == Leadership.State.GONE || (known != null && isStale(role, known))) {
      return;
    }
    boolean leads = role.leaderServerId() == context.serverId();
    boolean sameTerm = known != null && role.leaderEpoch() == known.leaderEpoch();
    if (sameTerm && leads && before.state() != Leadership.State.FOLLOWER) {
      // The shard may turn PREPARING into LEADING at the same time.
      leadership.updateAndGet(now -> new Leadership(now.state(), role));
      ControlTask.queue(shard, this::prepare);
      return;
    }
    leadership.set(
        new Leadership(leads ? Leadership.State.PREPARING : Leadership.State.FOLLOWER, role));
    ControlTask.queue(shard, leads ? this::prepare : this::refuseWaiting);
    tellListeners();
  }

  private static boolean isStale(ReplicaRole role, ReplicaRole known) {
    return role.leaderEpoch() < known.leaderEpoch()
        || (role.leaderEpoch() == known.leaderEpoch() && role.isrVersion() < known.isrVersion());
  }

  /** Records the epoch and, when all of earlier epochs is committed, begins to lead. */
  private void prepare() {
    Leadership now = currentLeadership();
    if (now.state() == Leadership.State.LEADING) {
      advance();
      return;
    }
    if (now.state() != Leadership.State.PREPARING || offlineReason.get() != null) {
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
    if (committed >= epochStart
        && leadership.compareAndSet(now, now.in(Leadership.State.LEADING))) {
      logger.info(
          "Leads {} ({}) from offset {} under epoch {}",
          displayName(),
          bucket(),
          epochStart,
          now.epoch());
      changed();
    }
  }

  /** Ends every use: the directory is about to be removed. Waits until nothing is being written. */
  void retire() {
    leadership.updateAndGet(now -> now.in(Leadership.State.GONE));
    ControlTask.call(
        shard,
        () -> {
          refuseWaiting();
          return true;
        });
    tellListeners();
  }

  boolean gone() {
    return currentLeadership().state() == Leadership.State.GONE;
  }

  @Override
  public int requireLeader() {
    Leadership now = requireServing();
    return switch (now.state()) {
      case LEADING -> now.epoch();
      case PREPARING ->
          throw new SluiceException(
              ErrorCode.LEADER_NOT_READY,
              "This server begins to lead " + displayName() + " under epoch " + now.epoch());
      default -> throw notLeader(now);
    };
  }

  /** Throws what forbids every use now: offline, or removed. */
  Leadership requireServing() {
    String reason = offlineReason.get();
    if (reason != null) {
      throw offline(reason);
    }
    Leadership now = currentLeadership();
    if (now.state() == Leadership.State.GONE) {
      throw new SluiceException(
          ErrorCode.TABLE_CHANGED, "The replica of " + displayName() + " was removed");
    }
    return now;
  }

  private SluiceException notLeader(Leadership now) {
    int leader = now.leaderServerId();
    if (leader == 0 || leader == context.serverId()) {
      return new SluiceException(
          ErrorCode.NOT_LEADER, "No server leads " + displayName() + " at the moment");
    }
    return new SluiceException(
        ErrorCode.NOT_LEADER,
        "Server " + leader + " leads " + displayName() + ", not server " + context.serverId(),
        Map.of("leader_server_id", Integer.toString(leader)),
        null);
  }

  private SluiceException offline(String reason) {
    return new SluiceException(
        ErrorCode.REPLICA_OFFLINE, "The replica of " + displayName() + " is offline: " + reason);
  }

  // Puts

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
        throw notLeader(now);
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
    if (decision instanceof SequenceDecision.Fenced fenced) {
      throw fenced(header.writerId(), header.writerEpoch(), fenced.newest());
    }
    if (decision instanceof SequenceDecision.Gap gap) {
      throw outOfOrder(header, put.request().ackedThrough(), gap.last());
    }
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
    if (decision instanceof SequenceDecision.Overlap overlap) {
      storeRest(put, header, overlap.rows());
    } else {
      store(put, header, put.request().sections());
    }
  }

  private void storeRest(Put put, LogBatchHeader header, int rows) {
    if (header.recordCount() != header.sequenceCount()) {
      throw new SluiceException(
          ErrorCode.OUT_OF_ORDER_SEQUENCE,
          "The first "
              + rows
              + " sequences of the put for "
              + displayName()
              + " are stored already, but its "
              + header.recordCount()
              + " records do not match its "
              + header.sequenceCount()
              + " sequences one by one; send the rest only");
    }
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
    if (!put.request().waitForVisible() || put.visibleAt() <= committed) {
      put.succeed();
    } else {
      waiting.add(put);
    }
  }

  private void afterFailure(SluiceException refused) {
    if (log.broken()) {
      takeOffline(String.valueOf(refused.getMessage()));
    } else if (refused.code() == ErrorCode.DISK_FULL && refused.getCause() instanceof IOException) {
      context.disk().foundNoSpace();
    }
  }

  private SluiceException fenced(long writerId, int epoch, int newest) {
    return new SluiceException(
        ErrorCode.FENCED_WRITER,
        "Writer "
            + writerId
            + " writes to "
            + displayName()
            + " under epoch "
            + epoch
            + ", but a newer instance has started with epoch "
            + newest);
  }

  private SluiceException outOfOrder(LogBatchHeader header, long ackedThrough, long last) {
    return new SluiceException(
        ErrorCode.OUT_OF_ORDER_SEQUENCE,
        "Put of writer "
            + header.writerId()
            + " for "
            + displayName()
            + " begins at sequence "
            + header.baseSequence()
            + "; the last one stored is "
            + last
            + " and answers are held through "
            + ackedThrough);
  }

  /** Advances committed as far as the in-sync replicas have the log, and answers who waited. */
  private void advance() {
    ReplicaRole role = currentLeadership().role();
    if (role == null || !isOnlyReplica(role) || committed == log.endOffset()) {
      return;
    }
    committed = log.endOffset();
    while (!waiting.isEmpty() && waiting.peek().visibleAt() <= committed) {
      waiting.remove().succeed();
    }
    changed();
  }

  /** With no other in-sync replica, what is written here is committed. */
  private boolean isOnlyReplica(ReplicaRole role) {
    List<Integer> isr = role.isr();
    return isr.isEmpty() || (isr.size() == 1 && isr.get(0) == context.serverId());
  }

  private void refuseWaiting() {
    SluiceException why = notLeader(currentLeadership());
    while (!waiting.isEmpty()) {
      waiting.remove().abandon(why);
    }
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
            throw fenced(writerId, writerEpoch, newest);
          }
          context.fences().raise(writerId, writerEpoch);
          return log.lastSequence(writerId);
        });
  }

  // Reads

  @Override
  public ReplicaOffsets offsets() {
    // Each is read before the one that bounds it from above.
    long forced = log.forcedOffset();
    long visible = committed;
    long end = log.endOffset();
    long start = log.startOffset();
    return new ReplicaOffsets(start, start, visible, visible, Math.min(visible, forced), end);
  }

  long visible() {
    return committed;
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
    long visible = visible();
    if (startOffset < log.startOffset() || startOffset > visible) {
      throw new SluiceException(
          ErrorCode.OFFSET_OUT_OF_RANGE,
          "Offset "
              + startOffset
              + " of "
              + displayName()
              + " cannot be read; its offsets are "
              + log.startOffset()
              + " to "
              + visible);
    }
    try {
      return new ReplicaCursor(this, log.openCursor(startOffset));
    } catch (SluiceException e) {
      throw afterRead(e);
    }
  }

  /** Takes the replica offline when a read found damage; returns the failure to throw. */
  SluiceException afterRead(SluiceException failure) {
    if (failure.code() == ErrorCode.CORRUPT_STORAGE) {
      takeOffline(String.valueOf(failure.getMessage()));
    }
    return failure;
  }

  // Offline

  /** Ends all service, once, until the process starts again. */
  void takeOffline(String reason) {
    if (!offlineReason.compareAndSet(null, reason)) {
      return;
    }
    logger.error("Replica of {} ({}) goes offline: {}", displayName(), bucket(), reason);
    ControlTask.queue(
        shard,
        () -> {
          while (!waiting.isEmpty()) {
            waiting.remove().abandon(offline(reason));
          }
        });
    tellListeners();
  }

  /** Why this replica serves nothing, null when it serves. */
  @Nullable String offlineReason() {
    return offlineReason.get();
  }

  // Listeners

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

  /** Calls the listeners; a failing one does not keep the others from being called. */
  void tellListeners() {
    if (shard.isCurrentThread()) {
      telling = false;
    }
    for (Runnable listener : listeners) {
      try {
        listener.run();
      } catch (RuntimeException e) {
        logger.error("A listener of {} failed", displayName(), e);
      }
    }
  }
}
