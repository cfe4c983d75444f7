package io.sluice.coordinator.membership;

import io.sluice.common.TableBucket;
import io.sluice.coordinator.metadata.Bucket;
import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.Event;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.Partition;
import io.sluice.coordinator.metadata.PersistentMap;
import io.sluice.coordinator.metadata.Table;
import io.sluice.coordinator.metadata.Writer;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.cluster.v1.BucketId;
import io.sluice.protocol.cluster.v1.Delta;
import io.sluice.protocol.cluster.v1.Image;
import io.sluice.protocol.cluster.v1.ReplicaState;
import io.sluice.protocol.cluster.v1.TableState;
import io.sluice.protocol.cluster.v1.WriterEpoch;
import io.sluice.protocol.metadata.Schemas;
import io.sluice.protocol.metadata.v1.PartitionInfo;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** What one tablet server has to know of the cluster's state. Pure. */
final class TabletViews {
  private TabletViews() {}

  /** Everything, as of the image. */
  static Image image(MetadataImage image, int serverId) {
    ClusterState state = image.state();
    Image.Builder message =
        Image.newBuilder().setClusterId(state.clusterId()).setIndex(image.index());
    for (PersistentMap.Entry<Long, Table> entry : state.tables()) {
      Table table = entry.value();
      boolean here = false;
      for (Bucket bucket : table.buckets()) {
        if (bucket.replicas().contains(serverId)) {
          here = true;
          message.addReplicas(replica(table, bucket));
        }
      }
      if (here) {
        message.addTables(tableState(table));
      }
    }
    for (PersistentMap.Entry<String, Writer> entry : state.writers()) {
      message.addWriters(
          WriterEpoch.newBuilder()
              .setWriterId(entry.value().writerId())
              .setWriterEpoch(entry.value().epoch()));
    }
    return message.build();
  }

  /**
   * What changed by the events, as of the image that the last of them led to. Several changes of
   * one thing become one: the values are those of the image.
   *
   * @param directories replicas the server has on disk; those it should not have are removed
   */
  static Delta delta(
      MetadataImage image, int serverId, List<Event> events, Collection<TableBucket> directories) {
    Changes changes = new Changes();
    events.forEach(changes::add);
    ClusterState state = image.state();
    Delta.Builder message = Delta.newBuilder().setIndex(image.index());
    for (long tableId : changes.tables) {
      Table table = state.table(tableId);
      if (table != null
          && (changes.leftBy(serverId, tableId)
              || table.buckets().stream().anyMatch(b -> isHere(b, serverId)))) {
        message.addTables(tableState(table));
      }
    }
    for (long tableId : changes.created) {
      Table table = state.table(tableId);
      if (table != null) {
        table.buckets().forEach(bucket -> changes.buckets.add(table.bucketId(bucket)));
      }
    }
    for (Event.PartitionCreated created : changes.partitions) {
      Table table = state.table(created.tableId());
      if (table != null) {
        table
            .bucketsOf(created.partitionId())
            .forEach(bucket -> changes.buckets.add(table.bucketId(bucket)));
      }
    }
    Set<BucketId> removed = new LinkedHashSet<>();
    for (Event.PartitionDropped dropped : changes.droppedPartitions) {
      for (Bucket bucket : dropped.buckets()) {
        if (isHere(bucket, serverId)) {
          removed.add(
              bucketId(new TableBucket(dropped.tableId(), bucket.partitionId(), bucket.bucket())));
        }
      }
    }
    for (Table dropped : changes.dropped.values()) {
      removeDropped(message, removed, dropped, serverId);
    }
    for (TableBucket id : changes.buckets) {
      Table table = state.table(id.tableId());
      Bucket bucket = state.bucket(id);
      if (table != null && bucket != null && isHere(bucket, serverId)) {
        message.addReplicas(replica(table, bucket));
      }
    }
    for (TableBucket directory : directories) {
      Bucket bucket = state.bucket(directory);
      if (bucket == null || !isHere(bucket, serverId)) {
        removed.add(bucketId(directory));
      }
    }
    message.addAllRemovedReplicas(removed);
    changes.writers.forEach(
        (id, epoch) ->
            message.addWriters(WriterEpoch.newBuilder().setWriterId(id).setWriterEpoch(epoch)));
    return message.build();
  }

  /** Whether a delta says nothing beyond its index. */
  static boolean isEmpty(Delta delta) {
    return delta.getTablesCount() == 0
        && delta.getDroppedTablesCount() == 0
        && delta.getReplicasCount() == 0
        && delta.getRemovedReplicasCount() == 0
        && delta.getWritersCount() == 0;
  }

  private static void removeDropped(
      Delta.Builder message, Set<BucketId> removed, Table dropped, int serverId) {
    boolean here = false;
    for (Bucket bucket : dropped.buckets()) {
      if (isHere(bucket, serverId)) {
        here = true;
        removed.add(bucketId(dropped.bucketId(bucket)));
      }
    }
    // A server whose last partition of it was dropped before still knows a partitioned table.
    if (here || dropped.partitioned()) {
      message.addDroppedTables(dropped.tableId());
    }
  }

  private static boolean isHere(Bucket bucket, int serverId) {
    return bucket.replicas().contains(serverId);
  }

  private static TableState tableState(Table table) {
    TableState.Builder message =
        TableState.newBuilder()
            .setTableId(table.tableId())
            .setDatabase(table.path().database())
            .setTable(table.path().table())
            .setBucketCount(table.bucketCount())
            .addAllBucketKey(table.bucketKey())
            .putAllOptions(table.options())
            .addAllPartitionKeys(table.partitionKeys());
    for (Partition partition : table.partitions()) {
      message.addPartitions(
          PartitionInfo.newBuilder()
              .setPartitionId(partition.partitionId())
              .addAllValues(partition.values())
              .setCreatedMs(partition.createdMs()));
    }
    for (TableSchema schema : table.schemas()) {
      message.addSchemas(Schemas.toProto(schema));
    }
    return message.build();
  }

  private static ReplicaState replica(Table table, Bucket bucket) {
    return ReplicaState.newBuilder()
        .setBucket(bucketId(table.bucketId(bucket)))
        .setLeaderServerId(bucket.leader())
        .setLeaderEpoch(bucket.leaderEpoch())
        .addAllReplicas(bucket.replicas())
        .addAllIsr(bucket.isr())
        .setIsrVersion(bucket.isrVersion())
        .build();
  }

  private static BucketId bucketId(TableBucket id) {
    return BucketId.newBuilder()
        .setTableId(id.tableId())
        .setPartitionId(id.partitionId())
        .setBucket(id.bucket())
        .build();
  }

  /** The events, each thing once. */
  private static final class Changes {
    /** Tables whose state a server has to know anew. */
    private final SortedSet<Long> tables = new TreeSet<>();

    private final SortedSet<Long> created = new TreeSet<>();
    private final List<Event.PartitionCreated> partitions = new ArrayList<>();
    private final List<Event.PartitionDropped> droppedPartitions = new ArrayList<>();
    private final Map<Long, Table> dropped = new TreeMap<>();
    private final SortedSet<TableBucket> buckets = new TreeSet<>();
    private final Map<Long, Integer> writers = new TreeMap<>();

    void add(Event event) {
      if (event instanceof Event.TableCreated e) {
        tables.add(e.tableId());
        created.add(e.tableId());
      } else if (event instanceof Event.TableAltered e) {
        tables.add(e.tableId());
      } else if (event instanceof Event.PartitionCreated e) {
        tables.add(e.tableId());
        partitions.add(e);
      } else if (event instanceof Event.PartitionDropped e) {
        tables.add(e.tableId());
        droppedPartitions.add(e);
      } else if (event instanceof Event.TableDropped e) {
        dropped.put(e.table().tableId(), e.table());
      } else if (event instanceof Event.BucketsChanged e) {
        buckets.addAll(e.buckets());
      } else if (event instanceof Event.WriterStarted e) {
        writers.put(e.writerId(), e.epoch());
      }
    }

    /**
     * Whether the server held a replica of a partition that was dropped: it knows the table even if
     * that was its last one.
     */
    boolean leftBy(int serverId, long tableId) {
      for (Event.PartitionDropped each : droppedPartitions) {
        if (each.tableId() == tableId
            && each.buckets().stream().anyMatch(bucket -> isHere(bucket, serverId))) {
          return true;
        }
      }
      return false;
    }
  }
}
