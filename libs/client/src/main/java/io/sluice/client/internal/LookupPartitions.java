package io.sluice.client.internal;

import io.sluice.client.PartitionDescription;
import io.sluice.client.TableDescription;
import io.sluice.format.partition.PartitionKeys;
import io.sluice.format.row.Row;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.metadata.v1.CreatePartitionRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Which partitions the keys of a table are in. What is not known is asked for; when it does not
 * exist there is no row, unless the lookup makes missing rows and therefore the partition too.
 * Thread-safe.
 */
final class LookupPartitions {
  /** Instead of the id of a partition: there is none, or none is known. */
  static final long NONE = 0;

  private final ClientCore core;
  private final TableDescription table;
  private final PartitionKeys keys;
  // Replaced as a whole: nobody must find it half full and take that for a partition that is not.
  private volatile Map<List<String>, Long> ids = Map.of();

  private final Map<List<String>, CompletableFuture<Long>> making = new ConcurrentHashMap<>();

  // Guarded by this: whether a request is under way, and who needs one that begins later.
  private boolean asking;
  private @Nullable CompletableFuture<Map<List<String>, Long>> next;

  /**
   * @param keySchema the columns of the keys, the partition columns among them
   */
  LookupPartitions(ClientCore core, TableDescription table, TableSchema keySchema) {
    this.core = core;
    this.table = table;
    this.keys = PartitionKeys.of(keySchema, table.partitionKeys());
    learn(table);
  }

  /** Canonical texts of the partition of a key, a row of the key's columns. */
  List<String> values(Row key) {
    return keys.values(key);
  }

  /** Id of the partition, {@link #NONE} when it is not known. */
  long known(List<String> values) {
    return ids.getOrDefault(values, NONE);
  }

  /** Forgets a partition that is gone. */
  synchronized void forget(long partitionId) {
    Map<List<String>, Long> rest = new HashMap<>(ids);
    rest.values().removeIf(id -> id == partitionId);
    ids = Map.copyOf(rest);
  }

  /**
   * Id of the partition as the coordinator says now, {@link #NONE} when it does not exist. One
   * request at a time, which answers all who asked before it began: thousands of keys of a
   * partition that is not there must not become thousands of requests.
   */
  CompletableFuture<Long> ask(List<String> values) {
    CompletableFuture<Map<List<String>, Long>> answer;
    boolean idle;
    synchronized (this) {
      idle = !asking;
      asking = true;
      CompletableFuture<Map<List<String>, Long>> waiting = next;
      answer = idle || waiting == null ? new CompletableFuture<>() : waiting;
      next = idle ? next : answer;
    }
    if (idle) {
      request(answer);
    }
    return answer.thenApply(found -> found.getOrDefault(values, NONE));
  }

  private void request(CompletableFuture<Map<List<String>, Long>> answer) {
    core.tables()
        .ask(table.path())
        .thenApply(this::learnSame)
        .whenComplete(
            (found, failure) -> {
              requestNext();
              if (failure != null) {
                answer.completeExceptionally(failure);
              } else {
                answer.complete(found);
              }
            });
  }

  private void requestNext() {
    CompletableFuture<Map<List<String>, Long>> waiting;
    synchronized (this) {
      waiting = next;
      next = null;
      asking = waiting != null;
    }
    if (waiting != null) {
      request(waiting);
    }
  }

  /**
   * Id of the partition, which is made when it does not exist. One request for a partition is under
   * way at a time, whoever asks meanwhile has its answer. Fails with INVALID_PARTITION or
   * TOO_MANY_PARTITIONS when it cannot be made.
   */
  CompletableFuture<Long> make(List<String> values) {
    CompletableFuture<Long> answer = new CompletableFuture<>();
    CompletableFuture<Long> other = making.putIfAbsent(values, answer);
    if (other != null) {
      return other;
    }
    CreatePartitionRequest request =
        CreatePartitionRequest.newBuilder()
            .setDatabase(table.path().database())
            .setTable(table.path().table())
            .setTableId(table.tableId())
            .addAllValues(values)
            .setIgnoreIfExists(true)
            .build();
    core.coordinators()
        .ask(stub -> stub.createPartition(request))
        .whenComplete(
            (made, failure) -> {
              if (failure == null) {
                learn(values, made.getPartitionId());
              }
              making.remove(values);
              if (failure != null) {
                answer.completeExceptionally(failure);
              } else {
                answer.complete(made.getPartitionId());
              }
            });
    return answer;
  }

  private synchronized void learn(List<String> values, long partitionId) {
    Map<List<String>, Long> more = new HashMap<>(ids);
    more.put(values, partitionId);
    ids = Map.copyOf(more);
  }

  private Map<List<String>, Long> learnSame(TableDescription now) {
    Leaders.requireSame(table, now);
    return learn(now);
  }

  private synchronized Map<List<String>, Long> learn(TableDescription now) {
    Map<List<String>, Long> found = new HashMap<>();
    for (PartitionDescription each : now.partitions()) {
      found.put(each.values(), each.partitionId());
    }
    ids = Map.copyOf(found);
    return found;
  }
}
