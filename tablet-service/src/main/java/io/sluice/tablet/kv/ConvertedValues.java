package io.sluice.tablet.kv;

import io.sluice.common.SluiceException;
import io.sluice.format.row.RowCodec;
import io.sluice.format.schema.TableSchema;
import java.util.HashMap;
import java.util.Map;

/**
 * Encoded rows under one schema, whatever schema each was stored with. One owner, not thread-safe.
 */
public final class ConvertedValues {
  private final KvSchemas schemas;
  private final TableSchema target;
  private final RowCodec codec;
  private final Map<Integer, Source> sources = new HashMap<>();

  /** How rows of another schema are read. */
  private record Source(RowCodec codec, ColumnMapping mapping) {}

  /**
   * @param target schema of the values given out
   */
  public ConvertedValues(KvSchemas schemas, TableSchema target) {
    this.schemas = schemas;
    this.target = target;
    this.codec = RowCodec.of(target);
  }

  /** Schema of the values given out. */
  public TableSchema target() {
    return target;
  }

  RowCodec codec() {
    return codec;
  }

  /**
   * The value under the target schema; the value itself when it is under it already. Columns that
   * it does not have are their initial default.
   *
   * @throws SluiceException SCHEMA_CHANGED when the value is under a newer schema that lacks a
   *     column of the target, or has it in a wider type; SCHEMA_NOT_FOUND
   */
  public byte[] convert(byte[] value) {
    int schemaId = RowCodec.schemaId(value);
    if (schemaId == target.schemaId()) {
      return value;
    }
    Source source = sources.get(schemaId);
    if (source == null) {
      TableSchema stored = schemas.schema(schemaId);
      source = new Source(RowCodec.of(stored), ColumnMapping.ofStored(target, stored));
      sources.put(schemaId, source);
    }
    MappedRow row = new MappedRow(source.codec().decode(value), source.mapping());
    return codec.encode(row, RowCodec.modifiedMs(value));
  }
}
