package io.sluice.coordinator.control;

import io.sluice.common.TablePath;
import io.sluice.format.schema.TableSchema;
import java.util.Map;

/**
 * A table as somebody asks for it.
 *
 * @param path name
 * @param schema first schema
 * @param options options as given, unchecked
 * @param comment free text, empty when none
 */
public record TableDefinition(
    TablePath path, TableSchema schema, Map<String, String> options, String comment) {
  public TableDefinition {
    options = Map.copyOf(options);
  }
}
