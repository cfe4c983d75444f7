package io.sluice.tablet.flight;

import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.protocol.flight.v1.PutAnswer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** One uploaded message on its way into its buckets: counts their outcomes and makes the answer. */
final class UploadedMessage {
  private static final int SEVERAL_BUCKETS = -1;

  /** Hears when every bucket has answered, with the first refusal if there was one. */
  interface Done {
    void answered(UploadedMessage message, @Nullable SluiceException failure);
  }

  private final long index;
  private final int rows;
  private final int wireBytes;
  private final long arrivedNanos;
  private final Done done;
  private final List<BucketPuts> puts = new ArrayList<>();
  // One for each bucket without an outcome and one for the start itself.
  private final AtomicInteger open = new AtomicInteger(1);

  // Guarded by this.
  private int buckets;
  private @Nullable TableBucket onlyBucket;
  private long baseOffset = -1;
  private int leaderEpoch;
  private boolean duplicate = true;
  private @Nullable SluiceException failure;

  UploadedMessage(long index, int rows, int wireBytes, long arrivedNanos, Done done) {
    this.index = index;
    this.rows = rows;
    this.wireBytes = wireBytes;
    this.arrivedNanos = arrivedNanos;
    this.done = done;
  }

  int rows() {
    return rows;
  }

  int wireBytes() {
    return wireBytes;
  }

  long arrivedNanos() {
    return arrivedNanos;
  }

  /** Adds what goes into one bucket; before {@link #start}. */
  void add(BucketPuts bucket) {
    open.incrementAndGet();
    puts.add(bucket);
  }

  /** Notes a bucket that has all its rows of this message already. */
  synchronized void skipped(TableBucket bucket) {
    count(bucket);
  }

  /** Where the puts of a bucket report to. */
  BucketPuts.Outcome outcome(TableBucket bucket) {
    return new BucketPuts.Outcome() {
      @Override
      public void stored(long offset, boolean wasDuplicate, int epoch) {
        synchronized (UploadedMessage.this) {
          count(bucket);
          baseOffset = offset;
          leaderEpoch = epoch;
          duplicate &= wasDuplicate;
        }
        finishOne();
      }

      @Override
      public void refused(SluiceException why) {
        synchronized (UploadedMessage.this) {
          if (failure == null) {
            failure = why;
          }
        }
        finishOne();
      }
    };
  }

  /** Puts everything; the outcome comes on any thread, also on this one. */
  void start() {
    puts.forEach(BucketPuts::start);
    finishOne();
  }

  /** Stops what is still being tried. */
  void cancel() {
    puts.forEach(BucketPuts::cancel);
  }

  /** Gives back the batches of a message that will not be started. */
  void discard() {
    puts.forEach(BucketPuts::discard);
  }

  /** The answer when everything is stored. */
  synchronized PutAnswer answer() {
    TableBucket only = buckets == 1 ? onlyBucket : null;
    boolean one = only != null;
    return PutAnswer.newBuilder()
        .setRequestId(index)
        .setPartitionId(only == null ? 0 : only.partitionId())
        .setBucket(only == null ? SEVERAL_BUCKETS : only.bucket())
        .setBaseOffset(one ? baseOffset : -1)
        .setRows(rows)
        .setDuplicate(duplicate && rows > 0)
        .setLeaderEpoch(one ? leaderEpoch : 0)
        .build();
  }

  private void count(TableBucket bucket) {
    buckets++;
    onlyBucket = bucket;
  }

  private void finishOne() {
    if (open.decrementAndGet() == 0) {
      SluiceException found;
      synchronized (this) {
        found = failure;
      }
      done.answered(this, found);
    }
  }
}
