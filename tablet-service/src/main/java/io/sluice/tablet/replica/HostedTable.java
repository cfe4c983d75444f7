package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.format.schema.TableSchema;
import java.util.List;
import java.util.Map;

/**
 * What a tablet knows of a table. Immutable; a change makes a new value.
 *
 * @param tableId id, never reused
 * @param path current name
 * @param schemas every schema the table had, the current one last
 * @param bucketCount number of buckets
 * @param bucketKey names of the columns that choose the bucket, empty when any bucket will do
 * @param options table options as set
 * @param partitionKeys names of the partition columns, empty when the table is not partitioned
 * @param partitions canonical texts of the values of every partition, by partition id
 */
public record HostedTable(
    long tableId,
    TablePath path,
    List<TableSchema> schemas,
    int bucketCount,
    List<String> bucketKey,
    Map<String, String> options,
    List<String> partitionKeys,
    Map<Long, List<String>> partitions) {
  public HostedTable {
    schemas = List.copyOf(schemas);
    bucketKey = List.copyOf(bucketKey);
    options = Map.copyOf(options);
    partitionKeys = List.copyOf(partitionKeys);
    partitions = Map.copyOf(partitions);
  }

  /** A table that is not partitioned. */
  public HostedTable(
      long tableId,
      TablePath path,
      List<TableSchema> schemas,
      int bucketCount,
      List<String> bucketKey,
      Map<String, String> options) {
    this(tableId, path, schemas, bucketCount, bucketKey, options, List.of(), Map.of());
  }

  /** Whether its buckets are those of its partitions. */
  public boolean partitioned() {
    return !partitionKeys.isEmpty();
  }

  /** The current schema. */
  public TableSchema schema() {
    return schemas.get(schemas.size() - 1);
  }

  /** The schema of that id, 0 = the current one; SCHEMA_NOT_FOUND when there is none. */
  public TableSchema schema(int schemaId) {
    if (schemaId == 0) {
      return schema();
    }
    for (TableSchema schema : schemas) {
      if (schema.schemaId() == schemaId) {
        return schema;
      }
    }
    throw new SluiceException(
        ErrorCode.SCHEMA_NOT_FOUND,
        "Table "
            + path
            + " has no schema "
            + schemaId
            + "; the current one is "
            + schema().schemaId());
  }
}
