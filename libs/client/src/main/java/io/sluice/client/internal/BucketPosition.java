package io.sluice.client.internal;

import io.sluice.common.TableBucket;
import io.sluice.protocol.flight.v1.BucketScan;
import io.sluice.protocol.flight.v1.EndAt;
import io.sluice.protocol.flight.v1.StartAt;

/** How far a scan has come in one bucket. Guarded by the scanner's lock. */
final class BucketPosition {
  /** The end of a scan that follows. */
  static final long NEVER = Long.MAX_VALUE;

  private final TableBucket bucket;
  private final long end;
  private final boolean fromEarliest;
  private final boolean current;
  private boolean moved;
  private boolean ended;
  private long received;
  private long delivered;
  private int waiting;
  private int lastEpoch;

  /**
   * @param fromEarliest whether the start is wherever the log starts when it is first read
   */
  BucketPosition(TableBucket bucket, long start, long end, boolean fromEarliest) {
    this(bucket, start, end, fromEarliest, false);
  }

  private BucketPosition(
      TableBucket bucket, long start, long end, boolean fromEarliest, boolean current) {
    this.bucket = bucket;
    this.received = start;
    this.delivered = start;
    this.end = end;
    this.fromEarliest = fromEarliest;
    this.current = current;
  }

  /**
   * Of a scan of current rows, which is complete when the server says so or its stream ends.
   *
   * @param visible an offset that the rows are not older than
   */
  static BucketPosition ofCurrentRows(TableBucket bucket, long visible) {
    return new BucketPosition(bucket, visible, NEVER, true, true);
  }

  TableBucket bucket() {
    return bucket;
  }

  /** Whether all up to the end has been received. */
  boolean isComplete() {
    return ended || received >= end;
  }

  /** Whether some of it has been received, and not all. */
  boolean isHalfReceived() {
    return moved && !isComplete();
  }

  /** The offset after the last row received or skipped. */
  long received() {
    return received;
  }

  /** The offset after the last row given to the application, or skipped behind it. */
  long delivered() {
    return delivered;
  }

  /** A batch was received, which waits to be {@link #deliveredUpTo delivered}. */
  void receivedUpTo(long next, int epoch) {
    received = Math.max(received, next);
    lastEpoch = Math.max(lastEpoch, epoch);
    moved = true;
    waiting++;
  }

  /** The server says that there is nothing for this scan before that offset. */
  void skippedTo(long next, int epoch) {
    received = Math.max(received, next);
    lastEpoch = Math.max(lastEpoch, epoch);
    moved = true;
    if (waiting == 0) {
      delivered = Math.max(delivered, received);
    }
  }

  /** Says that the server has sent everything up to the end, holes included. */
  void complete() {
    ended = true;
  }

  /** One waiting batch was given out; what was skipped behind the last one goes with it. */
  void deliveredUpTo(long next) {
    waiting--;
    delivered = waiting == 0 && !current ? Math.max(next, received) : next;
  }

  /** The last waiting batch was given out in part: the scan goes on inside it. */
  void cutAt(long next) {
    waiting--;
    delivered = next;
  }

  /** What a ticket asks for to go on from here. */
  BucketScan toScan() {
    BucketScan.Builder scan =
        BucketScan.newBuilder()
            .setPartitionId(bucket.partitionId())
            .setBucket(bucket.bucket())
            .setLastEpoch(lastEpoch);
    if (current) {
      return scan.build();
    }
    if (fromEarliest && !moved) {
      scan.setStartAt(StartAt.START_EARLIEST);
    } else {
      scan.setStartAt(StartAt.START_OFFSET).setStart(received);
    }
    if (end == NEVER) {
      return scan.setEndAt(EndAt.END_NONE).build();
    }
    return scan.setEndAt(EndAt.END_OFFSET).setEnd(end).build();
  }
}
