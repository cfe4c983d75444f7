package io.sluice.lake.duck;

import io.sluice.client.LogScanner;
import io.sluice.client.ScanBatch;
import io.sluice.lake.union.SystemColumns;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Gives the batches of a scan to the engine as they are: no vector is copied, the batch in hand is
 * freed when the next one is taken. Adds the bucket as a column when asked to. The first batch must
 * be there before the engine is.
 */
final class TailReader extends ArrowReader {
  private static final Duration POLL = Duration.ofMillis(200);

  private final LogScanner scanner;
  private final Cancellation cancellation;
  private final boolean withBucket;
  private final Deque<ScanBatch> waiting = new ArrayDeque<>();
  private @Nullable ScanBatch batch;
  private @Nullable VectorSchemaRoot root;
  private @Nullable RuntimeException failure;
  private boolean started;
  private long rows;

  private TailReader(
      BufferAllocator allocator,
      LogScanner scanner,
      ScanBatch first,
      Deque<ScanBatch> waiting,
      Cancellation cancellation,
      boolean withBucket) {
    super(allocator);
    this.scanner = scanner;
    this.cancellation = cancellation;
    this.withBucket = withBucket;
    this.waiting.addAll(waiting);
    use(first);
  }

  /** Waits for the first rows; null when the scan has none. Does not own the scanner. */
  static @Nullable TailReader open(
      LogScanner scanner, Cancellation cancellation, boolean withBucket) {
    Deque<ScanBatch> waiting = new ArrayDeque<>();
    ScanBatch first = next(scanner, waiting, cancellation);
    if (first == null) {
      return null;
    }
    BufferAllocator allocator = first.vectors().getFieldVectors().get(0).getAllocator();
    return new TailReader(allocator, scanner, first, waiting, cancellation, withBucket);
  }

  /** The next batch with rows, or null at the end. */
  static @Nullable ScanBatch next(
      LogScanner scanner, Deque<ScanBatch> waiting, Cancellation cancellation) {
    while (true) {
      ScanBatch next = waiting.poll();
      if (next != null) {
        if (next.rowCount() > 0) {
          return next;
        }
        next.close();
        continue;
      }
      if (scanner.finished()) {
        return null;
      }
      cancellation.check();
      waiting.addAll(scanner.poll(POLL));
    }
  }

  private void use(ScanBatch next) {
    VectorSchemaRoot vectors = next.vectors();
    batch = next;
    rows += next.rowCount();
    root = withBucket ? withBucket(vectors, next.bucket()) : vectors;
  }

  private VectorSchemaRoot withBucket(VectorSchemaRoot vectors, int bucket) {
    int count = vectors.getRowCount();
    IntVector buckets = new IntVector(SystemColumns.BUCKET, allocator);
    buckets.allocateNew(count);
    for (int i = 0; i < count; i++) {
      buckets.set(i, bucket);
    }
    buckets.setValueCount(count);
    List<FieldVector> all = new ArrayList<>(vectors.getFieldVectors());
    all.add(buckets);
    return new VectorSchemaRoot(all);
  }

  @Override
  public VectorSchemaRoot getVectorSchemaRoot() {
    if (root == null) {
      throw new IllegalStateException("The tail has been read to its end");
    }
    return root;
  }

  @Override
  protected Schema readSchema() {
    return getVectorSchemaRoot().getSchema();
  }

  /** Failures are kept: what comes out of the engine is only their text. */
  @Override
  public boolean loadNextBatch() {
    if (!started) {
      started = true;
      return true;
    }
    try {
      ScanBatch next = next(scanner, waiting, cancellation);
      if (next == null) {
        return false;
      }
      release();
      use(next);
      return true;
    } catch (RuntimeException e) {
      failure = e;
      throw e;
    }
  }

  /** Why reading ended early, or null. */
  @Nullable RuntimeException failure() {
    return failure;
  }

  /** Where the batches have their memory. */
  BufferAllocator allocator() {
    return allocator;
  }

  /** Rows given out so far. */
  long rows() {
    return rows;
  }

  @Override
  public long bytesRead() {
    return scanner.bytesReceived();
  }

  private void release() {
    if (withBucket && root != null) {
      root.getVector(SystemColumns.BUCKET).close();
    }
    if (batch != null) {
      batch.close();
    }
    batch = null;
    root = null;
  }

  @Override
  protected void closeReadSource() {
    release();
    for (ScanBatch each : waiting) {
      each.close();
    }
    waiting.clear();
  }
}
