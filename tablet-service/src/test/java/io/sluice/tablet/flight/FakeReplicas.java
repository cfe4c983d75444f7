package io.sluice.tablet.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.tablet.replica.HostedTable;
import io.sluice.tablet.replica.Replica;
import io.sluice.tablet.replica.Replicas;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Replicas in memory. */
final class FakeReplicas implements Replicas, FakeCoordinator.Hosting {
  private final Map<Long, HostedTable> tables = new ConcurrentHashMap<>();
  private final Map<TableBucket, FakeReplica> replicas = new ConcurrentHashMap<>();

  /** Hosts the table with these of its buckets. */
  @Override
  public void host(HostedTable table, int... buckets) {
    for (int bucket : buckets) {
      host(table, TableBucket.of(table.tableId(), bucket));
    }
    tables.put(table.tableId(), table);
  }

  /** Hosts one more bucket of the table. */
  FakeReplica host(HostedTable table, TableBucket bucket) {
    FakeReplica replica = new FakeReplica(table, bucket);
    replicas.put(bucket, replica);
    tables.put(table.tableId(), table);
    return replica;
  }

  /**
   * Takes over a newer description of the table and forgets buckets of partitions that are gone.
   */
  void change(HostedTable newer) {
    tables.put(newer.tableId(), newer);
    replicas.forEach(
        (bucket, replica) -> {
          if (bucket.tableId() != newer.tableId()) {
            return;
          }
          replica.table(newer);
          if (newer.partitioned() && !newer.partitions().containsKey(bucket.partitionId())) {
            replicas.remove(bucket);
            replica.leadership(
                new SluiceException(ErrorCode.TABLE_CHANGED, "Bucket " + bucket + " was removed"));
          }
        });
  }

  /** Forgets the table, as a delta of the coordinator would make it. */
  @Override
  public void drop(long tableId) {
    tables.remove(tableId);
    replicas.forEach(
        (bucket, replica) -> {
          if (bucket.tableId() == tableId) {
            replicas.remove(bucket);
            replica.notifyListeners();
          }
        });
  }

  @Override
  public void hostPartition(HostedTable table, long partitionId, int... buckets) {
    tables.put(table.tableId(), table);
    for (int bucket : buckets) {
      host(table, new TableBucket(table.tableId(), partitionId, bucket));
    }
  }

  @Override
  public void dropPartition(HostedTable table, long partitionId, int... buckets) {
    change(table);
  }

  FakeReplica replica(long tableId, int bucket) {
    return replicas.get(TableBucket.of(tableId, bucket));
  }

  @Override
  public Replica require(TableBucket bucket) {
    FakeReplica replica = replicas.get(bucket);
    if (replica == null) {
      throw new SluiceException(
          ErrorCode.NOT_LEADER,
          "Bucket " + bucket + " is led by 127.0.0.1:9",
          Map.of("leader", "127.0.0.1:9"),
          null);
    }
    return replica;
  }

  @Override
  public Collection<Replica> ofTable(long tableId) {
    return replicas.values().stream()
        .filter(each -> each.bucket().tableId() == tableId)
        .map(Replica.class::cast)
        .toList();
  }

  @Override
  public Collection<Replica> all() {
    return replicas.values().stream().map(Replica.class::cast).toList();
  }

  @Override
  public @Nullable HostedTable table(long tableId) {
    return tables.get(tableId);
  }

  @Override
  public @Nullable HostedTable table(TablePath path) {
    return tables.values().stream()
        .filter(each -> each.path().equals(path))
        .findFirst()
        .orElse(null);
  }
}
