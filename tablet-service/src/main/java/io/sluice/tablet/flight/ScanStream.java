package io.sluice.tablet.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.protocol.flight.OutboundFrame;
import io.sluice.protocol.flight.v1.ScanMetadata;
import io.sluice.tablet.replica.HostedTable;
import io.sluice.tablet.replica.Replica;
import io.sluice.tablet.replica.ReplicaOffsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A DoGet of a table's log: batches as they are stored, those of several buckets in turn. Also
 * woken when a followed bucket's visible end or role moves.
 *
 * <p>A scan of few buckets that has reached the end takes what is appended next on its connection's
 * event loop, as long as that is little at a time: it lies in the page cache, and each row saves a
 * change of threads on its way out. Whatever is more than that goes back to the scan threads.
 */
final class ScanStream extends ScanCall {
  /** Work before other scans get the thread; a batch that is skipped costs 1. */
  private static final int WORK_A_TURN = 64;

  /** Stored bytes of a batch, and of all batches from end to end, up to which they are little. */
  private static final int LITTLE_BYTES = 64 * 1024;

  /** Buckets that are looked at on an event loop; each wake-up looks at all of them. */
  private static final int FEW_BUCKETS = 64;

  /** What became of a step. */
  private enum Step {
    SENT,
    SKIPPED,
    TOO_LARGE,
    NONE
  }

  private final ScanPlan plan;
  private final BatchSender sender;
  private final TableDirectory directory;
  private final @Nullable Executor loop;
  private final Runnable listener = this::wakeUp;
  // Only where there is a loop. Set by the turn before the call is idle, read by whoever wakes it.
  private volatile boolean trickling;

  // Owned by the thread that runs the turn.
  private final ArrayDeque<BucketReader> readers = new ArrayDeque<>();
  private final List<Replica> listened = new ArrayList<>();
  private long remainingRows;
  private long remainingBytes;
  // Of the batches since the scan was last at the end.
  private long newBytes;
  private boolean onLoop;
  private boolean opened;

  /**
   * @param sender reads and frames batches
   * @param responder the call
   * @param threads where turns run that may take long
   * @param loop the event loop of the call's connection, null when it is not known
   * @param onDone run once at the end, whatever it was
   */
  ScanStream(
      ScanPlan plan,
      BatchSender sender,
      CallResponder<OutboundFrame> responder,
      TableDirectory directory,
      FlightMeters meters,
      Executor threads,
      @Nullable Executor loop,
      Runnable onDone) {
    super(responder, meters, threads, onDone);
    this.plan = plan;
    // An exact filter decodes rows, which may be many in few stored bytes.
    this.loop = plan.filter().exact() || plan.ranges().size() > FEW_BUCKETS ? null : loop;
    this.sender = sender;
    this.directory = directory;
    this.remainingRows = plan.limit();
    this.remainingBytes = plan.maxBytes();
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
  Executor threads() {
    return trickling ? Objects.requireNonNull(loop) : super.threads();
  }

  @Override
  Turn turn() {
    if (!opened) {
      opened = true;
      open();
    }
    onLoop = trickling;
    trickling = false;
    for (int work = 0; work < WORK_A_TURN; ) {
      if (cancelled()) {
        return Turn.FINISHED;
      }
      if (readers.isEmpty() || remainingRows == 0 || remainingBytes <= 0) {
        return complete();
      }
      if (!isReady()) {
        return Turn.WAIT;
      }
      checkTable();
      Step step = next();
      if (step == Step.NONE) {
        trickling = loop != null && (newBytes == 0 ? onLoop : newBytes <= LITTLE_BYTES);
        newBytes = 0;
        return readers.isEmpty() ? Turn.MORE : sendProgress();
      }
      if (step == Step.TOO_LARGE || (onLoop && newBytes > LITTLE_BYTES)) {
        return Turn.MORE;
      }
      work += step == Step.SENT ? WORK_A_TURN / BATCHES_A_TURN : 1;
    }
    // A long stretch without a wanted row is told of too, so that it is not read again.
    for (BucketReader reader : readers) {
      tellSkipped(reader);
    }
    trickling = onLoop;
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

  /** The failure that says that the bucket's partition is gone, when that is why. */
  private SluiceException explained(BucketReader reader, SluiceException why) {
    long partition = reader.replica().bucket().partitionId();
    HostedTable now = directory.replicas().table(plan.table().tableId());
    if (partition == TableBucket.NO_PARTITION
        || now == null
        || now.partitions().containsKey(partition)) {
      return why;
    }
    return new SluiceException(
        ErrorCode.PARTITION_NOT_FOUND,
        "Partition " + partition + " of " + plan.table().path() + " was dropped while it was read",
        Map.of("partition_id", Long.toString(partition)),
        why);
  }

  /** Deals with the next batch of the first bucket that has one; buckets take turns. */
  private Step next() {
    for (int tried = readers.size(); tried > 0; tried--) {
      // Stays in the queue, and so is closed in the end, whatever happens.
      BucketReader reader = readers.removeFirst();
      readers.addLast(reader);
      Step step;
      try {
        int epoch = reader.replica().requireLeader();
        step = reader.next() ? send(reader, epoch) : Step.NONE;
      } catch (SluiceException e) {
        throw explained(reader, e);
      }
      if (reader.finished()) {
        readers.removeLast();
        tellSkipped(reader);
      }
      if (step != Step.NONE) {
        return step;
      }
    }
    return Step.NONE;
  }

  private Step send(BucketReader reader, int epoch) {
    int stored = reader.cursor().header().length();
    if (onLoop && stored > LITTLE_BYTES) {
      // The next turn comes back to this batch.
      reader.close();
      return Step.TOO_LARGE;
    }
    newBytes += stored;
    int from = reader.fromRow();
    BatchSender.Piece piece =
        sender.piece(
            reader.replica().table(),
            reader.cursor(),
            from,
            reader.toRow(),
            remainingRows,
            metadata(reader, epoch));
    OutboundFrame frame = piece.frame();
    if (frame == null) {
      reader.skipped(piece.nextOffset());
      return Step.SKIPPED;
    }
    remainingRows -= piece.rows();
    remainingBytes -= plan.maxBytes() == Long.MAX_VALUE ? 0 : frame.wireBytes();
    send(frame);
    reader.delivered(piece.nextOffset());
    return Step.SENT;
  }

  /** Tells a reader that wants it where a bucket stands, when it was not told by the last rows. */
  private void tellSkipped(BucketReader reader) {
    if (plan.progress() && reader.hasSkipped()) {
      tell(reader, reader.replica().requireLeader(), reader.replica().offsets().visible());
    }
  }

  /** Tells a reader that wants it how far each bucket is, once for each position. */
  private Turn sendProgress() {
    if (plan.progress()) {
      for (BucketReader reader : readers) {
        long visible = reader.replica().offsets().visible();
        if (reader.progressed(visible)) {
          tell(reader, reader.replica().requireLeader(), visible);
        }
      }
    }
    return Turn.WAIT;
  }

  private void tell(BucketReader reader, int epoch, long visible) {
    reader.reported(visible);
    ScanMetadata metadata =
        metadata(reader, epoch)
            .setVisible(visible)
            .setBaseOffset(reader.position())
            .setNextOffset(reader.position())
            .build();
    send(OutboundFrame.of(null, null, metadata));
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
