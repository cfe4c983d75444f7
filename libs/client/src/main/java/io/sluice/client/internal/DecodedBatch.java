package io.sluice.client.internal;

import io.sluice.client.ScanBatch;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.format.batch.ChangeType;
import io.sluice.format.projection.MetadataColumns;
import io.sluice.format.row.Row;
import io.sluice.format.row.VectorRow;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;

/** A batch given to the application. */
final class DecodedBatch implements ScanBatch {
  private static final List<ChangeType> CHANGE_TYPES = List.of(ChangeType.values());

  private final TableBucket bucket;
  private final long baseOffset;
  private final long nextOffset;
  private final long appendTimeMs;
  private final VectorSchemaRoot root;
  private boolean closed;

  DecodedBatch(
      TableBucket bucket,
      long baseOffset,
      long nextOffset,
      long appendTimeMs,
      VectorSchemaRoot root) {
    this.bucket = bucket;
    this.baseOffset = baseOffset;
    this.nextOffset = nextOffset;
    this.appendTimeMs = appendTimeMs;
    this.root = root;
  }

  @Override
  public int bucket() {
    return bucket.bucket();
  }

  @Override
  public TableBucket tableBucket() {
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
  public List<ChangeType> changeTypes() {
    if (!(root.getVector(MetadataColumns.CHANGE_TYPE) instanceof VarCharVector vector)) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "The scan has no change types; open it with Scan.withChangeType()");
    }
    List<ChangeType> changes = new ArrayList<>(root.getRowCount());
    for (int i = 0; i < root.getRowCount(); i++) {
      changes.add(changeType(new String(vector.get(i), StandardCharsets.UTF_8)));
    }
    return changes;
  }

  private static ChangeType changeType(String text) {
    for (ChangeType each : CHANGE_TYPES) {
      if (each.shortText().equals(text)) {
        return each;
      }
    }
    throw new SluiceException(ErrorCode.INTERNAL, "The server sent the change type '" + text + "'");
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
