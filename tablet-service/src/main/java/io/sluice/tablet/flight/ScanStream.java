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
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One DoGet. Works in short turns on the scan threads, so that open scans share them fairly;
 * between turns it costs no thread:
 *
 * <pre>
 * IDLE --wakeUp--> QUEUED --a thread takes it--> RUNNING --turn over, more to send--> QUEUED
 * RUNNING --nothing to send, or the client is slow--> IDLE
 * RUNNING --wakeUp--> AGAIN --turn over--> QUEUED
 * RUNNING --all sent, failed or cancelled--> DONE
 * </pre>
 *
 * <p>It is woken when the client takes data again, when a followed bucket's visible end or role
 * moves, and when the client goes. Bytes waiting in the connection are bounded: nothing is read
 * while the call is not ready.
 */
final class ScanStream implements Runnable {
  /** Batches sent in one turn before other scans get the thread. */
  private static final int BATCHES_A_TURN = 4;

  private enum State {
    IDLE,
    QUEUED,
    RUNNING,
    AGAIN,
    DONE
  }

  /** How a turn ended. */
  private enum Turn {
    MORE,
    WAIT,
    FINISHED
  }

  private final ScanPlan plan;
  private final BatchSender sender;
  private final CallResponder<OutboundFrame> responder;
  private final TableDirectory directory;
  private final FlightMeters meters;
  private final Executor threads;
  private final Runnable onDone;
  private final AtomicReference<State> state = new AtomicReference<>(State.IDLE);
  private final Runnable listener = this::wakeUp;
  private volatile boolean cancelled;
  private volatile boolean stopping;

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
    this.plan = plan;
    this.sender = sender;
    this.responder = responder;
    this.directory = directory;
    this.meters = meters;
    this.threads = threads;
    this.onDone = onDone;
    this.remainingRows = plan.limit();
    plan.ranges().forEach(range -> readers.add(new BucketReader(range)));
  }

  /** Asks for a turn. Cheap, from any thread. */
  void wakeUp() {
    while (true) {
      State now = state.get();
      if (now == State.QUEUED || now == State.AGAIN || now == State.DONE) {
        return;
      }
      State next = now == State.IDLE ? State.QUEUED : State.AGAIN;
      if (state.compareAndSet(now, next)) {
        if (next == State.QUEUED) {
          enqueue();
        }
        return;
      }
    }
  }

  /** The client has gone. */
  void cancel() {
    cancelled = true;
    wakeUp();
  }

  /** The server stops: the scan ends with UNAVAILABLE. */
  void stop() {
    stopping = true;
    wakeUp();
  }

  @Override
  public void run() {
    state.set(State.RUNNING);
    Turn turn;
    try {
      turn = turn();
    } catch (RuntimeException | OutOfMemoryError e) {
      responder.fail(e);
      turn = Turn.FINISHED;
    }
    if (turn == Turn.FINISHED) {
      finish();
    } else if (turn == Turn.MORE || !state.compareAndSet(State.RUNNING, State.IDLE)) {
      state.set(State.QUEUED);
      enqueue();
    }
  }

  private void enqueue() {
    try {
      threads.execute(this);
    } catch (RejectedExecutionException e) {
      responder.fail(new SluiceException(ErrorCode.UNAVAILABLE, "This server is stopping", e));
      finish();
    }
  }

  private void finish() {
    state.set(State.DONE);
    listened.forEach(replica -> replica.removeListener(listener));
    listened.clear();
    readers.forEach(BucketReader::close);
    readers.clear();
    sender.close();
    onDone.run();
  }

  private Turn turn() {
    if (stopping) {
      responder.fail(
          new SluiceException(ErrorCode.UNAVAILABLE, "This server is stopping; scan elsewhere"));
    }
    if (cancelled || stopping) {
      return Turn.FINISHED;
    }
    if (!opened) {
      opened = true;
      open();
    }
    for (int sent = 0; sent < BATCHES_A_TURN; sent++) {
      if (cancelled) {
        return Turn.FINISHED;
      }
      if (readers.isEmpty() || remainingRows == 0) {
        responder.complete();
        return Turn.FINISHED;
      }
      if (!responder.isReady()) {
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

  private void send(OutboundFrame frame) {
    try (frame) {
      if (responder.send(frame)) {
        meters.sent(frame.wireBytes());
      }
    }
  }
}
