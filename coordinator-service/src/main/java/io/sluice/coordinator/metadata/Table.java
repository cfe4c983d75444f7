package io.sluice.coordinator.metadata;

import io.sluice.common.TableBucket;
import io.sluice.common.TableOptions;
import io.sluice.common.TablePath;
import io.sluice.format.schema.TableSchema;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A table with its buckets.
 *
 * @param tableId id, from 1, never reused
 * @param path name
 * @param schemas every schema it had, the current one last
 * @param bucketKey columns that choose the bucket, empty when any bucket will do
 * @param options options as set, sorted
 * @param comment free text, empty when none
 * @param createdMs when it was created, epoch milliseconds
 * @param replicationFactor replicas of each bucket
 * @param buckets all buckets, in the order of their numbers
 */
public record Table(
    long tableId,
    TablePath path,
    List<TableSchema> schemas,
    List<String> bucketKey,
    Map<String, String> options,
    String comment,
    long createdMs,
    int replicationFactor,
    List<Bucket> buckets) {
  public Table {
    schemas = List.copyOf(schemas);
    bucketKey = List.copyOf(bucketKey);
    options = Collections.unmodifiableMap(new TreeMap<>(options));
    buckets = List.copyOf(buckets);
    if (schemas.isEmpty() || buckets.isEmpty()) {
      throw new IllegalArgumentException("Table " + path + " needs a schema and a bucket");
    }
  }

  /** The current schema. */
  public TableSchema schema() {
    return schemas.get(schemas.size() - 1);
  }

  /** Whether it is copied to the lake; its options were checked when it was created. */
  public boolean lakeEnabled() {
    return TableOptions.lakeEnabled(options);
  }

  /** The cluster-wide name of one of its buckets. */
  public TableBucket bucketId(Bucket bucket) {
    return new TableBucket(tableId, bucket.partitionId(), bucket.bucket());
  }

  Table withBuckets(List<Bucket> changed) {
    return new Table(
        tableId, path, schemas, bucketKey, options, comment, createdMs, replicationFactor, changed);
  }
}
