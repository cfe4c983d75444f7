package io.sluice.client.internal;

import io.sluice.client.ScanBatch;
import io.sluice.format.row.Row;
import io.sluice.format.row.VectorRow;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.arrow.vector.VectorSchemaRoot;

/** A batch given to the application. */
final class DecodedBatch implements ScanBatch {
  private final int bucket;
  private final long baseOffset;
  private final long nextOffset;
  private final long appendTimeMs;
  private final VectorSchemaRoot root;
  private boolean closed;

  DecodedBatch(
      int bucket, long baseOffset, long nextOffset, long appendTimeMs, VectorSchemaRoot root) {
    this.bucket = bucket;
    this.baseOffset = baseOffset;
    this.nextOffset = nextOffset;
    this.appendTimeMs = appendTimeMs;
    this.root = root;
  }

  @Override
  public int bucket() {
    return bucket;
  }

  @Override
  public long baseOffset() {
    return baseOffset;
  }

  @Override
  public long nextOffset() {
    return nextOffset;
  }

  @Override
  public int rowCount() {
    return root.getRowCount();
  }

  @Override
  public VectorSchemaRoot vectors() {
    return root;
  }

  @Override
  public Iterable<Row> rows() {
    return () -> new Rows(root);
  }

  @Override
  public long appendTimeMs() {
    return appendTimeMs;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      root.close();
    }
  }

  private static final class Rows implements Iterator<Row> {
    private final VectorRow row;
    private final int count;
    private int next;

    Rows(VectorSchemaRoot root) {
      this.row = new VectorRow(root);
      this.count = root.getRowCount();
    }

    @Override
    public boolean hasNext() {
      return next < count;
    }

    @Override
    public Row next() {
      if (next >= count) {
        throw new NoSuchElementException("The batch has " + count + " rows");
      }
      return row.at(next++);
    }
  }
}
