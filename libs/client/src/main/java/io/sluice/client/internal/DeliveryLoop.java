package io.sluice.client.internal;

import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.Uninterruptibly;
import io.sluice.protocol.flight.v1.Command;
import io.sluice.protocol.flight.v1.PutAnswer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The one thread of a writer that encodes sealed batches, sends them, and settles their outcomes.
 * It owns the bucket queues and the streams; other threads reach it through events only.
 *
 * <p>Order: the batches of a bucket are sent in the order of their sequences, several ahead of
 * their answers. When one must be sent again, so are those after it, and the server refuses what
 * comes too early. What it has stored already it answers as a duplicate, so resending never doubles
 * a row.
 */
final class DeliveryLoop implements Runnable, PutStream.Events {
  private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long BUSY_LOCK_NANOS = TimeUnit.MICROSECONDS.toNanos(500);
  private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ClientCore core;
  private final TableDescription table;
  private final WriterIdentity writer;
  private final Accumulator accumulator;
  private final BatchPreparation preparation;
  private final RowLimit rowLimit;
  private final LeaderView leaders;
  private final PutStreams streams;
  private final List<BucketQueue> active = new ArrayList<>();
  private final Queue<Runnable> events = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean signalled = new AtomicBoolean();
  private final Thread thread;
  private volatile boolean stopping;
  private volatile @Nullable SluiceException ended;
  private @Nullable SluiceException fatal;
  private long nextRequest = 1;
  private int firstServed;
  private long nextCheckNanos;
  private long turnNanos;

  DeliveryLoop(
      ClientCore core,
      TableDescription table,
      WriterIdentity writer,
      Command command,
      Accumulator accumulator,
      BatchPreparation preparation,
      RowLimit rowLimit) {
    this.core = core;
    this.table = table;
    this.writer = writer;
    this.accumulator = accumulator;
    this.preparation = preparation;
    this.rowLimit = rowLimit;
    this.streams = new PutStreams(core.channels(), command, this);
    this.leaders = new LeaderView(core.tables(), table, this::execute, core.time());
    this.thread = ClientCore.daemons("sluice-writer-" + table.path()).newThread(this);
  }

  void start() {
    thread.start();
  }

  /** Makes the loop look for work; when it has ended, what is sealed fails. From any thread. */
  void wake() {
    if (!signalled.getAndSet(true)) {
      LockSupport.unpark(thread);
    }
    SluiceException why = ended;
    if (why != null) {
      refuseSealed(why);
    }
  }

  /** Ends the loop; batches that are not final fail. Waits for its end, also when interrupted. */
  void stop(long timeoutNanos) {
    stopping = true;
    wake();
    long millis = Math.max(TimeUnit.NANOSECONDS.toMillis(timeoutNanos), 1);
    Uninterruptibly.run(() -> thread.join(millis));
  }

  private void execute(Runnable event) {
    events.add(event);
    wake();
  }

  @Override
  public void ready() {
    wake();
  }

  @Override
  public void answered(PutStream stream, PutAnswer answer) {
    execute(() -> settle(stream, answer));
  }

  @Override
  public void closed(PutStream stream, SluiceException why) {
    execute(() -> streamLost(stream, why));
  }

  @Override
  public void run() {
    SluiceException end =
        new SluiceException(ErrorCode.CANCELLED, "The writer of " + table.path() + " was closed");
    try {
      while (!stopping) {
        signalled.set(false);
        if (turn() == 0) {
          park();
        }
      }
    } catch (RuntimeException | Error e) {
      end =
          new SluiceException(
              ErrorCode.INTERNAL, "The writer of " + table.path() + " broke: " + e, e);
    } finally {
      abandon(end);
      ended = end;
      // What was sealed until then by threads that have not seen that this has ended.
      refuseSealed(end);
      streams.finishAll();
      preparation.close();
      if (!stopping) {
        // Rows of batches that are open hear of it too, when the row that is being written is done.
        accumulator.sealAll();
        refuseSealed(end);
      }
    }
  }

  /** Does what can be done now; returns how much that was. */
  private int turn() {
    int work = 0;
    for (Runnable event = events.poll(); event != null; event = events.poll()) {
      event.run();
      work++;
    }
    long now = core.time().nanoTime();
    turnNanos = now;
    SealedBatch sealed = accumulator.poll(now, unanswered(), anySilent(now));
    if (sealed != null) {
      prepare(sealed);
      work++;
    }
    work += sendWaiting(now);
    if (now - nextCheckNanos >= 0) {
      nextCheckNanos = now + CHECK_NANOS;
      work += checkTimes(now);
    }
    return work;
  }

  /**
   * Batches on their way. Those of a bucket that takes nothing now do not count: they must not hold
   * back the rows of the others.
   */
  private int unanswered() {
    int ahead = 0;
    for (BucketQueue queue : active) {
      String leader = leaders.leaderOf(queue.bucket().id());
      if (leader != null && !queue.isRetrying() && !streams.isFailing(leader)) {
        ahead += queue.batches().size();
      }
    }
    return ahead;
  }

  private boolean anySilent(long now) {
    for (BucketQueue queue : active) {
      if (queue.silentNanos(now) >= SILENT_NANOS) {
        return true;
      }
    }
    return false;
  }

  private void park() {
    // What the turn found not to be due is due after that time, not after this one.
    long now = turnNanos;
    long wait = active.isEmpty() ? IDLE_NANOS : CHECK_NANOS;
    long due = accumulator.nextDueIn(now);
    // Due but not sealed: a thread is writing a row.
    wait = Math.min(wait, due == 0 ? BUSY_LOCK_NANOS : due);
    for (BucketQueue queue : active) {
      long pause = queue.pauseLeft(now);
      wait = pause > 0 ? Math.min(wait, pause) : wait;
    }
    accumulator.loopWaits(now, wait);
    if (!signalled.get() && !accumulator.hasSealed()) {
      LockSupport.parkNanos(this, wait);
    }
    accumulator.loopLooks();
  }

  private void prepare(SealedBatch sealed) {
    if (fatal != null) {
      preparation.refuse(sealed, fatal);
      return;
    }
    if (sealed.bucket().partition().isDropped()) {
      SluiceException why = sealed.bucket().partition().droppedFailure();
      preparation.failedForGood(writer, why);
      preparation.refuse(sealed, why);
      return;
    }
    BucketQueue queue = sealed.bucket().queue();
    boolean wasEmpty = queue.isEmpty();
    preparation.enqueue(sealed, queue, writer);
    if (wasEmpty && !queue.isEmpty()) {
      active.add(queue);
      queue.news(core.time().nanoTime());
      leaders.watch(sealed.bucket().partition().id());
    }
  }

  /** Sends at most one batch of each bucket; they take turns in being first. */
  private int sendWaiting(long now) {
    int sent = 0;
    int count = active.size();
    for (int i = 0; i < count; i++) {
      BucketQueue queue = active.get((firstServed + i) % count);
      PendingBatch next = queue.nextToSend(now);
      if (next == null) {
        continue;
      }
      PutStream stream = streamFor(queue.bucket(), now);
      if (stream != null && stream.takes(next.wireBytes())) {
        stream.send(next, nextRequest++, queue.ackedThrough(), now);
        queue.markSent();
        sent++;
      }
    }
    firstServed = count == 0 ? 0 : (firstServed + 1) % count;
    return sent;
  }

  private @Nullable PutStream streamFor(WriterBucket bucket, long now) {
    String address = leaders.leaderOf(bucket.id());
    if (address == null) {
      leaders.refresh(now);
      return null;
    }
    return streams.streamTo(address, now);
  }

  private void settle(PutStream stream, PutAnswer answer) {
    PendingBatch batch = stream.takeAnswered(answer.getRequestId(), core.time().nanoTime());
    streams.reached(stream.address());
    if (batch == null || !batch.isCurrent(answer.getRequestId())) {
      return;
    }
    BucketQueue queue = batch.bucket().queue();
    queue.news(core.time().nanoTime());
    if (answer.hasError()) {
      attemptFailed(queue, batch, PutFailures.of(stream, table, batch, answer));
    } else {
      if (batch.isWhole()) {
        rowLimit.stored(batch.rows());
      }
      batch.stored(answer);
    }
    dropFinal(queue);
  }

  private void attemptFailed(BucketQueue queue, PendingBatch batch, SluiceException why) {
    long now = core.time().nanoTime();
    if (why.code() == ErrorCode.FENCED_WRITER) {
      becomeFatal(why);
    } else if (why.code() == ErrorCode.OUT_OF_ORDER_SEQUENCE && batch.wasSentBeforeItsTurn()) {
      batch.sendOnlyAsHead();
      queue.rewindTo(batch);
    } else if (why.code() == ErrorCode.PUT_TOO_LARGE) {
      halve(queue, batch, why);
    } else if (Leaders.mayBeTransient(why)) {
      batch.attemptFailed(why);
      queue.rewindTo(batch);
      tryAgain(queue, batch, why, now);
    } else {
      if (why.code() == ErrorCode.PARTITION_NOT_FOUND) {
        queue.bucket().partition().drop();
      }
      failedForGood(queue, batch, why);
    }
  }

  private void tryAgain(BucketQueue queue, PendingBatch batch, SluiceException why, long now) {
    if (leaders.follow(queue.bucket().id(), why, batch.failures())) {
      return;
    }
    queue.pauseUntil(now + Backoff.pauseNanos(batch.failures(), why));
    if (PutFailures.leaderMayHaveMoved(why)) {
      leaders.refresh(now);
    } else if (why.code() == ErrorCode.LEADER_NOT_READY) {
      leaders.refreshSilent(now);
    }
  }

  /** The rows are not known to be stored; those of a named writer that follow them must not be. */
  private void failedForGood(BucketQueue queue, PendingBatch batch, SluiceException why) {
    preparation.failedForGood(writer, why);
    batch.failed(why);
    SluiceException end = preparation.ended();
    if (end == null) {
      return;
    }
    for (PendingBatch later : queue.batches()) {
      if (!later.isFinal() && later.baseSequence() > batch.lastSequence()) {
        later.failed(end);
      }
    }
  }

  private void halve(BucketQueue queue, PendingBatch batch, SluiceException why) {
    rowLimit.refused(batch.rows(), batch.isWhole());
    queue.rewindTo(batch);
    List<PendingBatch> parts = preparation.halve(batch, writer);
    if (parts.isEmpty()) {
      failedForGood(queue, batch, why);
    } else {
      queue.replace(batch, parts);
    }
  }

  private void streamLost(PutStream stream, SluiceException why) {
    long now = core.time().nanoTime();
    streams.lost(stream, why, now);
    leaders.refresh(now);
    for (BucketQueue queue : List.copyOf(active)) {
      boolean retried = false;
      for (PendingBatch batch : List.copyOf(queue.batches())) {
        if (fatal == null && !retried && batch.isSentOn(stream)) {
          attemptFailed(queue, batch, why);
          // Rewinding the first one that is retried takes the others with it.
          retried = !batch.isFinal();
        }
      }
      dropFinal(queue);
    }
  }

  private void dropFinal(BucketQueue queue) {
    queue.dropFinal();
    if (queue.isEmpty()) {
      active.remove(queue);
    }
  }

  /** Returns how many batches it gave up, which makes room, and buckets it has begun again. */
  private int checkTimes(long now) {
    SluiceException gone = leaders.gone();
    if (gone != null && fatal == null) {
      becomeFatal(gone);
      return 1;
    }
    int changes = 0;
    for (BucketQueue queue : List.copyOf(active)) {
      changes += failIfDropped(queue) + followLeader(queue, now);
      for (PendingBatch batch : queue.batches()) {
        if (now - batch.deadlineNanos() < 0) {
          break;
        }
        if (!batch.isFinal()) {
          failedForGood(
              queue, batch, PutFailures.timedOut(table, batch, describeLeader(batch.bucket())));
          changes++;
        }
      }
      dropFinal(queue);
    }
    streams.giveUpSilent(now);
    leaders.refreshIfWanted(now);
    return changes;
  }

  /**
   * A leader that stands still, or is cut off, answers nothing and has been replaced after a while:
   * the batches it has go to the next one, which knows those that are stored.
   *
   * @return 1 when they do, else 0
   */
  private int followLeader(BucketQueue queue, long now) {
    if (queue.isEmpty()) {
      return 0;
    }
    String leader = leaders.leaderOf(queue.bucket().id());
    PendingBatch elsewhere = leader == null ? null : queue.firstSentElsewhere(leader);
    if (elsewhere != null) {
      queue.rewindTo(elsewhere);
      queue.news(now);
      return 1;
    }
    if (queue.silentNanos(now) >= SILENT_NANOS) {
      leaders.refreshSilent(now);
    }
    return 0;
  }

  /**
   * Rows on their way into a partition that is gone do not bring it back.
   *
   * @return how many batches failed
   */
  private int failIfDropped(BucketQueue queue) {
    WriterPartition partition = queue.bucket().partition();
    if (leaders.isGone(partition.id())) {
      partition.drop();
    }
    if (!partition.isDropped()) {
      return 0;
    }
    int failed = 0;
    for (PendingBatch batch : queue.batches()) {
      if (!batch.isFinal()) {
        failedForGood(queue, batch, partition.droppedFailure());
        failed++;
      }
    }
    return failed;
  }

  private String describeLeader(WriterBucket bucket) {
    String address = leaders.leaderOf(bucket.id());
    return address == null ? "no leader is known" : streams.describe(address);
  }

  /** Ends the writer's use: all that is not final fails, and all that comes. */
  private void becomeFatal(SluiceException why) {
    fatal = why;
    abandon(why);
  }

  private void abandon(SluiceException why) {
    accumulator.refuseAll(why);
    for (BucketQueue queue : active) {
      for (PendingBatch batch : queue.batches()) {
        if (!batch.isFinal()) {
          batch.failed(why);
        }
      }
      queue.dropFinal();
    }
    active.clear();
    refuseSealed(why);
  }

  private void refuseSealed(SluiceException why) {
    SealedBatch sealed = accumulator.takeSealed();
    while (sealed != null) {
      preparation.refuse(sealed, why);
      sealed = accumulator.takeSealed();
    }
  }
}
