package io.sluice.client.internal;

import io.sluice.client.LogScanner;
import io.sluice.client.ScanBatch;
import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.format.batch.LogBatchDecoder;
import io.sluice.format.batch.RecordBatchMessage;
import io.sluice.format.projection.MetadataColumns;
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
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
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
  private final boolean hidesOffsets;
  private final long queueBytes;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final AtomicLong bytesReceived = new AtomicLong();
  private final LogBatchDecoder decoder;
  private final RecordBatchMessage message = new RecordBatchMessage();

  // Guarded by the lock.
  private final Map<TableBucket, BucketPosition> positions = new TreeMap<>();
  private final ArrayDeque<ReceivedBatch> queue = new ArrayDeque<>();
  private final ArrayDeque<ScanStream> heldBack = new ArrayDeque<>();
  private final ScanStreams streams;
  private long queuedBytes;
  private long rowsReceived;
  private long rowsDelivered;
  private boolean full;
  private boolean decoding;
  private boolean closed;

  StreamingLogScanner(
      ClientCore core,
      TableDescription table,
      ScanRequest request,
      List<BucketPosition> starts,
      PartitionChoice choice) {
    this.core = core;
    this.table = table;
    this.limit = request.limit() == 0 ? Long.MAX_VALUE : request.limit();
    this.current = request.current();
    this.hidesOffsets = request.needsOffsets();
    this.queueBytes = core.config().scanBufferBytes();
    this.decoder = new LogBatchDecoder(core.allocator());
    starts.forEach(start -> positions.put(start.bucket(), start));
    this.streams =
        new ScanStreams(core, table, request, positions, choice, lock, this, changed::signalAll);
  }

  void start() {
    lock.lock();
    try {
      streams.openMissing(limit);
      streams.watchPartitions();
      streams.watchLeaders();
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
    } catch (RuntimeException e) {
      // Whatever it was: a scan that went on would leave rows out.
      SluiceException why =
          e instanceof SluiceException known
              ? known
              : new SluiceException(
                  ErrorCode.INTERNAL, "A batch of " + table.path() + " cannot be decoded: " + e, e);
      failed(why);
      if (batches.isEmpty()) {
        throw why;
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
    TableBucket bucket = bucket(position);
    lock.lock();
    try {
      long allowed = limit - rowsDelivered;
      if (allowed <= 0) {
        root.close();
        return null;
      }
      BucketPosition known = positions.get(bucket);
      if (rows > allowed) {
        next = current ? next : offsetOf(root, (int) allowed, position.getBaseOffset());
        root = firstRows(root, (int) allowed);
        rows = (int) allowed;
        if (known != null) {
          known.cutAt(next);
        }
      } else if (known != null) {
        known.deliveredUpTo(next);
      }
      rowsDelivered += rows;
      if (rowsDelivered >= limit) {
        streams.cancelAll();
      }
    } finally {
      lock.unlock();
    }
    return new DecodedBatch(
        bucket,
        position.getBaseOffset(),
        next,
        position.getAppendTimeMs(),
        hidesOffsets ? withoutOffsets(root) : root);
  }

  /** Cuts a batch; also one without columns, which Arrow's slices have no rows of. */
  private static VectorSchemaRoot firstRows(VectorSchemaRoot whole, int rows) {
    VectorSchemaRoot first = whole.slice(0, rows);
    if (first.getFieldVectors().isEmpty()) {
      first.setRowCount(rows);
    }
    whole.close();
    return first;
  }

  /** Offset of a row: rows of a filtered batch have gaps between them. */
  private static long offsetOf(VectorSchemaRoot root, int row, long baseOffset) {
    return root.getVector(MetadataColumns.OFFSET) instanceof BigIntVector offsets
        ? offsets.get(row)
        : baseOffset + row;
  }

  private static VectorSchemaRoot withoutOffsets(VectorSchemaRoot root) {
    FieldVector offsets = root.getVector(MetadataColumns.OFFSET);
    int rows = root.getRowCount();
    VectorSchemaRoot rest = root.removeVector(root.getFieldVectors().indexOf(offsets));
    offsets.close();
    rest.setRowCount(rows);
    return rest;
  }

  private TableBucket bucket(ScanMetadata position) {
    return new TableBucket(table.tableId(), position.getPartitionId(), position.getBucket());
  }

  private boolean isFinished() {
    return rowsDelivered >= limit || (queue.isEmpty() && (full || streams.allComplete()));
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
    if (table.partitioned()) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Table "
              + table.path()
              + " is partitioned, so that a bucket number alone names no bucket; ask"
              + " bucketPositions()");
    }
    Map<Integer, Long> offsets = new TreeMap<>();
    bucketPositions().forEach((bucket, offset) -> offsets.put(bucket.bucket(), offset));
    return offsets;
  }

  @Override
  public Map<TableBucket, Long> bucketPositions() {
    Map<TableBucket, Long> offsets = new TreeMap<>();
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
      BucketPosition position = positions.get(bucket(metadata));
      if (closed || !streams.isOpen(stream)) {
        frame.close();
        return;
      }
      if (position == null) {
        // Of a partition that was dropped; the others of the stream go on.
        frame.close();
        stream.request(1);
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
      if (limit != Long.MAX_VALUE) {
        rowsReceived += message.read(frame.dataHeader()).rows();
      }
      streams.progressed();
      ReceivedBatch batch = new ReceivedBatch(stream, schema, metadata, frame);
      queuedBytes += batch.bytes();
      queue.addLast(batch);
      if (!streams.takeBytes(batch.bytes())) {
        full = true;
        streams.cancelAll();
      } else if (queuedBytes < queueBytes) {
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
      BucketPosition position = positions.get(bucket(metadata));
      if (position != null && streams.isOpen(stream)) {
        position.skippedTo(metadata.getNextOffset(), metadata.getLeaderEpoch());
        streams.progressed();
        if (current) {
          position.complete();
        }
        changed.signalAll();
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
