package io.sluice.client.internal;

import io.sluice.client.ClientConfig;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import io.sluice.common.Uninterruptibly;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Collects rows into one open batch for each bucket. Appending threads hold its lock from the start
 * to the end of a row; the delivery loop takes sealed batches without it and seals what has
 * lingered when the lock is free, else the next row does.
 */
final class Accumulator implements AutoCloseable {
  /** Batches without an answer from which on only full batches are sent. */
  private static final int MAX_BATCHES_AHEAD = 8;

  /** Full batches that wait to be encoded; more would only be cold when their turn comes. */
  private static final int MAX_SEALED_BATCHES = 4;

  /** So much of the buffer allows one open batch: 256 of them by default. */
  private static final long BUFFER_FOR_OPEN_BATCH = 256 * 1024;

  private static final int MIN_OPEN_BATCHES = 16;
  private static final long AWAKE = Long.MAX_VALUE;

  private final ReentrantLock lock = new ReentrantLock();
  private final RowBufferPool pool;
  private final MemoryBudget budget;
  private final Outstanding outstanding;
  private final TimeSource time;
  private final int batchBytes;
  private final long lingerNanos;
  private final long deliveryNanos;
  private final int maxOpenBatches;
  private final RowLimit rowLimit;
  private final MemoryBudget backlog;
  private final Queue<SealedBatch> sealed = new ConcurrentLinkedQueue<>();

  // Guarded by the lock.
  private final AppendPace pace;
  private final LinkedHashSet<RowBatch> inOpeningOrder = new LinkedHashSet<>();
  private volatile int unanswered;
  private volatile boolean anySilent;
  private volatile boolean sealWanted;
  private volatile boolean sealAllWanted;
  private volatile long oldestOpenNanos;
  private volatile boolean anyOpen;
  // When the delivery loop looks for work if nothing wakes it; AWAKE while it does not wait.
  private volatile long nextLookNanos = AWAKE;
  private volatile @Nullable SluiceException refusal;

  Accumulator(
      ClientConfig config,
      RowBufferPool pool,
      MemoryBudget budget,
      Outstanding outstanding,
      RowLimit rowLimit,
      TimeSource time) {
    this.pool = pool;
    this.rowLimit = rowLimit;
    this.budget = budget;
    this.outstanding = outstanding;
    this.time = time;
    this.batchBytes = config.batchBytes();
    this.lingerNanos = config.linger().toNanos();
    this.deliveryNanos = config.deliveryTimeout().toNanos();
    this.maxOpenBatches =
        (int)
            Math.min(
                Integer.MAX_VALUE,
                Math.max(MIN_OPEN_BATCHES, config.bufferBytes() / BUFFER_FOR_OPEN_BATCH));
    this.pace = new AppendPace(lingerNanos, batchBytes, time.nanoTime());
    this.backlog =
        new MemoryBudget(
            (long) MAX_SEALED_BATCHES * batchBytes, "The queue of batches to be encoded", time);
  }

  /** Sets what a thread runs before it waits for the delivery loop to take sealed batches. */
  void whenBacklogFull(Runnable wakeLoop) {
    backlog.whenFull(wakeLoop);
  }

  /** Takes the lock for one row or more, when the buffer has room. */
  void enter() {
    requireAccepting();
    requireNoRowStarted();
    budget.awaitRoom(deliveryNanos);
    backlog.awaitRoom(deliveryNanos);
    if (!lock.tryLock()) {
      lockSlowly();
    }
    try {
      requireAccepting();
    } catch (SluiceException e) {
      lock.unlock();
      throw e;
    }
  }

  private void requireNoRowStarted() {
    if (lock.isHeldByCurrentThread()) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "This thread has started a row; append or discard it before anything else");
    }
  }

  private void lockSlowly() {
    try {
      awaitLock();
    } catch (InterruptedException e) {
      throw Waits.interrupted("Waiting for the row of another thread");
    }
  }

  private void awaitLock() throws InterruptedException {
    if (!lock.tryLock(deliveryNanos, TimeUnit.NANOSECONDS)) {
      throw new SluiceException(
          ErrorCode.TIMEOUT,
          "Another thread has started a row and neither appended nor discarded it for "
              + deliveryNanos / 1_000_000
              + " ms");
    }
  }

  /** Gives the lock back. */
  void exit() {
    lock.unlock();
  }

  boolean isHeldByCaller() {
    return lock.isHeldByCurrentThread();
  }

  /** The open batch of the bucket. The lock is held. */
  RowBatch batch(WriterBucket bucket) {
    RowBatch batch = bucket.open();
    if (batch == null) {
      if (inOpeningOrder.size() >= maxOpenBatches) {
        makeRoomForOne();
      }
      batch = new RowBatch(bucket, pool.take(), time.nanoTime());
      bucket.open(batch);
      inOpeningOrder.add(batch);
      if (!anyOpen) {
        oldestOpenNanos = batch.openedNanos();
        anyOpen = true;
      }
    }
    return batch;
  }

  /** An open batch holds memory for its first rows, which the budget does not count. */
  private void makeRoomForOne() {
    RowBatch oldest = oldest();
    if (oldest != null) {
      seal(oldest);
      // The row that comes wakes the loop.
      sealWanted = true;
    }
  }

  /**
   * After each row, the lock still held: seals the batch when it is full.
   *
   * @param largeValue whether the row may be larger than usual
   * @return whether the delivery loop has something to do
   */
  boolean rowAdded(RowBatch batch, boolean largeValue) {
    if (batch.rowCount() == 1) {
      outstanding.add(batch.done());
    }
    pace.rowAdded();
    boolean wake = batch.rowCount() == 1 && mayBeSeenTooLate(batch);
    if (batch.measureDue(largeValue)) {
      int mostRows = rowLimit.rows();
      budget.add(batch.measure(batchBytes, mostRows));
      if (batch.countedBytes() >= batchBytes || batch.rowCount() >= mostRows) {
        seal(batch);
        wake = true;
      }
    }
    if (sealWanted) {
      sealDue(time.nanoTime());
      wake = true;
    }
    return wake;
  }

  /** Whether the delivery loop waits for longer than the first row of the batch may. */
  private boolean mayBeSeenTooLate(RowBatch batch) {
    if (lingerNanos == 0) {
      return true;
    }
    if (!isFirstWithRows(batch)) {
      return false;
    }
    long look = nextLookNanos;
    long opened = batch.openedNanos();
    long mayWait = Math.min(pace.waitLeft(opened, unanswered), lingerNanos);
    return look == AWAKE || look - opened > mayWait;
  }

  /** A batch stays open without a row when its first one could not be written. */
  private boolean isFirstWithRows(RowBatch batch) {
    for (RowBatch each : inOpeningOrder) {
      if (each == batch || each.rowCount() > 0) {
        return each == batch;
      }
    }
    return false;
  }

  /** The delivery loop waits for this time unless something wakes it. */
  void loopWaits(long now, long nanos) {
    nextLookNanos = now + nanos;
  }

  /** The delivery loop looks for work again. */
  void loopLooks() {
    nextLookNanos = AWAKE;
  }

  /**
   * Adds rows that are encoded already, after those of the bucket's open batch. Lock held.
   *
   * @return whether the delivery loop has something to do
   */
  boolean addEncoded(SealedBatch batch) {
    RowBatch before = batch.bucket().open();
    if (before != null) {
      seal(before);
    }
    outstanding.add(batch.done());
    budget.add(batch.countedBytes());
    backlog.add(batch.countedBytes());
    sealed.add(batch);
    batch.bucket().partition().leave(Set.of(batch.bucket()));
    // The loop looks for sealed batches after each that it sends.
    return !batch.bucket().queue().hasUnsent();
  }

  /** Whether there is a sealed batch that the delivery loop has not taken. */
  boolean hasSealed() {
    return !sealed.isEmpty();
  }

  private void seal(RowBatch batch) {
    batch.bucket().open(null);
    if (batch.rowCount() == 0) {
      pool.give(batch.rows());
    } else {
      budget.add(batch.measure(batchBytes, rowLimit.rows()));
      pace.sealed(batch.rowCount(), batch.countedBytes());
      backlog.add(batch.countedBytes());
      sealed.add(batch.seal(time.nanoTime() + deliveryNanos));
      batch.bucket().partition().leave(Set.of(batch.bucket()));
    }
    inOpeningOrder.remove(batch);
    RowBatch oldest = oldest();
    if (oldest == null) {
      anyOpen = false;
    } else {
      oldestOpenNanos = oldest.openedNanos();
    }
  }

  private @Nullable RowBatch oldest() {
    Iterator<RowBatch> order = inOpeningOrder.iterator();
    return order.hasNext() ? order.next() : null;
  }

  private void sealDue(long now) {
    boolean all = sealAllWanted;
    sealWanted = false;
    sealAllWanted = false;
    boolean lingered = unanswered < MAX_BATCHES_AHEAD;
    RowBatch oldest = oldest();
    while (oldest != null && (all || (lingered && now - oldest.openedNanos() >= lingerNanos))) {
      seal(oldest);
      oldest = oldest();
    }
    if (oldest != null && !lingered && anySilent) {
      sealBesideSilent(now);
    }
    if (oldest != null && pace.isSlow(now, unanswered, inOpeningOrder.size())) {
      sealIdle(now);
    }
  }

  /**
   * Seals what has lingered of buckets that await no answer: what a silent leader has must not hold
   * them back. Rows without a bucket key leave the other ones.
   */
  private void sealBesideSilent(long now) {
    Set<WriterBucket> waiting = new HashSet<>();
    for (RowBatch batch : List.copyOf(inOpeningOrder)) {
      if (now - batch.openedNanos() < lingerNanos) {
        break;
      }
      if (batch.bucket().queue().isIdle()) {
        seal(batch);
      } else {
        waiting.add(batch.bucket());
      }
    }
    waiting.forEach(bucket -> bucket.partition().leave(waiting));
  }

  /** Seals what need not wait: a bucket that awaits an answer collects what comes until then. */
  private void sealIdle(long now) {
    for (RowBatch batch : List.copyOf(inOpeningOrder)) {
      if (batch.bucket().queue().isIdle()) {
        if (batch.rowCount() > 0) {
          pace.sent(now);
        }
        seal(batch);
      }
    }
  }

  /** Seals every open batch. Blocks while another thread writes a row. */
  void sealAll() {
    requireNoRowStarted();
    lockSlowly();
    try {
      sealAllWanted = true;
      sealDue(time.nanoTime());
    } finally {
      lock.unlock();
    }
  }

  /** Makes room when the buffer is full of open batches and nothing else would make any. */
  void requestRoom() {
    if (unanswered == 0 && sealed.isEmpty()) {
      sealAllWanted = true;
      sealWanted = true;
    }
  }

  /**
   * For the delivery loop: the next sealed batch, after sealing what has lingered or need not wait.
   *
   * <p>While many batches are unanswered, rows collect in the open ones whatever the linger time: a
   * server that falls behind gets fewer and larger puts, not a queue that grows. The answer that
   * makes room wakes the loop.
   *
   * @param nowUnanswered batches on their way
   * @param nowAnySilent whether a bucket has waited long for the answer to one of them
   */
  @Nullable SealedBatch poll(long now, int nowUnanswered, boolean nowAnySilent) {
    unanswered = nowUnanswered;
    anySilent = nowAnySilent;
    SealedBatch next = takeSealed();
    if (next != null) {
      return next;
    }
    if (sealWanted || (anyOpen && mayBeDue(now))) {
      if (lock.tryLock()) {
        try {
          sealDue(now);
        } finally {
          lock.unlock();
        }
      } else {
        sealWanted = true;
      }
    }
    return takeSealed();
  }

  /** The next sealed batch, null when there is none. */
  @Nullable SealedBatch takeSealed() {
    SealedBatch next = sealed.poll();
    if (next != null) {
      backlog.release(next.countedBytes());
    }
    return next;
  }

  /** Nanoseconds until an open batch, or one of rows about to come, may have to be sealed. */
  long nextDueIn(long now) {
    if (sealWanted) {
      return 0;
    }
    long wait = pace.waitLeft(now, unanswered);
    if (!anyOpen || unanswered >= MAX_BATCHES_AHEAD) {
      // With a look at that time, the rows that come until then need not wake the loop.
      return wait > 0 ? wait : Long.MAX_VALUE;
    }
    long left = Math.max(lingerNanos - (now - oldestOpenNanos), 0);
    return Math.min(left, wait > 0 ? wait : AppendPace.WINDOW_NANOS);
  }

  private boolean mayBeDue(long now) {
    return pace.waitLeft(now, unanswered) == 0
        || ((unanswered < MAX_BATCHES_AHEAD || anySilent) && now - oldestOpenNanos >= lingerNanos);
  }

  /** Refuses all further rows with this failure. */
  void refuseAll(SluiceException why) {
    refusal = why;
  }

  private void requireAccepting() {
    SluiceException why = refusal;
    if (why != null) {
      throw Waits.rethrown(why);
    }
  }

  /** When delivery of what is sealed now is given up. */
  long deadline() {
    return time.nanoTime() + deliveryNanos;
  }

  /** Frees the memory of batches that nobody sends, after the loop has ended; their rows fail. */
  @Override
  public void close() {
    SluiceException refused = refusal;
    SluiceException why =
        refused == null
            ? new SluiceException(
                ErrorCode.CANCELLED, "The writer was closed before it sent the row")
            : refused;
    // An interruption only counts afterwards: memory must not be lost.
    Uninterruptibly.run(this::awaitLock);
    try {
      for (RowBatch batch : inOpeningOrder) {
        batch.bucket().open(null);
        batch.discard(why);
      }
      inOpeningOrder.clear();
      for (SealedBatch left = sealed.poll(); left != null; left = sealed.poll()) {
        if (left.rows() != null) {
          left.rows().close();
        }
        if (left.encoded() != null) {
          left.encoded().forEach(BatchCutter.Cut::close);
        }
        PendingBatch.failFutures(left.futures(), 0, left.rowCount(), why);
        left.done().complete(null);
      }
    } finally {
      lock.unlock();
    }
    pool.close();
  }
}
