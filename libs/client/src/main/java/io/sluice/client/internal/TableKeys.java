package io.sluice.client.internal;

import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.bucket.BucketFunction;
import io.sluice.format.row.KeyEncoder;
import io.sluice.format.row.Row;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;

/** The primary keys of one table: checks them, encodes them, finds their buckets. Thread-safe. */
final class TableKeys {
  private final TableDescription table;
  private final TableSchema schema;
  private final KeyEncoder encoder;

  // Guarded by this.
  private final BucketFunction buckets;

  /**
   * @param table a table with a primary key
   */
  TableKeys(TableDescription table) {
    this.table = table;
    List<Column> columns = new ArrayList<>();
    table.schema().primaryKey().forEach(name -> columns.add(table.schema().column(name)));
    this.schema = new TableSchema(table.schema().schemaId(), columns, table.schema().primaryKey());
    this.encoder = KeyEncoder.of(schema);
    this.buckets = BucketFunction.of(schema, bucketKey(table), table.bucketCount());
  }

  /** The columns that choose the bucket. */
  static List<String> bucketKey(TableDescription table) {
    if (!table.bucketKey().isEmpty()) {
      return table.bucketKey();
    }
    List<String> key = new ArrayList<>(table.schema().primaryKey());
    key.removeAll(table.partitionKeys());
    return key;
  }

  /** The key columns in key order. */
  TableSchema schema() {
    return schema;
  }

  /** The row key. INVALID_VALUE naming the key columns when the values do not fit them. */
  byte[] encode(Row key) {
    if (key.columnCount() != schema.size()) {
      throw new SluiceException(
          ErrorCode.INVALID_VALUE,
          "The key has "
              + key.columnCount()
              + " values; the primary key of "
              + table.path()
              + " is "
              + shown());
    }
    try {
      return encoder.encode(key);
    } catch (SluiceException e) {
      throw new SluiceException(
          ErrorCode.INVALID_VALUE,
          "The key does not fit the primary key of "
              + table.path()
              + ", "
              + shown()
              + ": "
              + e.getMessage(),
          e.details(),
          e);
    }
  }

  private String shown() {
    List<String> columns = new ArrayList<>();
    schema.columns().forEach(column -> columns.add(column.name() + " " + column.type()));
    return "(" + String.join(", ", columns) + ")";
  }

  /** The bucket of a key that {@link #encode} has accepted. */
  synchronized int bucket(Row key) {
    return buckets.bucket(key);
  }
}
