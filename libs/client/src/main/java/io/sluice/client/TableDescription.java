package io.sluice.client;

import io.sluice.common.TablePath;
import io.sluice.format.merge.MergeRules;
import io.sluice.format.schema.TableSchema;
import java.util.List;
import java.util.Map;

/**
 * What the coordinator says of a table at one moment.
 *
 * @param tableId id, never reused
 * @param path full name
 * @param schema the current schema
 * @param bucketCount number of buckets, of each partition when the table is partitioned
 * @param bucketKey columns that choose the bucket, empty when any bucket will do
 * @param options options as set
 * @param comment free text
 * @param createdMs when it was created, epoch milliseconds
 * @param replicationFactor copies of each bucket
 * @param buckets its buckets with their replicas; those of all partitions when it is partitioned
 * @param partitionKeys names of the partition columns in order, empty when it is not partitioned
 * @param partitions its partitions, in the order of their ids
 */
public record TableDescription(
    long tableId,
    TablePath path,
    TableSchema schema,
    int bucketCount,
    List<String> bucketKey,
    Map<String, String> options,
    String comment,
    long createdMs,
    int replicationFactor,
    List<BucketDescription> buckets,
    List<String> partitionKeys,
    List<PartitionDescription> partitions) {
  public TableDescription {
    bucketKey = List.copyOf(bucketKey);
    options = Map.copyOf(options);
    buckets = List.copyOf(buckets);
    partitionKeys = List.copyOf(partitionKeys);
    partitions = List.copyOf(partitions);
  }

  /** A table that is not partitioned. */
  public TableDescription(
      long tableId,
      TablePath path,
      TableSchema schema,
      int bucketCount,
      List<String> bucketKey,
      Map<String, String> options,
      String comment,
      long createdMs,
      int replicationFactor,
      List<BucketDescription> buckets) {
    this(
        tableId,
        path,
        schema,
        bucketCount,
        bucketKey,
        options,
        comment,
        createdMs,
        replicationFactor,
        buckets,
        List.of(),
        List.of());
  }

  /**
   * What becomes of the rows that are put into it: merge engine, functions, deletes, ids, time to
   * live. Made anew with each call.
   */
  public MergeRules mergeRules() {
    return MergeRules.of(schema, options);
  }

  /** Whether its buckets are those of its partitions. */
  public boolean partitioned() {
    return !partitionKeys.isEmpty();
  }
}
