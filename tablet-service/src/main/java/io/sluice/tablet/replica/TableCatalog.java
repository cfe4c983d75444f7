package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The tables and roles the coordinator has told of. One thread changes it, any reads: each change
 * makes a new value.
 */
final class TableCatalog {
  private static final int MAX_DROPPED = 1024;

  // Of the thread that changes: tables and partitions whose drop was told, the oldest first.
  private final Set<Long> dropped = new LinkedHashSet<>();
  private final Set<Long> droppedPartitions = new LinkedHashSet<>();
  private volatile View view = new View(Map.of(), Map.of(), Map.of(), Set.of(), Set.of());

  private record View(
      Map<Long, HostedTable> byId,
      Map<TablePath, HostedTable> byPath,
      Map<TableBucket, ReplicaRole> roles,
      Set<Long> dropped,
      Set<Long> droppedPartitions) {}

  /** Replaces all. */
  void replace(Collection<HostedTable> tables, Collection<ReplicaRole> roles) {
    Map<Long, HostedTable> byId = new HashMap<>();
    Map<TableBucket, ReplicaRole> byBucket = new HashMap<>();
    tables.forEach(table -> noteDroppedPartitions(view.byId().get(table.tableId()), table));
    tables.forEach(table -> byId.put(table.tableId(), table));
    roles.forEach(role -> byBucket.put(role.bucket(), role));
    publish(byId, byBucket);
  }

  /** Adds, changes and removes some. */
  void change(ReplicaUpdate.Delta delta) {
    Map<Long, HostedTable> byId = new HashMap<>(view.byId());
    Map<TableBucket, ReplicaRole> byBucket = new HashMap<>(view.roles());
    delta.tables().forEach(table -> noteDroppedPartitions(byId.put(table.tableId(), table), table));
    delta.replicas().forEach(role -> byBucket.put(role.bucket(), role));
    byId.keySet().removeAll(delta.droppedTables());
    byBucket.keySet().removeIf(bucket -> delta.droppedTables().contains(bucket.tableId()));
    byBucket.keySet().removeAll(delta.removedReplicas());
    dropped.addAll(delta.droppedTables());
    forgetOldest(dropped);
    publish(byId, byBucket);
  }

  private void noteDroppedPartitions(@Nullable HostedTable before, HostedTable now) {
    if (before != null) {
      for (Long partition : before.partitions().keySet()) {
        if (!now.partitions().containsKey(partition)) {
          droppedPartitions.add(partition);
        }
      }
      forgetOldest(droppedPartitions);
    }
  }

  private static void forgetOldest(Set<Long> ids) {
    Iterator<Long> oldest = ids.iterator();
    while (ids.size() > MAX_DROPPED) {
      oldest.next();
      oldest.remove();
    }
  }

  private void publish(Map<Long, HostedTable> byId, Map<TableBucket, ReplicaRole> roles) {
    Map<TablePath, HostedTable> byPath = new HashMap<>();
    byId.values().forEach(table -> byPath.put(table.path(), table));
    view =
        new View(
            Map.copyOf(byId),
            Map.copyOf(byPath),
            Map.copyOf(roles),
            Set.copyOf(dropped),
            Set.copyOf(droppedPartitions));
  }

  @Nullable HostedTable table(long tableId) {
    return view.byId().get(tableId);
  }

  @Nullable HostedTable table(TablePath path) {
    return view.byPath().get(path);
  }

  /** Who keeps and leads these buckets, where the coordinator has told. */
  List<ReplicaRole> roles(Collection<TableBucket> buckets) {
    List<ReplicaRole> found = new ArrayList<>();
    for (TableBucket bucket : buckets) {
      ReplicaRole role = view.roles().get(bucket);
      if (role != null) {
        found.add(role);
      }
    }
    return found;
  }

  /** The buckets this server keeps a replica of. */
  Set<TableBucket> bucketsOf(int serverId) {
    Set<TableBucket> own = new HashSet<>();
    for (ReplicaRole role : view.roles().values()) {
      if (role.replicas().contains(serverId)) {
        own.add(role.bucket());
      }
    }
    return own;
  }

  /**
   * Why a bucket has no replica here: BUCKET_NOT_FOUND or PARTITION_NOT_FOUND when it is known not
   * to exist; else NOT_LEADER, as another server may have it or this one may not have heard of it
   * yet.
   *
   * @param addresses where clients reach other servers
   */
  SluiceException missing(TableBucket bucket, ClientAddresses addresses) {
    View now = view;
    HostedTable table = now.byId().get(bucket.tableId());
    if (table == null && now.dropped().contains(bucket.tableId())) {
      return new SluiceException(
          ErrorCode.BUCKET_NOT_FOUND, "Table " + bucket.tableId() + " was dropped");
    }
    if (table == null) {
      return new SluiceException(
          ErrorCode.NOT_LEADER, "This server has no bucket of table " + bucket.tableId());
    }
    if (table.partitioned() && bucket.partitionId() == TableBucket.NO_PARTITION) {
      return new SluiceException(
          ErrorCode.PARTITION_NOT_FOUND,
          "Table "
              + table.path()
              + " is partitioned by "
              + table.partitionKeys()
              + "; its buckets are named with the id of their partition");
    }
    boolean partitionFits = table.partitioned() || bucket.partitionId() == TableBucket.NO_PARTITION;
    if (bucket.bucket() >= table.bucketCount() || !partitionFits) {
      return new SluiceException(
          ErrorCode.BUCKET_NOT_FOUND,
          "Table "
              + table.path()
              + " has no bucket "
              + bucket.bucket()
              + (partitionFits ? "" : " in partition " + bucket.partitionId())
              + "; its buckets are 0 to "
              + (table.bucketCount() - 1));
    }
    if (now.droppedPartitions().contains(bucket.partitionId())) {
      return new SluiceException(
          ErrorCode.PARTITION_NOT_FOUND,
          "Partition " + bucket.partitionId() + " of " + table.path() + " was dropped");
    }
    ReplicaRole role = now.roles().get(bucket);
    int leader = role == null ? 0 : role.leaderServerId();
    return new SluiceException(
        ErrorCode.NOT_LEADER,
        "This server has no replica of " + table.path() + "-" + shown(bucket),
        leader == 0 ? Map.of() : Refusals.naming(leader, addresses),
        null);
  }

  private static String shown(TableBucket bucket) {
    return bucket.partitionId() == TableBucket.NO_PARTITION
        ? Integer.toString(bucket.bucket())
        : bucket.partitionId() + "-" + bucket.bucket();
  }
}
