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
      replicas.put(TableBucket.of(table.tableId(), bucket), new FakeReplica(table, bucket));
    }
    tables.put(table.tableId(), table);
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
