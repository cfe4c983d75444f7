package io.sluice.client.internal;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import java.util.Map;
import java.util.Set;

/** One partition that a writer writes into; the table itself when it is not partitioned. */
final class WriterPartition {
  /** Batches that a bucket may have more without an answer than another and still get the next. */
  private static final int FEW_BEHIND = 2;

  /** How many buckets are compared when rows go on to another one. */
  private static final int CANDIDATES = 16;

  private final TablePath path;
  private final String name;
  private final long id;
  private final WriterBucket[] buckets;

  // Guarded by the accumulator's lock.
  private int sticky;
  private int turn;

  private volatile boolean dropped;

  /**
   * @param name how it is shown, empty when the table is not partitioned
   * @param storedBefore the last sequences of a named writer in the buckets
   * @param firstBucket where rows without a bucket key begin
   */
  WriterPartition(
      TablePath path,
      String name,
      TableBucket first,
      int bucketCount,
      Map<TableBucket, Long> storedBefore,
      int firstBucket) {
    this.path = path;
    this.name = name;
    this.id = first.partitionId();
    this.buckets = new WriterBucket[bucketCount];
    for (int i = 0; i < bucketCount; i++) {
      TableBucket bucket = new TableBucket(first.tableId(), id, i);
      buckets[i] = new WriterBucket(this, bucket, storedBefore.getOrDefault(bucket, -1L));
    }
    this.sticky = Math.floorMod(firstBucket, bucketCount);
    this.turn = sticky;
  }

  /** Its id, 0 when the table is not partitioned. */
  long id() {
    return id;
  }

  WriterBucket bucket(int number) {
    return buckets[number];
  }

  int bucketCount() {
    return buckets.length;
  }

  /** The bucket that rows without a bucket key go to now. The accumulator's lock is held. */
  WriterBucket sticky() {
    return buckets[sticky];
  }

  /** The bucket whose turn it is, and then the one after it. The accumulator's lock is held. */
  WriterBucket takeNext() {
    WriterBucket taken = buckets[turn];
    turn = (turn + 1) % buckets.length;
    return taken;
  }

  /**
   * Rows without a bucket key go to another bucket, if there is one, when they go to one of these
   * now: to the next that is not far behind the others, so that a bucket whose leader or disk is
   * held up for a moment does not fill what may be unanswered. The accumulator's lock is held.
   */
  void leave(Set<WriterBucket> left) {
    if (!left.contains(sticky())) {
      return;
    }
    int[] others = new int[Math.min(buckets.length, CANDIDATES)];
    int[] lengths = new int[others.length];
    int found = 0;
    int fewest = Integer.MAX_VALUE;
    for (int i = 1; i < buckets.length && found < others.length; i++) {
      int other = (sticky + i) % buckets.length;
      if (!left.contains(buckets[other])) {
        others[found] = other;
        lengths[found] = buckets[other].queue().length();
        fewest = Math.min(fewest, lengths[found]);
        found++;
      }
    }
    for (int i = 0; i < found; i++) {
      if (lengths[i] <= fewest + FEW_BEHIND) {
        sticky = others[i];
        return;
      }
    }
  }

  /** Whether it is known to be gone; rows must not be routed here any more. From any thread. */
  boolean isDropped() {
    return dropped;
  }

  void drop() {
    dropped = true;
  }

  /** Why rows that were on their way are lost. */
  SluiceException droppedFailure() {
    return new SluiceException(
        ErrorCode.PARTITION_NOT_FOUND,
        "Partition "
            + name
            + " (id "
            + id
            + ") of "
            + path
            + " was dropped; rows on their way to it are lost, later ones go to a new partition");
  }

  /** For messages: nothing, or which partition. */
  String suffix() {
    return name.isEmpty() ? "" : " of partition " + name;
  }
}
