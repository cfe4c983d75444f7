package io.sluice.client;

import io.sluice.common.TablePath;
import io.sluice.format.schema.TableSchema;
import java.util.List;
import java.util.Map;

/**
 * What the coordinator says of a table at one moment.
 *
 * @param tableId id, never reused
 * @param path full name
 * @param schema the current schema
 * @param bucketCount number of buckets
 * @param bucketKey columns that choose the bucket, empty when any bucket will do
 * @param options options as set
 * @param comment free text
 * @param createdMs when it was created, epoch milliseconds
 * @param replicationFactor copies of each bucket
 * @param buckets its buckets with their replicas
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
    List<BucketDescription> buckets) {
  public TableDescription {
    bucketKey = List.copyOf(bucketKey);
    options = Map.copyOf(options);
    buckets = List.copyOf(buckets);
  }
}
