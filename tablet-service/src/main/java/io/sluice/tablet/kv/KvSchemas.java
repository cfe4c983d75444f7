package io.sluice.tablet.kv;

import io.sluice.common.SluiceException;
import io.sluice.format.schema.TableSchema;
import java.util.Map;

/** The schemas of the table, as far as they are known here. Thread-safe; what it knows grows. */
public interface KvSchemas {
  /** The schema that new changelog records are written with. */
  TableSchema current();

  /**
   * The schema of that id.
   *
   * @throws SluiceException SCHEMA_NOT_FOUND when there is none
   */
  TableSchema schema(int schemaId);

  /** The current schema with the rules of its rows; those of a table without options by default. */
  default KvRules rules() {
    return KvRules.of(current(), Map.of());
  }
}
