package io.sluice.coordinator.metadata;

import io.sluice.common.TableBucket;
import io.sluice.common.TableOptions;
import io.sluice.common.TablePath;
import io.sluice.format.schema.TableSchema;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A table with its buckets.
 *
 * @param tableId id, from 1, never reused
 * @param path name
 * @param schemas every schema it had, the current one last
 * @param bucketKey columns that choose the bucket, empty when any bucket will do
 * @param partitionKeys names of the partition columns in order, empty when it is not partitioned
 * @param options options as set, sorted
 * @param comment free text, empty when none
 * @param createdMs when it was created, epoch milliseconds
 * @param replicationFactor replicas of each bucket, when all of them are where they shall be
 * @param version how often it was altered
 * @param bucketCount number of buckets, of each partition when it is partitioned
 * @param partitions its partitions in the order of their ids
 * @param buckets all buckets, in the order of partition id and number
 * @param idsGranted ids of the auto-increment column that were given away, from 1 on; they are not
 *     given again whether they are used or not
 */
public record Table(
    long tableId,
    TablePath path,
    List<TableSchema> schemas,
    List<String> bucketKey,
    List<String> partitionKeys,
    Map<String, String> options,
    String comment,
    long createdMs,
    int replicationFactor,
    int version,
    int bucketCount,
    List<Partition> partitions,
    List<Bucket> buckets,
    long idsGranted) {
  /** The most partitions a table may have. */
  public static final int MAX_PARTITIONS = 1000;

  /** The most buckets the partitions of a table may have together. */
  public static final int MAX_PARTITION_BUCKETS = 65_536;

  public Table {
    schemas = List.copyOf(schemas);
    bucketKey = List.copyOf(bucketKey);
    partitionKeys = List.copyOf(partitionKeys);
    options = Collections.unmodifiableMap(new TreeMap<>(options));
    partitions = List.copyOf(partitions);
    buckets = Chunks.copyOf(buckets);
    int parts = partitionKeys.isEmpty() ? 1 : partitions.size();
    if (schemas.isEmpty() || bucketCount < 1 || buckets.size() != parts * bucketCount) {
      throw new IllegalArgumentException(
          "Table "
              + path
              + " needs a schema and "
              + bucketCount
              + " buckets in each of "
              + parts
              + " parts, not "
              + buckets.size()
              + " in all");
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

  /** Whether its buckets are those of its partitions. */
  public boolean partitioned() {
    return !partitionKeys.isEmpty();
  }

  /** The partition with these canonical values, or null. */
  public @Nullable Partition partition(List<String> values) {
    for (Partition partition : partitions) {
      if (partition.values().equals(values)) {
        return partition;
      }
    }
    return null;
  }

  /** The partition of that id, or null. */
  public @Nullable Partition partition(long partitionId) {
    int position = position(partitionId);
    return position < 0 ? null : partitions.get(position);
  }

  /** The bucket of that number in that partition (0 when not partitioned), or null. */
  public @Nullable Bucket bucket(long partitionId, int bucket) {
    if (bucket < 0 || bucket >= bucketCount || partitioned() != partitionId > 0) {
      return null;
    }
    int position = partitioned() ? position(partitionId) : 0;
    return position < 0 ? null : buckets.get(position * bucketCount + bucket);
  }

  /** The buckets of a partition in the order of their numbers, none when there is no such one. */
  public List<Bucket> bucketsOf(long partitionId) {
    int position = position(partitionId);
    return position < 0
        ? List.of()
        : buckets.subList(position * bucketCount, (position + 1) * bucketCount);
  }

  /** Binary search by id; negative when there is no such partition. */
  private int position(long partitionId) {
    int low = 0;
    int high = partitions.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int order = Long.compare(partitions.get(middle).partitionId(), partitionId);
      if (order == 0) {
        return middle;
      }
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return -1;
  }

  /** With these in place of its buckets of the same partitions and numbers. */
  Table withChanged(Iterable<Bucket> changed) {
    Chunks.Edit<Bucket> edit = Chunks.copyOf(buckets).edit();
    for (Bucket bucket : changed) {
      int part = partitioned() ? position(bucket.partitionId()) : 0;
      edit.set(part * bucketCount + bucket.bucket(), bucket);
    }
    return withBuckets(edit.done());
  }

  /** With other buckets, as many as before in the same order. */
  Table withBuckets(List<Bucket> changed) {
    return with(
        replicationFactor, version, schemas, options, comment, partitions, changed, idsGranted);
  }

  /**
   * Altered once more; a schema that is not null becomes the current one. An option that names the
   * replication factor counts for partitions to come: the replicas of what is there are reassigned.
   */
  Table altered(
      @Nullable TableSchema newSchema, Map<String, String> newOptions, String newComment) {
    List<TableSchema> all = new ArrayList<>(schemas);
    if (newSchema != null) {
      all.add(newSchema);
    }
    return with(
        replicationFactor(newOptions),
        version + 1,
        all,
        newOptions,
        newComment,
        partitions,
        buckets,
        idsGranted);
  }

  /** What checked options say about it, or as it is. */
  private int replicationFactor(Map<String, String> checked) {
    String text = checked.get(TableOptions.REPLICATION_FACTOR);
    return text == null ? replicationFactor : Integer.parseInt(text.trim());
  }

  /** With a partition whose id is larger than that of every other one. */
  Table withPartition(Partition partition, List<List<Integer>> placement) {
    List<Partition> more = new ArrayList<>(partitions);
    more.add(partition);
    List<Bucket> all = new ArrayList<>(buckets);
    for (int bucket = 0; bucket < placement.size(); bucket++) {
      all.add(Bucket.created(partition.partitionId(), bucket, placement.get(bucket)));
    }
    return with(replicationFactor, version, schemas, options, comment, more, all, idsGranted);
  }

  Table withoutPartition(long partitionId) {
    return with(
        replicationFactor,
        version,
        schemas,
        options,
        comment,
        partitions.stream().filter(each -> each.partitionId() != partitionId).toList(),
        buckets.stream().filter(each -> each.partitionId() != partitionId).toList(),
        idsGranted);
  }

  /** With so many ids more given away. */
  Table withIdsGranted(long count) {
    return with(
        replicationFactor,
        version,
        schemas,
        options,
        comment,
        partitions,
        buckets,
        idsGranted + count);
  }

  private Table with(
      int newReplicationFactor,
      int newVersion,
      List<TableSchema> newSchemas,
      Map<String, String> newOptions,
      String newComment,
      List<Partition> newPartitions,
      List<Bucket> newBuckets,
      long newIdsGranted) {
    return new Table(
        tableId,
        path,
        newSchemas,
        bucketKey,
        partitionKeys,
        newOptions,
        newComment,
        createdMs,
        newReplicationFactor,
        newVersion,
        bucketCount,
        newPartitions,
        newBuckets,
        newIdsGranted);
  }
}
