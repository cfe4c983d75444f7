package io.sluice.tablet.kv;

import io.sluice.format.row.Row;
import io.sluice.format.row.RowCodec;
import io.sluice.format.schema.TableSchema;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Reads and writes encoded row values in the table's schemas and keeps what that needs for each
 * schema. One owner, not thread-safe.
 */
final class RowValues {
  private final KvSchemas schemas;
  private final Map<Integer, RowCodec> codecs = new HashMap<>();
  private ConvertedValues current;

  RowValues(KvSchemas schemas) {
    this.schemas = schemas;
    this.current = new ConvertedValues(schemas, schemas.current());
  }

  /** The codec of the schema. */
  RowCodec codec(TableSchema schema) {
    return codecs.computeIfAbsent(schema.schemaId(), any -> RowCodec.of(schema));
  }

  /** Takes over the current schema for the calls that follow and returns it. */
  TableSchema useCurrent() {
    TableSchema now = schemas.current();
    if (now != current.target()) {
      current = new ConvertedValues(schemas, now);
    }
    return now;
  }

  /** A value under the current schema, whatever schema it was written with. */
  byte[] toCurrent(byte[] value) {
    return current.convert(value);
  }

  /** The row of a value under the current schema. */
  Row row(byte[] currentValue) {
    return current.codec().decode(currentValue);
  }

  /** Whether two values of one schema are the same row; when it was changed does not count. */
  static boolean sameRow(byte[] one, byte[] other) {
    return Arrays.equals(
        one, RowCodec.HEADER_SIZE, one.length, other, RowCodec.HEADER_SIZE, other.length);
  }
}
