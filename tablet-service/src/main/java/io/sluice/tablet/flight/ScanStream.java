package io.sluice.tablet.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.protocol.flight.OutboundFrame;
import io.sluice.protocol.flight.v1.ScanMetadata;
import io.sluice.tablet.replica.Replica;
import io.sluice.tablet.replica.ReplicaOffsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * A DoGet of a table's log: batches as they are stored, those of several buckets in turn. Also
 * woken when a followed bucket's visible end or role moves.
 */
final class ScanStream extends ScanCall {
  private final ScanPlan plan;
  private final BatchSender sender;
  private final TableDirectory directory;
  private final Runnable listener = this::wakeUp;

  // Owned by the thread that runs the turn.
  private final ArrayDeque<BucketReader> readers = new ArrayDeque<>();
  private final List<Replica> listened = new ArrayList<>();
  private long remainingRows;
  private boolean opened;

  /**
   * @param sender reads and frames batches
   * @param responder the call
   * @param threads where turns run
   * @param onDone run once at the end, whatever it was
   */
  ScanStream(
      ScanPlan plan,
      BatchSender sender,
      CallResponder<OutboundFrame> responder,
      TableDirectory directory,
      FlightMeters meters,
      Executor threads,
      Runnable onDone) {
    super(responder, meters, threads, onDone);
    this.plan = plan;
    this.sender = sender;
    this.directory = directory;
    this.remainingRows = plan.limit();
    plan.ranges().forEach(range -> readers.add(new BucketReader(range)));
  }

  @Override
  void release() {
    listened.forEach(replica -> replica.removeListener(listener));
    listened.clear();
    readers.forEach(BucketReader::close);
    readers.clear();
    sender.close();
  }

  @Override
  Turn turn() {
    if (!opened) {
      opened = true;
      open();
    }
    for (int sent = 0; sent < BATCHES_A_TURN; sent++) {
      if (cancelled()) {
        return Turn.FINISHED;
      }
      if (readers.isEmpty() || remainingRows == 0) {
        return complete();
      }
      if (!isReady()) {
        return Turn.WAIT;
      }
      checkTable();
      if (!sendNext()) {
        return readers.isEmpty() ? Turn.MORE : sendProgress();
      }
    }
    return Turn.MORE;
  }

  private void open() {
    // Before the first look at the visible end, so that no move of it is missed.
    for (BucketReader reader : readers) {
      reader.replica().addListener(listener);
      listened.add(reader.replica());
    }
    send(sender.schemaFrame());
  }

  private void checkTable() {
    if (directory.replicas().table(plan.table().tableId()) == null) {
      throw new SluiceException(
          ErrorCode.TABLE_CHANGED,
          "Table "
              + plan.table().path()
              + " with id "
              + plan.table().tableId()
              + " was dropped while it was read");
    }
  }

  /** Sends the next batch of the first bucket that has one; buckets take turns. */
  private boolean sendNext() {
    for (int tried = readers.size(); tried > 0; tried--) {
      BucketReader reader = readers.removeFirst();
      int epoch;
      boolean found;
      try {
        epoch = reader.replica().requireLeader();
        found = reader.next();
      } catch (RuntimeException e) {
        reader.close();
        throw e;
      }
      if (found) {
        readers.addLast(reader);
        sendBatch(reader, epoch);
        if (reader.finished()) {
          readers.removeLast();
        }
        return true;
      }
      if (!reader.finished()) {
        readers.addLast(reader);
      }
    }
    return false;
  }

  private void sendBatch(BucketReader reader, int epoch) {
    LogBatchHeader header = reader.cursor().header();
    int from = reader.fromRow();
    int to = reader.toRow(remainingRows);
    long next = to == header.recordCount() ? header.nextOffset() : header.baseOffset() + to;
    ScanMetadata metadata =
        metadata(reader, epoch)
            .setBaseOffset(header.baseOffset() + from)
            .setNextOffset(next)
            .setAppendTimeMs(header.appendTimeMs())
            .build();
    send(sender.batchFrame(reader.replica().table(), reader.cursor(), from, to, metadata));
    remainingRows -= to - from;
    reader.delivered(to);
  }

  /** Tells a reader that wants it how far each bucket is, once for each position. */
  private Turn sendProgress() {
    if (plan.progress()) {
      for (BucketReader reader : readers) {
        long visible = reader.replica().offsets().visible();
        if (reader.progressed(visible)) {
          reader.reported(visible);
          ScanMetadata metadata =
              metadata(reader, reader.replica().requireLeader())
                  .setVisible(visible)
                  .setBaseOffset(reader.position())
                  .setNextOffset(reader.position())
                  .build();
          send(OutboundFrame.of(null, null, metadata));
        }
      }
    }
    return Turn.WAIT;
  }

  private static ScanMetadata.Builder metadata(BucketReader reader, int epoch) {
    ReplicaOffsets offsets = reader.replica().offsets();
    return ScanMetadata.newBuilder()
        .setPartitionId(reader.replica().bucket().partitionId())
        .setBucket(reader.replica().bucket().bucket())
        .setLeaderEpoch(epoch)
        .setVisible(offsets.visible());
  }
}
