package io.sluice.tablet.kv;

import io.sluice.format.row.RowCodec;
import io.sluice.format.schema.TableSchema;
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

  /** Takes over a schema as the current one for the calls that follow. */
  void use(TableSchema now) {
    if (now != current.target()) {
      current = new ConvertedValues(schemas, now);
    }
  }

  /** A value under the current schema, whatever schema it was written with. */
  byte[] toCurrent(byte[] value) {
    return current.convert(value);
  }
}
