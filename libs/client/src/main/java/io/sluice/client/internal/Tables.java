package io.sluice.client.internal;

import io.sluice.client.TableDescription;
import io.sluice.common.TablePath;
import io.sluice.protocol.metadata.v1.GetTableRequest;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What is known of tables: the last description of each, and refreshes, of which only one for each
 * table is under way. Thread-safe.
 */
public final class Tables {
  private final Coordinators coordinators;
  private final Map<TablePath, TableDescription> known = new ConcurrentHashMap<>();
  private final Map<TablePath, CompletableFuture<TableDescription>> underWay = new HashMap<>();

  Tables(Coordinators coordinators) {
    this.coordinators = coordinators;
  }

  /** The table as the coordinator describes it now; TABLE_NOT_FOUND when there is none. Blocks. */
  public TableDescription load(TablePath path) {
    TableDescription table =
        Descriptions.table(
            coordinators.call("Looking up table " + path, stub -> stub.getTable(request(path))));
    known.put(path, table);
    return table;
  }

  /** The last description, asked for when there is none. Blocks then. */
  TableDescription known(TablePath path) {
    TableDescription table = known.get(path);
    return table == null ? load(path) : table;
  }

  /** Asks the coordinator again, once; joins a refresh that is under way. */
  CompletableFuture<TableDescription> refresh(TablePath path) {
    CompletableFuture<TableDescription> refresh = new CompletableFuture<>();
    synchronized (underWay) {
      CompletableFuture<TableDescription> other = underWay.putIfAbsent(path, refresh);
      if (other != null) {
        return other;
      }
    }
    coordinators
        .ask(stub -> stub.getTable(request(path)))
        .thenApply(Descriptions::table)
        .whenComplete(
            (table, failure) -> {
              synchronized (underWay) {
                underWay.remove(path);
              }
              if (failure != null) {
                refresh.completeExceptionally(failure);
              } else {
                known.put(path, table);
                refresh.complete(table);
              }
            });
    return refresh;
  }

  /**
   * Asks the coordinator with a request that begins now, unlike {@link #refresh}, which may join.
   */
  CompletableFuture<TableDescription> ask(TablePath path) {
    return coordinators
        .ask(stub -> stub.getTable(request(path)))
        .thenApply(
            found -> {
              TableDescription table = Descriptions.table(found);
              known.put(path, table);
              return table;
            });
  }

  /** Forgets a table that was dropped. */
  public void forget(TablePath path) {
    known.remove(path);
  }

  private static GetTableRequest request(TablePath path) {
    return GetTableRequest.newBuilder().setDatabase(path.database()).setTable(path.table()).build();
  }
}
