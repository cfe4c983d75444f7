package io.sluice.client.internal;

import io.sluice.client.PartitionDescription;
import io.sluice.client.TableDescription;
import io.sluice.format.partition.PartitionKeys;
import io.sluice.format.row.Row;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Which partitions the keys of a table are in. A lookup never makes one: what is not known is asked
 * for, and when it does not exist there is no row. Thread-safe.
 */
final class LookupPartitions {
  /** Instead of the id of a partition: there is none, or none is known. */
  static final long NONE = 0;

  private final ClientCore core;
  private final TableDescription table;
  private final PartitionKeys keys;
  // Replaced as a whole: nobody must find it half full and take that for a partition that is not.
  private volatile Map<List<String>, Long> ids = Map.of();

  // Guarded by this: whether a request is under way, and who needs one that begins later.
  private boolean asking;
  private @Nullable CompletableFuture<Map<List<String>, Long>> next;

  LookupPartitions(ClientCore core, TableDescription table) {
    this.core = core;
    this.table = table;
    List<Column> columns = new ArrayList<>();
    table.schema().primaryKey().forEach(name -> columns.add(table.schema().column(name)));
    TableSchema keySchema =
        new TableSchema(table.schema().schemaId(), columns, table.schema().primaryKey());
    this.keys = PartitionKeys.of(keySchema, table.partitionKeys());
    learn(table);
  }

  /** Canonical texts of the partition of a key, a row of the key columns. */
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
