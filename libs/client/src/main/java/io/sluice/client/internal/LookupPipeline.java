package io.sluice.client.internal;

import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.kv.v1.LookupKind;
import io.sluice.protocol.lookup.LookupAnswer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Lookups of one kind on their way: a lookup goes out at once unless its bucket has requests
 * without an answer; then it waits for one of the answers and goes together with what has come
 * meanwhile. Callers, transport and timer work under one lock; lookups are ended, and rows decoded,
 * without it.
 */
final class LookupPipeline implements LookupStream.Events {
  /** Lookups without an answer at which callers wait. */
  private static final int MAX_PENDING = 1 << 16;

  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Of lookups that make rows: a server may wait for ids of an auto-increment column. */
  private static final long INSERT_SILENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

  /** A leader that owes an answer for so long may have been replaced. */
  private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long SLACK_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final ClientCore core;
  private final TableDescription table;
  private final LookupKind kind;
  private final @Nullable LookupPartitions partitions;
  private final long timeoutNanos;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition room = lock.newCondition();

  // Guarded by the lock.
  private final Map<TableBucket, BucketLookups> buckets = new ConcurrentHashMap<>();

  /** The buckets of a table that is not partitioned, else empty. */
  private final BucketLookups[] whole;

  private final LookupStreams streams;
  private final LeaderView leaders;
  // Whose partition is asked for, or will be again.
  private final Set<PendingLookup> placing = new HashSet<>();
  private List<Runnable> endings = new ArrayList<>();
  private int pending;
  private long nextRequest = 1;
  private boolean ticking;
  private boolean sending;
  private @Nullable SluiceException end;

  /**
   * @param partitions the partitions of the table's keys, null when it is not partitioned
   */
  LookupPipeline(
      ClientCore core,
      TableDescription table,
      LookupKind kind,
      @Nullable LookupPartitions partitions) {
    this.core = core;
    this.table = table;
    this.kind = kind;
    this.partitions = partitions;
    this.timeoutNanos = core.config().requestTimeout().toNanos();
    this.whole = new BucketLookups[table.partitioned() ? 0 : table.bucketCount()];
    for (int i = 0; i < whole.length; i++) {
      whole[i] = new BucketLookups(TableBucket.of(table.tableId(), i));
      buckets.put(whole[i].bucket(), whole[i]);
    }
    this.streams = new LookupStreams(core.channels(), this);
    this.leaders = new LeaderView(core.tables(), table, this::execute, core.time());
  }

  /** When a lookup that begins now has to have its answer. */
  long deadlineNanos() {
    return core.time().nanoTime() + timeoutNanos;
  }

  /** The answer of a lookup that was submitted, waited for. */
  <T> T await(CompletableFuture<T> answer) {
    return Waits.await(answer, timeoutNanos + SLACK_NANOS, "Looking up a key of " + table.path());
  }

  /**
   * Takes a lookup over, which is ended once. Blocks while very many are under way; TIMEOUT when
   * none of them ends, the failure of {@link #close} after it.
   */
  void submit(PendingLookup lookup) {
    LookupPartitions parts = partitions;
    lock.lock();
    try {
      awaitRoom();
      long now = core.time().nanoTime();
      pending++;
      if (parts == null) {
        add(lookup, TableBucket.NO_PARTITION, now);
      } else {
        place(parts, lookup, parts.known(lookup.partition()), now);
      }
      tickLater();
    } finally {
      unlock();
    }
  }

  private void add(PendingLookup lookup, long partitionId, long now) {
    BucketLookups bucket = bucket(partitionId, lookup.bucket());
    bucket.add(lookup);
    send(bucket, now);
  }

  private BucketLookups bucket(long partitionId, int bucket) {
    if (partitionId == TableBucket.NO_PARTITION) {
      return whole[bucket];
    }
    leaders.watch(partitionId);
    return buckets.computeIfAbsent(
        new TableBucket(table.tableId(), partitionId, bucket), BucketLookups::new);
  }

  /**
   * Goes to its partition, or asks whether there is one. Without one there is no row; a lookup that
   * makes missing rows has the partition made.
   */
  private void place(LookupPartitions parts, PendingLookup lookup, long partitionId, long now) {
    if (partitionId != LookupPartitions.NONE) {
      add(lookup, partitionId, now);
      return;
    }
    CompletableFuture<Long> asked =
        kind == LookupKind.LOOKUP_INSERT_IF_ABSENT
            ? parts.make(lookup.partition())
            : parts.ask(lookup.partition());
    placing.add(lookup);
    asked.whenComplete(
        (found, failure) ->
            execute(
                () -> {
                  if (!placing.remove(lookup)) {
                    return;
                  }
                  if (failure != null) {
                    askAgain(parts, lookup, StatusMapping.fromStatus(failure));
                  } else if (found == LookupPartitions.NONE) {
                    nothing(lookup);
                  } else {
                    add(lookup, found, core.time().nanoTime());
                  }
                }));
  }

  private void askAgain(LookupPartitions parts, PendingLookup lookup, SluiceException why) {
    lookup.attemptFailed(why);
    if (!why.code().retriable() || lookup.isOverdue(core.time().nanoTime())) {
      fail(lookup, why);
      return;
    }
    try {
      var unused =
          core.timer()
              .schedule(
                  () -> execute(() -> placeAgain(parts, lookup)),
                  Backoff.pauseNanos(lookup.failures(), why),
                  TimeUnit.NANOSECONDS);
      placing.add(lookup);
    } catch (RejectedExecutionException closed) {
      fail(lookup, new SluiceException(ErrorCode.CANCELLED, "The connection was closed", closed));
    }
  }

  private void placeAgain(LookupPartitions parts, PendingLookup lookup) {
    if (placing.remove(lookup)) {
      place(parts, lookup, LookupPartitions.NONE, core.time().nanoTime());
    }
  }

  /** The partition is gone with its rows; one of the same values may have been made since. */
  private void partitionGone(List<PendingLookup> lookups, long partitionId) {
    LookupPartitions parts = partitions;
    if (parts == null) {
      return;
    }
    parts.forget(partitionId);
    long now = core.time().nanoTime();
    for (PendingLookup lookup : lookups) {
      place(parts, lookup, LookupPartitions.NONE, now);
    }
  }

  private void awaitRoom() {
    long left = timeoutNanos;
    try {
      while (pending >= MAX_PENDING && end == null) {
        if (left <= 0) {
          throw new SluiceException(
              ErrorCode.TIMEOUT,
              pending + " lookups in " + table.path() + " are under way; none ended in time");
        }
        left = room.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      throw Waits.interrupted("Looking up a key of " + table.path());
    }
    SluiceException why = end;
    if (why != null) {
      throw Waits.rethrown(why);
    }
  }

  /** Gives the lock back, then ends the lookups whose end was decided under it. */
  private void unlock() {
    List<Runnable> decided = List.of();
    if (lock.getHoldCount() == 1 && !endings.isEmpty()) {
      decided = endings;
      endings = new ArrayList<>();
    }
    lock.unlock();
    decided.forEach(Runnable::run);
  }

  private void execute(Runnable event) {
    lock.lock();
    try {
      event.run();
      sendAll(core.time().nanoTime());
    } finally {
      unlock();
    }
  }

  @Override
  public void ready() {
    execute(() -> {});
  }

  @Override
  public void answered(LookupStream stream, LookupAnswer answer) {
    lock.lock();
    try {
      LookupStream.Sent sent = stream.takeAnswered(answer.requestId());
      if (sent != null && end == null) {
        settle(stream, sent, answer);
        // Only its own bucket can send more than before.
        send(sent.bucket(), core.time().nanoTime());
      }
    } finally {
      unlock();
    }
  }

  @Override
  public void closed(LookupStream stream, SluiceException why) {
    execute(() -> streamLost(stream, why));
  }

  private void sendAll(long now) {
    // Opening a stream may report its end at once, on this thread.
    if (sending) {
      return;
    }
    for (BucketLookups bucket : buckets.values()) {
      send(bucket, now);
    }
  }

  private void send(BucketLookups bucket, long now) {
    if (sending || end != null) {
      return;
    }
    sending = true;
    try {
      while (bucket.maySend(now)) {
        LookupStream stream = streamFor(bucket.bucket(), now);
        if (stream == null || !stream.isReady()) {
          return;
        }
        LookupStream.Sent sent = new LookupStream.Sent(bucket, bucket.takeForRequest(), now);
        stream.send(nextRequest++, sent, kind, table.schema().schemaId());
      }
    } finally {
      sending = false;
    }
  }

  private @Nullable LookupStream streamFor(TableBucket bucket, long now) {
    String address = leaders.leaderOf(bucket);
    if (address == null) {
      leaders.refresh(now);
      return null;
    }
    return streams.streamTo(address, now);
  }

  private void settle(LookupStream stream, LookupStream.Sent sent, LookupAnswer answer) {
    streams.reached(stream.address());
    SluiceException why = answer.failure();
    if (why == null) {
      why = LookupAnswers.mismatch(kind, sent.lookups().size(), answer);
    }
    if (why != null) {
      attemptFailed(sent, LookupFailures.atServer(table, stream, sent, why));
      return;
    }
    sent.bucket().answered();
    ended(sent.lookups().size());
    endings.add(() -> LookupAnswers.deliver(sent.lookups(), answer));
  }

  private void nothing(PendingLookup lookup) {
    ended(1);
    endings.add(() -> LookupAnswers.deliverNothing(kind, lookup));
  }

  private void fail(PendingLookup lookup, SluiceException why) {
    ended(1);
    endings.add(() -> lookup.failed(why));
  }

  private void ended(int lookups) {
    boolean full = pending >= MAX_PENDING;
    pending -= lookups;
    if (full) {
      room.signalAll();
    }
  }

  private void attemptFailed(LookupStream.Sent sent, SluiceException why) {
    BucketLookups bucket = sent.bucket();
    if (why.code() == ErrorCode.PARTITION_NOT_FOUND && partitions != null) {
      bucket.refused();
      partitionGone(sent.lookups(), bucket.bucket().partitionId());
      return;
    }
    boolean tooLarge =
        why.code() == ErrorCode.BATCH_TOO_LARGE || why.code() == ErrorCode.PUT_TOO_LARGE;
    if (tooLarge && sent.lookups().size() > 1) {
      bucket.split(sent.lookups());
      return;
    }
    if (!Leaders.mayBeTransient(why)) {
      bucket.refused();
      sent.lookups().forEach(lookup -> fail(lookup, why));
      return;
    }
    long now = core.time().nanoTime();
    sent.lookups().forEach(lookup -> lookup.attemptFailed(why));
    if (leaders.follow(bucket.bucket(), why, bucket.failures() + 1)) {
      bucket.redirect(sent.lookups());
      return;
    }
    bucket.retry(sent.lookups(), why, now);
    if (PutFailures.leaderMayHaveMoved(why)) {
      leaders.refresh(now);
    } else if (why.code() == ErrorCode.LEADER_NOT_READY) {
      // It may never be again: a leader that nobody but clients reaches has been replaced.
      leaders.refreshSilent(now);
    }
  }

  private void streamLost(LookupStream stream, SluiceException why) {
    long now = core.time().nanoTime();
    streams.lost(stream, why, now);
    if (end != null) {
      return;
    }
    leaders.refresh(now);
    List<LookupStream.Sent> lost = stream.takeUnanswered();
    // The last one first: each goes in front of what waits.
    for (int i = lost.size() - 1; i >= 0; i--) {
      attemptFailed(lost.get(i), why);
    }
  }

  private void tickLater() {
    if (ticking || pending == 0 || end != null) {
      return;
    }
    try {
      core.timer().schedule(this::tick, TICK_NANOS, TimeUnit.NANOSECONDS);
      ticking = true;
    } catch (RejectedExecutionException e) {
      endWith(new SluiceException(ErrorCode.CANCELLED, "The connection was closed", e));
    }
  }

  /** On the timer's thread while lookups are pending: retries, time-outs, silent servers. */
  private void tick() {
    lock.lock();
    try {
      ticking = false;
      long now = core.time().nanoTime();
      SluiceException gone = leaders.gone();
      if (gone != null) {
        endWith(gone);
        return;
      }
      leaders.refreshIfWanted(now);
      followLeaders(now);
      giveUpSilent(now);
      sendAll(now);
      for (BucketLookups bucket : List.copyOf(buckets.values())) {
        bucket.takeOverdue(now).forEach(lookup -> fail(lookup, timedOut(bucket.bucket(), lookup)));
        long partition = bucket.bucket().partitionId();
        if (leaders.isGone(partition)) {
          partitionGone(bucket.takeAll(), partition);
        }
        if (bucket.isIdle() && partition != TableBucket.NO_PARTITION) {
          buckets.remove(bucket.bucket());
        }
      }
      tickLater();
    } finally {
      unlock();
    }
  }

  private void giveUpSilent(long now) {
    long silence =
        kind == LookupKind.LOOKUP_INSERT_IF_ABSENT ? INSERT_SILENCE_NANOS : SILENCE_NANOS;
    streams.giveUpSilent(now, Math.min(silence, timeoutNanos));
  }

  /**
   * A leader that stands still, or is cut off, answers nothing and has been replaced after a while:
   * what it was asked goes to the next one.
   */
  private void followLeaders(long now) {
    for (LookupStream stream : streams.open()) {
      if (!stream.hasUnansweredSince(now - SILENT_NANOS)) {
        continue;
      }
      leaders.refreshSilent(now);
      List<LookupStream.Sent> moved = stream.takeMoved(leaders);
      for (int i = moved.size() - 1; i >= 0; i--) {
        moved.get(i).bucket().redirect(moved.get(i).lookups());
      }
    }
  }

  private SluiceException timedOut(TableBucket bucket, PendingLookup lookup) {
    return LookupFailures.timedOut(table, bucket, lookup, leaders.leaderOf(bucket), timeoutNanos);
  }

  /** All that is pending fails, and all that comes. */
  private void endWith(SluiceException why) {
    if (end != null) {
      return;
    }
    end = why;
    for (LookupStream stream : streams.open()) {
      for (LookupStream.Sent sent : stream.takeUnanswered()) {
        sent.lookups().forEach(lookup -> fail(lookup, why));
      }
      stream.cancel(why);
    }
    for (BucketLookups bucket : buckets.values()) {
      bucket.takeAll().forEach(lookup -> fail(lookup, why));
    }
    placing.forEach(lookup -> fail(lookup, why));
    placing.clear();
    room.signalAll();
  }

  /** Ends what is under way, and all that comes, with CANCELLED; twice is harmless. */
  void close(String what) {
    lock.lock();
    try {
      endWith(
          new SluiceException(
              ErrorCode.CANCELLED, "The " + what + " of " + table.path() + " was closed"));
    } finally {
      unlock();
    }
  }
}
