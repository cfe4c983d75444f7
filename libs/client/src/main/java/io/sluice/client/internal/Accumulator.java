package io.sluice.client.internal;

import io.sluice.client.ClientConfig;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import io.sluice.format.bucket.SequenceBuckets;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Collects rows into one open batch for each bucket. Appending threads hold its lock from the start
 * to the end of a row; the delivery loop takes sealed batches without it and seals what has
 * lingered when the lock is free, else the next row does.
 */
final class Accumulator implements AutoCloseable {
  private final ReentrantLock lock = new ReentrantLock();
  private final RowBufferPool pool;
  private final MemoryBudget budget;
  private final Outstanding outstanding;
  private final TimeSource time;
  private final int batchBytes;
  private final long lingerNanos;
  private final long deliveryNanos;
  private final Queue<SealedBatch> sealed = new ConcurrentLinkedQueue<>();

  // Guarded by the lock.
  private final @Nullable RowBatch[] open;
  private final LinkedHashSet<RowBatch> inOpeningOrder = new LinkedHashSet<>();
  private int sticky;

  private volatile boolean sealWanted;
  private volatile boolean sealAllWanted;
  private volatile long oldestOpenNanos;
  private volatile boolean anyOpen;
  private volatile @Nullable SluiceException refusal;

  Accumulator(
      ClientConfig config,
      int buckets,
      RowBufferPool pool,
      MemoryBudget budget,
      Outstanding outstanding,
      TimeSource time) {
    this.pool = pool;
    this.budget = budget;
    this.outstanding = outstanding;
    this.time = time;
    this.batchBytes = config.batchBytes();
    this.lingerNanos = config.linger().toNanos();
    this.deliveryNanos = config.deliveryTimeout().toNanos();
    this.open = new RowBatch[buckets];
    this.sticky = ThreadLocalRandom.current().nextInt(buckets);
  }

  /** Takes the lock for one row or more, when the buffer has room. */
  void enter() {
    requireAccepting();
    requireNoRowStarted();
    budget.awaitRoom(deliveryNanos);
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
      if (!lock.tryLock(deliveryNanos, TimeUnit.NANOSECONDS)) {
        throw new SluiceException(
            ErrorCode.TIMEOUT,
            "Another thread has started a row and neither appended nor discarded it for "
                + deliveryNanos / 1_000_000
                + " ms");
      }
    } catch (InterruptedException e) {
      throw Waits.interrupted("Waiting for the row of another thread");
    }
  }

  /** Gives the lock back. */
  void exit() {
    lock.unlock();
  }

  boolean isHeldByCaller() {
    return lock.isHeldByCurrentThread();
  }

  /** The bucket that rows without a bucket key go to now. */
  int stickyBucket() {
    return sticky;
  }

  /** The bucket of a source position in a table without a bucket key. */
  int bucketOf(long sequence) {
    return SequenceBuckets.bucket(sequence, open.length);
  }

  /** The open batch of the bucket. The lock is held. */
  RowBatch batch(int bucket) {
    RowBatch batch = open[bucket];
    if (batch == null) {
      batch = new RowBatch(bucket, pool.take(), time.nanoTime());
      open[bucket] = batch;
      inOpeningOrder.add(batch);
      if (!anyOpen) {
        oldestOpenNanos = batch.openedNanos();
        anyOpen = true;
      }
    }
    return batch;
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
    boolean wake = batch.rowCount() == 1 && lingerNanos == 0;
    wake |= batch.rowCount() == 1 && oldest() == batch;
    if (batch.measureDue(largeValue)) {
      budget.add(batch.measure(batchBytes));
      if (batch.countedBytes() >= batchBytes) {
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

  /** Adds rows that are encoded already, after those of the bucket's open batch. Lock held. */
  void addEncoded(SealedBatch batch) {
    RowBatch before = open[batch.bucket()];
    if (before != null) {
      seal(before);
    }
    outstanding.add(batch.done());
    budget.add(batch.countedBytes());
    sealed.add(batch);
    advanceSticky(batch.bucket());
  }

  private void seal(RowBatch batch) {
    open[batch.bucket()] = null;
    if (batch.rowCount() == 0) {
      pool.give(batch.rows());
    } else {
      budget.add(batch.measure(batchBytes));
      sealed.add(batch.seal(time.nanoTime() + deliveryNanos));
      advanceSticky(batch.bucket());
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

  private void advanceSticky(int bucket) {
    if (bucket == sticky) {
      sticky = (sticky + 1) % open.length;
    }
  }

  private void sealDue(long now) {
    boolean all = sealAllWanted;
    sealWanted = false;
    sealAllWanted = false;
    RowBatch oldest = oldest();
    while (oldest != null && (all || now - oldest.openedNanos() >= lingerNanos)) {
      seal(oldest);
      oldest = oldest();
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

  /** Asks for everything open to be sealed as soon as no row is being written. */
  void requestSealAll() {
    sealAllWanted = true;
    sealWanted = true;
  }

  /**
   * For the delivery loop: the next sealed batch, after sealing what has lingered.
   *
   * @param sealLingered whether batches that are not full may be sealed because they have lingered
   */
  @Nullable SealedBatch poll(long now, boolean sealLingered) {
    SealedBatch next = sealed.poll();
    if (next != null) {
      return next;
    }
    if (sealWanted || (sealLingered && anyOpen && now - oldestOpenNanos >= lingerNanos)) {
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
    return sealed.poll();
  }

  /** The next sealed batch, null when there is none. */
  @Nullable SealedBatch takeSealed() {
    return sealed.poll();
  }

  /** Nanoseconds until a batch has lingered, at least 0; {@code Long.MAX_VALUE} without any. */
  long nextDueIn(long now) {
    if (sealWanted) {
      return 0;
    }
    return anyOpen ? Math.max(lingerNanos - (now - oldestOpenNanos), 0) : Long.MAX_VALUE;
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
    lockSlowly();
    try {
      for (int bucket = 0; bucket < open.length; bucket++) {
        RowBatch batch = open[bucket];
        open[bucket] = null;
        if (batch != null) {
          batch.discard(why);
        }
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
