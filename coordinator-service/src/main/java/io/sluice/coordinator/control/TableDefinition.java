package io.sluice.coordinator.control;

import io.sluice.common.TablePath;
import io.sluice.format.schema.TableSchema;
import java.util.List;
import java.util.Map;

/**
 * A table as somebody asks for it.
 *
 * @param path name
 * @param schema first schema
 * @param partitionKeys names of the partition columns in order, empty when it is not partitioned
 * @param options options as given, unchecked
 * @param comment free text, empty when none
 */
public record TableDefinition(
    TablePath path,
    TableSchema schema,
    List<String> partitionKeys,
    Map<String, String> options,
    String comment) {
  public TableDefinition {
    partitionKeys = List.copyOf(partitionKeys);
    options = Map.copyOf(options);
  }

  /** A table that is not partitioned. */
  public TableDefinition(
      TablePath path, TableSchema schema, Map<String, String> options, String comment) {
    this(path, schema, List.of(), options, comment);
  }
}
