package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.format.bucket.BucketFunction;
import io.sluice.format.row.ByteAccumulator;
import io.sluice.format.row.NestedConversion;
import io.sluice.format.row.Row;
import io.sluice.format.row.RowCodec;
import io.sluice.format.row.VectorRowEncoder;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import java.util.BitSet;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * A {@link PutShape} against the table's current schema: where each current column comes from. Not
 * thread-safe.
 */
final class PutMapping {
  private static final int NOT_WRITTEN = VectorRowEncoder.ABSENT;

  private final PutShape shape;
  private final KvRules rules;
  private final TableSchema current;
  private final ColumnMapping columns;
  private final int[] positions;
  private final boolean[] key;
  private final BitSet written = new BitSet();
  private final @Nullable BucketFunction buckets;
  private final ByteAccumulator scratch = new ByteAccumulator(64);

  /**
   * Refuses a shape whose key is not the table's key any more, one that gives ids, and one of some
   * columns where rows are taken whole.
   */
  PutMapping(PutShape shape, KvRules rules) {
    this.shape = shape;
    this.rules = rules;
    this.current = rules.schema();
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
      if (positions[i] >= 0) {
        written.set(i);
      }
      boolean given = column.writeDefault() != null || i == rules.merge().autoIncrementColumn();
      boolean required = !column.nullable() && !given;
      if (positions[i] < 0 && shape.partial() && required) {
        throw new SluiceException(
            ErrorCode.INVALID_ARGUMENT,
            "Column '"
                + column.name()
                + "' must be a target column: it is NOT NULL and has no default");
      }
    }
    checkRules();
  }

  private void checkRules() {
    int ids = rules.merge().autoIncrementColumn();
    if (ids >= 0 && writes(ids)) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Column '"
              + current.columns().get(ids).name()
              + "' gets its values from the server (auto-increment.fields); leave it out of the"
              + " rows that are put");
    }
    if (shape.partial() && !rules.merge().takesPartialUpdates()) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "A table with 'table.merge-engine' = '"
              + rules.merge().engine().text()
              + "' takes whole rows only; put all columns");
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

  boolean isFor(PutShape otherShape, KvRules otherRules) {
    return shape == otherShape && rules == otherRules;
  }

  /** The key of a row of the put. */
  RowKey key(Row row) {
    scratch.clear();
    shape.keys().encode(row, scratch);
    return new RowKey(scratch.toByteArray());
  }

  /** The bucket of each row, null when it is not to be checked. */
  int @Nullable [] buckets(VectorSchemaRoot rows) {
    if (buckets == null) {
      return null;
    }
    int[] found = new int[rows.getRowCount()];
    buckets.buckets(rows, found);
    return found;
  }

  /** What is wrong with a row of another bucket. */
  SluiceException wrongBucket(int found, TableBucket bucket) {
    int count = buckets == null ? 0 : buckets.bucketCount();
    return new SluiceException(
        ErrorCode.INVALID_ARGUMENT,
        "its key belongs to bucket "
            + found
            + " of "
            + count
            + ", not to bucket "
            + bucket.bucket());
  }

  /** Encodes rows of the put in the current schema. */
  VectorRowEncoder encoder(RowCodec codec, VectorSchemaRoot rows) {
    return VectorRowEncoder.of(codec, shape.rows().columns(), rows, positions);
  }

  /** The columns that the put gives a value. Not to be changed. */
  BitSet written() {
    return written;
  }

  /** Whether nothing of a row before is in the row that an upsert leaves. */
  boolean writesAll() {
    return written.cardinality() == positions.length;
  }

  /** Position of the column whose values the server gives, -1 for none. */
  int idColumn() {
    return rules.merge().autoIncrementColumn();
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
