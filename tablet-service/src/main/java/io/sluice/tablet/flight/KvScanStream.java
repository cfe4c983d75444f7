package io.sluice.tablet.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchLimits;
import io.sluice.protocol.flight.OutboundFrame;
import io.sluice.protocol.flight.v1.ScanMetadata;
import io.sluice.tablet.kv.KvSchemas;
import io.sluice.tablet.kv.RowBatch;
import io.sluice.tablet.kv.RowScan;
import io.sluice.tablet.lookup.KvMeters;
import io.sluice.tablet.replica.Replica;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A DoGet of the current rows of a primary-key table: bucket after bucket, each as of one offset of
 * its changelog, in key order.
 */
final class KvScanStream extends ScanCall {
  private static final int MAX_ROWS = 8 * 1024;
  private static final int MAX_BYTES = 1 << 20;
  private static final int ROWS_BETWEEN_CHECKS = 64;

  /** Stored bytes between checks, so that a few large rows do not make a large message. */
  private static final int BYTES_BETWEEN_CHECKS = 64 * 1024;

  private final ScanPlan plan;
  private final FlightContext context;
  private final KvMeters meters;

  // Owned by the thread that runs the turn.
  private final ArrayDeque<Replica> buckets = new ArrayDeque<>();
  private @Nullable RowScan scan;
  // Has memory during a turn only: there may be many scans, and few turns at a time.
  private @Nullable RowBatch batch;
  // Whether the scan stands on a row that did not fit the last message.
  private boolean waiting;
  private long remainingRows;
  private boolean opened;

  KvScanStream(
      ScanPlan plan,
      CallResponder<OutboundFrame> responder,
      FlightContext context,
      Executor threads,
      Runnable onDone) {
    super(responder, context.meters(), threads, onDone);
    this.plan = plan;
    this.context = context;
    this.meters = context.lookups().meters();
    this.remainingRows = plan.limit();
    plan.ranges().forEach(range -> buckets.add(range.replica()));
  }

  @Override
  Turn turn() {
    try {
      return sendSome();
    } finally {
      closeBatch();
    }
  }

  private Turn sendSome() {
    if (!opened) {
      opened = true;
      send(PlainFrames.schema(plan.schema().arrow()));
    }
    for (int sent = 0; sent < BATCHES_A_TURN; sent++) {
      if (cancelled()) {
        return Turn.FINISHED;
      }
      Replica bucket = buckets.peek();
      if (bucket == null || remainingRows == 0) {
        return complete();
      }
      if (!isReady()) {
        return Turn.WAIT;
      }
      sendNext(bucket);
    }
    return Turn.MORE;
  }

  private void sendNext(Replica bucket) {
    int epoch = bucket.requireLeader();
    RowScan open = scan;
    if (open == null) {
      open = bucket.requireRows().scan();
      scan = open;
      // Of the moment it was opened: later a newer leader may have taken writes.
      bucket.requireLease();
      meters.scanned();
    }
    RowBatch rows = batch();
    boolean more = fill(rows, open);
    ScanMetadata metadata = metadata(bucket, open, epoch);
    if (rows.rowCount() > 0) {
      send(PlainFrames.rows(rows.finish(), metadata, context.scanBuffers()));
      meters.scanRows(rows.rowCount());
      remainingRows -= rows.rowCount();
      rows.reset();
    }
    if (!more) {
      if (plan.progress()) {
        send(OutboundFrame.of(null, null, metadata));
      }
      open.close();
      scan = null;
      buckets.remove();
    }
  }

  private RowBatch batch() {
    RowBatch known = batch;
    if (known == null) {
      KvSchemas schemas =
          new HostedSchemas(context.replicas(), plan.table().tableId(), plan.table().schema());
      known = plan.schema().rows(schemas, context);
      batch = known;
    }
    return known;
  }

  private void closeBatch() {
    RowBatch known = batch;
    if (known != null) {
      known.close();
      batch = null;
    }
  }

  /** Adds rows up to the size of a message; false when the bucket has no more. */
  private boolean fill(RowBatch rows, RowScan open) {
    long limit = Math.min(MAX_ROWS, remainingRows);
    long bytes = 0;
    long unchecked = 0;
    while (rows.rowCount() < limit) {
      if (rows.rowCount() % ROWS_BETWEEN_CHECKS == 0 || unchecked >= BYTES_BETWEEN_CHECKS) {
        bytes = rows.bytes();
        unchecked = 0;
        if (bytes >= MAX_BYTES) {
          return true;
        }
      }
      if (!waiting && !open.next()) {
        return false;
      }
      byte[] value = open.value();
      // A row that is large by itself has a message of its own.
      waiting =
          rows.rowCount() > 0 && bytes + unchecked + value.length > BatchLimits.MAX_BATCH_BYTES;
      if (waiting) {
        return true;
      }
      rows.add(value);
      unchecked += value.length;
    }
    return true;
  }

  private static ScanMetadata metadata(Replica bucket, RowScan open, int epoch) {
    long offset = open.position().appliedOffset();
    return ScanMetadata.newBuilder()
        .setPartitionId(bucket.bucket().partitionId())
        .setBucket(bucket.bucket().bucket())
        .setLeaderEpoch(epoch)
        .setBaseOffset(offset)
        .setNextOffset(offset)
        .setVisible(Math.max(offset, bucket.offsets().visible()))
        .build();
  }

  @Override
  void release() {
    RowScan open = scan;
    if (open != null) {
      open.close();
      scan = null;
    }
  }

  /** What a ticket must not ask for together with the current rows. */
  static SluiceException notWithRows(String what) {
    return new SluiceException(
        ErrorCode.INVALID_TICKET,
        "The ticket is wrong: kv_scan reads the current rows, which have no " + what);
  }
}
