package io.sluice.client.internal;

import io.sluice.client.BucketDescription;
import io.sluice.client.PartitionDescription;
import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.format.partition.PartitionCache;
import io.sluice.format.partition.PartitionKeys;
import io.sluice.protocol.metadata.v1.CreatePartitionRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The partitions that one writer has met. One that does not exist is made by the coordinator, which
 * says whether its values are allowed, unless the writer makes none. Asking blocks its caller, and
 * with it everybody who appends, within the request time-out; that happens once for a partition.
 * Guarded by the accumulator's lock.
 */
final class WriterPartitions implements PartitionCache.Source<WriterPartition> {
  /** How long a refusal is remembered, so that a run of bad rows does not ask for each. */
  private static final long REFUSAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ClientCore core;
  private final TableDescription table;
  private final WriterIdentity identity;
  private final boolean create;
  private final Map<TableBucket, Long> storedBefore;
  private final Map<List<String>, WriterPartition> met = new HashMap<>();
  private List<String> refusedValues = List.of();
  private @Nullable SluiceException refusal;
  private long refusedNanos;

  /**
   * @param create whether missing partitions are made
   * @param storedBefore the last sequences of a named writer in the buckets that existed when it
   *     was opened
   */
  WriterPartitions(
      ClientCore core,
      TableDescription table,
      WriterIdentity identity,
      boolean create,
      Map<TableBucket, Long> storedBefore) {
    this.core = core;
    this.table = table;
    this.identity = identity;
    this.create = create;
    this.storedBefore = storedBefore;
  }

  /** The one partition of a table that is not partitioned. */
  WriterPartition whole() {
    return partition("", TableBucket.of(table.tableId(), 0), storedBefore);
  }

  @Override
  public WriterPartition partition(List<String> values) {
    WriterPartition known = met.get(values);
    if (known != null && !known.isDropped()) {
      return known;
    }
    requireNotRefused(values);
    try {
      WriterPartition opened = open(values, known == null ? 0 : known.id());
      // Dropped ones are let go, so that a writer of many years does not keep them.
      met.values().removeIf(WriterPartition::isDropped);
      met.put(values, opened);
      return opened;
    } catch (SluiceException e) {
      refusedValues = values;
      refusal = e;
      refusedNanos = core.time().nanoTime();
      throw e;
    }
  }

  private void requireNotRefused(List<String> values) {
    SluiceException why = refusal;
    if (why != null
        && refusedValues.equals(values)
        && core.time().nanoTime() - refusedNanos < REFUSAL_NANOS) {
      throw Waits.rethrown(why);
    }
  }

  /**
   * @param dropped id of a partition of these values that is gone, 0 for none
   */
  private WriterPartition open(List<String> values, long dropped) {
    long id = dropped == 0 ? find(core.tables().known(table.path()), values) : 0;
    if (id == 0) {
      id = find(core.tables().load(table.path()), values);
    }
    if (id == 0) {
      id = make(values);
    }
    TableBucket first = new TableBucket(table.tableId(), id, 0);
    return partition(PartitionKeys.name(table.partitionKeys(), values), first, stored(first));
  }

  private WriterPartition partition(String name, TableBucket first, Map<TableBucket, Long> stored) {
    return new WriterPartition(
        table.path(),
        name,
        first,
        table.bucketCount(),
        stored,
        ThreadLocalRandom.current().nextInt(table.bucketCount()));
  }

  private long find(TableDescription now, List<String> values) {
    Leaders.requireSame(table, now);
    for (PartitionDescription each : now.partitions()) {
      if (each.values().equals(values)) {
        return each.partitionId();
      }
    }
    return 0;
  }

  private long make(List<String> values) {
    String name = PartitionKeys.name(table.partitionKeys(), values);
    if (!create) {
      throw new SluiceException(
          ErrorCode.PARTITION_NOT_FOUND,
          "Partition "
              + name
              + " of "
              + table.path()
              + " does not exist, and this writer creates none; create it first, or allow it with"
              + " WriterOptions.createPartitions");
    }
    CreatePartitionRequest request =
        CreatePartitionRequest.newBuilder()
            .setDatabase(table.path().database())
            .setTable(table.path().table())
            .setTableId(table.tableId())
            .addAllValues(values)
            .setIgnoreIfExists(true)
            .build();
    return core.coordinators()
        .call(
            "Creating partition " + name + " of " + table.path(),
            stub -> stub.createPartition(request))
        .getPartitionId();
  }

  /** What a named writer has stored in the buckets of the partition; fences older instances. */
  private Map<TableBucket, Long> stored(TableBucket first) {
    if (!identity.named() || storedBefore.containsKey(first)) {
      return storedBefore;
    }
    TableDescription now = core.tables().load(table.path());
    List<TableBucket> buckets =
        now.buckets().stream()
            .filter(bucket -> bucket.partitionId() == first.partitionId())
            .map((BucketDescription bucket) -> bucket.tableBucket(table.tableId()))
            .toList();
    return core.leaders().writerStates(now, buckets, identity.id(), identity.epoch());
  }
}
