package io.sluice.coordinator.membership;

import io.sluice.common.TableBucket;
import io.sluice.coordinator.metadata.Bucket;
import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.Event;
import io.sluice.coordinator.metadata.LakeTable;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.Partition;
import io.sluice.coordinator.metadata.PersistentMap;
import io.sluice.coordinator.metadata.Table;
import io.sluice.coordinator.metadata.TabletServer;
import io.sluice.coordinator.metadata.Writer;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.cluster.v1.BucketId;
import io.sluice.protocol.cluster.v1.Delta;
import io.sluice.protocol.cluster.v1.Image;
import io.sluice.protocol.cluster.v1.ReplicaState;
import io.sluice.protocol.cluster.v1.ServerAddress;
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
          message.addReplicas(replica(state, table, bucket));
        }
      }
      if (here) {
        message.addTables(tableState(table));
      }
    }
    for (PersistentMap.Entry<Integer, TabletServer> entry : state.servers()) {
      message.addServers(address(entry.value()));
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
    Changes changes = new Changes(serverId);
    events.forEach(changes::add);
    ClusterState state = image.state();
    Delta.Builder message = Delta.newBuilder().setIndex(image.index());
    for (long tableId : changes.tables) {
      Table table = state.table(tableId);
      if (table != null
          && (changes.arrived.contains(tableId)
              || changes.leftBy(serverId, tableId)
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
        message.addReplicas(replica(state, table, bucket));
      }
    }
    addAbsent(removed, state, serverId, changes.left);
    addAbsent(removed, state, serverId, directories);
    message.addAllRemovedReplicas(removed);
    for (int id : changes.servers) {
      TabletServer server = state.servers().get(id);
      if (server != null) {
        message.addServers(address(server));
      }
    }
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
        && delta.getWritersCount() == 0
        && delta.getServersCount() == 0;
  }

  /** Adds those of the buckets that the server should not have. */
  private static void addAbsent(
      Set<BucketId> removed, ClusterState state, int serverId, Collection<TableBucket> buckets) {
    for (TableBucket id : buckets) {
      Bucket bucket = state.bucket(id);
      if (bucket == null || !isHere(bucket, serverId)) {
        removed.add(bucketId(id));
      }
    }
  }

  private static void removeDropped(
      Delta.Builder message, Set<BucketId> removed, Table dropped, int serverId) {
    for (Bucket bucket : dropped.buckets()) {
      if (isHere(bucket, serverId)) {
        removed.add(bucketId(dropped.bucketId(bucket)));
      }
    }
    // Also for a server that has none of it now: it may know the table from replicas that it had.
    message.addDroppedTables(dropped.tableId());
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

  /** One bucket, for a server that holds it and for its leader. */
  static ReplicaState replica(ClusterState state, Table table, Bucket bucket) {
    LakeTable lake = state.lakes().get(table.tableId());
    return ReplicaState.newBuilder()
        .setBucket(bucketId(table.bucketId(bucket)))
        .setLeaderServerId(bucket.leader())
        .setLeaderEpoch(bucket.leaderEpoch())
        .addAllReplicas(bucket.replicas())
        .addAllIsr(bucket.isr())
        .setIsrVersion(bucket.isrVersion())
        .addAllTarget(bucket.target())
        .setMinInsync(bucket.minInsync())
        .setLakeEndOffset(lake == null ? 0 : lake.offset(bucket.partitionId(), bucket.bucket()))
        .build();
  }

  private static ServerAddress address(TabletServer server) {
    TabletServer.Registration registration = server.registration();
    return ServerAddress.newBuilder()
        .setServerId(registration.serverId())
        .setHost(registration.host())
        .setFlightPort(registration.flightPort())
        .setIncarnation(registration.incarnation())
        .setAlive(server.alive())
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

    /** Servers whose address or session changed. */
    private final SortedSet<Integer> servers = new TreeSet<>();

    /** Tables of which a bucket came to this server. */
    private final SortedSet<Long> arrived = new TreeSet<>();

    /** Buckets that left this server. */
    private final SortedSet<TableBucket> left = new TreeSet<>();

    private final int serverId;

    Changes(int serverId) {
      this.serverId = serverId;
    }

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
      } else if (event instanceof Event.ReplicasMoved e) {
        move(e);
      } else if (event instanceof Event.ServerRegistered e) {
        servers.add(e.serverId());
      } else if (event instanceof Event.SessionEnded e) {
        servers.add(e.serverId());
      } else if (event instanceof Event.WriterStarted e) {
        writers.put(e.writerId(), e.epoch());
      }
    }

    private void move(Event.ReplicasMoved moved) {
      if (moved.came().contains(serverId)) {
        tables.add(moved.bucket().tableId());
        arrived.add(moved.bucket().tableId());
      }
      if (moved.left().contains(serverId)) {
        left.add(moved.bucket());
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
