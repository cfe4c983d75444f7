package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.format.bucket.BucketFunction;
import io.sluice.format.row.NestedConversion;
import io.sluice.format.row.Row;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import org.jspecify.annotations.Nullable;

/**
 * A {@link PutShape} against the table's current schema: where each current column comes from. Not
 * thread-safe.
 */
final class PutMapping {
  private static final int NOT_WRITTEN = -1;

  private final PutShape shape;
  private final TableSchema current;
  private final ColumnMapping columns;
  private final int[] positions;
  private final boolean[] key;
  private final @Nullable BucketFunction buckets;

  /** Refuses a shape whose key is not the table's key any more. */
  PutMapping(PutShape shape, TableSchema current) {
    this.shape = shape;
    this.current = current;
    this.columns = ColumnMapping.ofPut(current, shape.rows());
    this.positions = new int[current.size()];
    this.key = new boolean[positions.length];
    this.buckets = shape.bucketFunction();
    for (String name : current.primaryKey()) {
      key[current.position(name)] = true;
    }
    for (int i = 0; i < positions.length; i++) {
      Column column = current.columns().get(i);
      positions[i] = columns.position(i);
      if (key[i]) {
        checkKey(column, positions[i]);
      }
      if (positions[i] >= 0 && !shape.writes(column.id())) {
        positions[i] = NOT_WRITTEN;
      }
      boolean required = !column.nullable() && column.writeDefault() == null;
      if (positions[i] < 0 && shape.partial() && required) {
        throw new SluiceException(
            ErrorCode.INVALID_ARGUMENT,
            "Column '"
                + column.name()
                + "' must be a target column: it is NOT NULL and has no default");
      }
    }
  }

  private void checkKey(Column column, int position) {
    if (position < 0 || !shape.rows().columns().get(position).type().equals(column.type())) {
      throw new SluiceException(
          ErrorCode.SCHEMA_CHANGED,
          "Key column '"
              + column.name()
              + "' ("
              + column.type()
              + ") is not in schema "
              + shape.rows().schemaId()
              + " of the put; put with schema "
              + current.schemaId());
    }
  }

  boolean isFor(PutShape otherShape, TableSchema otherCurrent) {
    return shape == otherShape && current == otherCurrent;
  }

  /** The key of a row of the put, which must belong to the bucket. */
  RowKey key(Row row, TableBucket bucket) {
    RowKey rowKey = new RowKey(shape.keys().encode(row));
    if (buckets != null && buckets.bucket(row) != bucket.bucket()) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "its key belongs to bucket "
              + buckets.bucket(row)
              + " of "
              + buckets.bucketCount()
              + ", not to bucket "
              + bucket.bucket());
    }
    return rowKey;
  }

  int columnCount() {
    return positions.length;
  }

  /** Whether the put gives the column a value. */
  boolean writes(int column) {
    return positions[column] != NOT_WRITTEN;
  }

  /** Position of the column in the rows of the put. */
  int position(int column) {
    return positions[column];
  }

  /** What turns the put's nested values into those of the column, null for nothing. */
  @Nullable NestedConversion conversion(int column) {
    return columns.conversion(column);
  }

  /** A row with the write defaults. */
  Row defaults() {
    return columns.defaults();
  }

  boolean isKey(int column) {
    return key[column];
  }
}
