package io.sluice.client.internal;

import io.sluice.client.LogScanner;
import io.sluice.client.ScanBatch;
import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.LogBatchDecoder;
import io.sluice.protocol.flight.FlightFrame;
import io.sluice.protocol.flight.v1.ScanMetadata;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The log scanner: streams fill a queue bounded in bytes, polls empty it and decode on the caller's
 * thread. Which streams are open is {@link ScanStreams}' business, under this scanner's lock.
 */
final class StreamingLogScanner implements LogScanner, ScanStream.Events {
  /** What one poll decodes at most, so that its answer is not late. */
  private static final long POLL_BYTES = 8L * 1024 * 1024;

  private final ClientCore core;
  private final TableDescription table;
  private final long limit;
  private final boolean current;
  private final long queueBytes;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final AtomicLong bytesReceived = new AtomicLong();
  private final LogBatchDecoder decoder;

  // Guarded by the lock.
  private final Map<Integer, BucketPosition> positions = new TreeMap<>();
  private final ArrayDeque<ReceivedBatch> queue = new ArrayDeque<>();
  private final ArrayDeque<ScanStream> heldBack = new ArrayDeque<>();
  private final ScanStreams streams;
  private long queuedBytes;
  private long rowsReceived;
  private long rowsDelivered;
  private boolean decoding;
  private boolean closed;

  StreamingLogScanner(
      ClientCore core, TableDescription table, ScanRequest request, List<BucketPosition> starts) {
    this.core = core;
    this.table = table;
    this.limit = request.limit() == 0 ? Long.MAX_VALUE : request.limit();
    this.current = request.current();
    this.queueBytes = core.config().scanBufferBytes();
    this.decoder = new LogBatchDecoder(core.allocator());
    starts.forEach(start -> positions.put(start.bucket(), start));
    this.streams =
        new ScanStreams(core, table, request, positions.values(), lock, this, changed::signalAll);
  }

  void start() {
    lock.lock();
    try {
      streams.openMissing(limit);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public List<ScanBatch> poll(Duration timeout) {
    List<ReceivedBatch> taken = await(timeout);
    if (taken.isEmpty()) {
      return List.of();
    }
    List<ScanBatch> batches = new ArrayList<>(taken.size());
    try {
      for (ReceivedBatch received : taken) {
        ScanBatch batch = decode(received);
        if (batch != null) {
          batches.add(batch);
        }
      }
    } catch (SluiceException e) {
      failed(e);
      if (batches.isEmpty()) {
        throw e;
      }
    } finally {
      taken.forEach(ReceivedBatch::close);
      decoded();
    }
    return batches;
  }

  /** Ends the scan; the next poll says why. */
  private void failed(SluiceException why) {
    lock.lock();
    try {
      queue.forEach(ReceivedBatch::close);
      queue.clear();
      streams.fail(why);
    } finally {
      lock.unlock();
    }
  }

  private void decoded() {
    lock.lock();
    try {
      decoding = false;
      if (closed) {
        decoder.close();
      }
    } finally {
      lock.unlock();
    }
  }

  private List<ReceivedBatch> await(Duration timeout) {
    long left = timeout.toNanos();
    lock.lock();
    try {
      while (queue.isEmpty() && !closed && !isFinished() && streams.failure() == null && left > 0) {
        left = changed.awaitNanos(left);
      }
      requireOpen();
      if (queue.isEmpty()) {
        SluiceException failure = streams.failure();
        if (failure != null && !isFinished()) {
          throw Waits.rethrown(failure);
        }
        return List.of();
      }
      decoding = true;
      return take();
    } catch (InterruptedException e) {
      throw Waits.interrupted("Polling the scan of " + table.path());
    } finally {
      lock.unlock();
    }
  }

  private List<ReceivedBatch> take() {
    List<ReceivedBatch> taken = new ArrayList<>();
    long bytes = 0;
    while (!queue.isEmpty()
        && (taken.isEmpty() || bytes + queue.peekFirst().bytes() <= POLL_BYTES)) {
      ReceivedBatch batch = queue.removeFirst();
      bytes += batch.bytes();
      taken.add(batch);
    }
    queuedBytes -= bytes;
    while (queuedBytes < queueBytes && !heldBack.isEmpty()) {
      heldBack.removeFirst().request(1);
    }
    return taken;
  }

  private @Nullable ScanBatch decode(ReceivedBatch received) {
    ScanMetadata position = received.position();
    ArrowBuf body = received.frame().body();
    VectorSchemaRoot root =
        decoder.decode(
            received.schema(),
            received.frame().dataHeader(),
            body == null ? core.allocator().getEmpty() : body);
    int rows = root.getRowCount();
    long next = position.getNextOffset();
    lock.lock();
    try {
      long allowed = limit - rowsDelivered;
      if (allowed <= 0) {
        root.close();
        return null;
      }
      if (rows > allowed) {
        VectorSchemaRoot whole = root;
        root = whole.slice(0, (int) allowed);
        whole.close();
        next = current ? next : position.getBaseOffset() + allowed;
        rows = (int) allowed;
      }
      rowsDelivered += rows;
      BucketPosition bucket = positions.get(position.getBucket());
      if (bucket != null) {
        bucket.deliveredUpTo(next);
      }
      if (rowsDelivered >= limit) {
        streams.cancelAll();
      }
    } finally {
      lock.unlock();
    }
    return new DecodedBatch(
        position.getBucket(), position.getBaseOffset(), next, position.getAppendTimeMs(), root);
  }

  private boolean isFinished() {
    return rowsDelivered >= limit || (queue.isEmpty() && streams.allComplete());
  }

  private void requireOpen() {
    if (closed) {
      throw new SluiceException(ErrorCode.CANCELLED, "The scan of " + table.path() + " was closed");
    }
  }

  @Override
  public boolean finished() {
    lock.lock();
    try {
      return isFinished();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long bytesReceived() {
    return bytesReceived.get();
  }

  @Override
  public Map<Integer, Long> positions() {
    Map<Integer, Long> offsets = new TreeMap<>();
    lock.lock();
    try {
      positions.forEach((bucket, position) -> offsets.put(bucket, position.delivered()));
    } finally {
      lock.unlock();
    }
    return offsets;
  }

  @Override
  public void received(int wireBytes) {
    bytesReceived.addAndGet(wireBytes);
  }

  @Override
  public void batch(ScanStream stream, Schema schema, ScanMetadata metadata, FlightFrame frame) {
    lock.lock();
    try {
      BucketPosition position = positions.get(metadata.getBucket());
      if (closed || position == null || !streams.isOpen(stream)) {
        frame.close();
        return;
      }
      if (!current && metadata.getBaseOffset() < position.received()) {
        throw new SluiceException(
            ErrorCode.INTERNAL,
            "Scan of "
                + table.path()
                + " bucket "
                + metadata.getBucket()
                + " stands at "
                + position.received()
                + " but the server sent rows from "
                + metadata.getBaseOffset());
      }
      position.receivedUpTo(metadata.getNextOffset(), metadata.getLeaderEpoch());
      rowsReceived += metadata.getNextOffset() - metadata.getBaseOffset();
      streams.progressed();
      ReceivedBatch batch = new ReceivedBatch(stream, schema, metadata, frame);
      queuedBytes += batch.bytes();
      queue.addLast(batch);
      if (queuedBytes < queueBytes) {
        stream.request(1);
      } else {
        heldBack.addLast(stream);
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void progress(ScanStream stream, ScanMetadata metadata) {
    lock.lock();
    try {
      BucketPosition position = positions.get(metadata.getBucket());
      if (position != null && streams.isOpen(stream)) {
        position.receivedUpTo(metadata.getNextOffset(), metadata.getLeaderEpoch());
        streams.progressed();
        if (current) {
          position.complete();
          position.deliveredUpTo(metadata.getNextOffset());
          changed.signalAll();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void closed(ScanStream stream, @Nullable SluiceException why) {
    lock.lock();
    try {
      heldBack.removeIf(held -> held == stream);
      if (!closed) {
        streams.closed(stream, why, limit - rowsReceived);
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      streams.cancelAll();
      queue.forEach(ReceivedBatch::close);
      queue.clear();
      heldBack.clear();
      if (!decoding) {
        decoder.close();
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    core.forget(this);
  }
}
