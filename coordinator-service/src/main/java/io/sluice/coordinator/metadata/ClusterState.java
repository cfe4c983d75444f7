package io.sluice.coordinator.metadata;

import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything the cluster must not forget, at one point of the Raft log. Immutable.
 *
 * @param clusterId id given at bootstrap, empty before
 * @param nextTableId id of the next table
 * @param nextWriterId id of the next writer
 * @param nextPartitionId id of the next partition of any table
 * @param databases by name
 * @param tables by id
 * @param tableIds table id by name
 * @param servers by id
 * @param writers named writers by name
 * @param lakes what is in the lake, by table id; tables without a copy there are missing
 */
public record ClusterState(
    String clusterId,
    long nextTableId,
    long nextWriterId,
    long nextPartitionId,
    PersistentMap<String, Database> databases,
    PersistentMap<Long, Table> tables,
    PersistentMap<TablePath, Long> tableIds,
    PersistentMap<Integer, TabletServer> servers,
    PersistentMap<String, Writer> writers,
    PersistentMap<Long, LakeTable> lakes) {

  /** The state before the first command. */
  public static final ClusterState EMPTY =
      new ClusterState(
          "",
          1,
          1,
          1,
          PersistentMap.empty(),
          PersistentMap.empty(),
          PersistentMap.empty(),
          PersistentMap.empty(),
          PersistentMap.empty(),
          PersistentMap.empty());

  /** The table of that name, or null. */
  public @Nullable Table table(TablePath path) {
    Long id = tableIds.get(path);
    return id == null ? null : tables.get(id);
  }

  /** The table of that id, or null. */
  public @Nullable Table table(long tableId) {
    return tables.get(tableId);
  }

  /** The bucket of that id, or null. */
  public @Nullable Bucket bucket(TableBucket id) {
    Table table = tables.get(id.tableId());
    return table == null ? null : table.bucket(id.partitionId(), id.bucket());
  }

  /** All tables in the order of their names. */
  public List<Table> tablesByName() {
    List<Table> found = new ArrayList<>(tableIds.size());
    for (PersistentMap.Entry<TablePath, Long> entry : tableIds) {
      Table table = tables.get(entry.value());
      if (table != null) {
        found.add(table);
      }
    }
    return found;
  }

  /** How many tables each database holds; a database without tables is left out. */
  public Map<String, Integer> tableCounts() {
    Map<String, Integer> counts = new HashMap<>();
    for (PersistentMap.Entry<TablePath, Long> entry : tableIds) {
      counts.merge(entry.key().database(), 1, Integer::sum);
    }
    return counts;
  }

  /** How many tables the database holds. */
  public int tableCount(String database) {
    return tableCounts().getOrDefault(database, 0);
  }

  /** Says that no server of that id has registered, and which ones have. */
  public String noSuchServer(int serverId) {
    List<Integer> known = new ArrayList<>();
    for (PersistentMap.Entry<Integer, TabletServer> entry : servers) {
      known.add(entry.key());
    }
    return "There is no tablet server with id "
        + serverId
        + (known.isEmpty()
            ? "; none has registered yet: start one"
            : "; those that have registered are " + known);
  }

  /** Whether the server's session is open. */
  public boolean isAlive(int serverId) {
    TabletServer server = servers.get(serverId);
    return server != null && server.alive();
  }

  /** Whether that process is registered and its session is open. */
  public boolean isLive(int serverId, String incarnation) {
    TabletServer server = servers.get(serverId);
    return server != null && server.isLive(incarnation);
  }

  /** Whether the server may be given replicas. */
  public boolean takesReplicas(int serverId) {
    TabletServer server = servers.get(serverId);
    return server != null && server.takesReplicas();
  }

  ClusterState withClusterId(String id) {
    Draft next = new Draft(this);
    next.clusterId = id;
    return next.state();
  }

  ClusterState withDatabases(PersistentMap<String, Database> changed) {
    Draft next = new Draft(this);
    next.databases = changed;
    return next.state();
  }

  ClusterState withServer(TabletServer server) {
    Draft next = new Draft(this);
    next.servers = servers.with(server.serverId(), server);
    return next.state();
  }

  ClusterState withoutServer(int serverId) {
    Draft next = new Draft(this);
    next.servers = servers.without(serverId);
    return next.state();
  }

  /** With a new table, which takes {@code nextTableId}. */
  ClusterState withNewTable(Table table) {
    Draft next = new Draft(this);
    next.nextTableId = nextTableId + 1;
    next.tables = tables.with(table.tableId(), table);
    next.tableIds = tableIds.with(table.path(), table.tableId());
    return next.state();
  }

  ClusterState withoutTable(Table table) {
    Draft next = new Draft(this);
    next.tables = tables.without(table.tableId());
    next.tableIds = tableIds.without(table.path());
    next.lakes = lakes.without(table.tableId());
    return next.state();
  }

  /** With a changed table in place of the one of its id. */
  ClusterState withTable(Table table) {
    return withTables(tables.with(table.tableId(), table));
  }

  /** With that many partition ids taken. */
  ClusterState withPartitionIdsTaken(int count) {
    Draft next = new Draft(this);
    next.nextPartitionId = nextPartitionId + count;
    return next.state();
  }

  ClusterState withTables(PersistentMap<Long, Table> changed) {
    Draft next = new Draft(this);
    next.tables = changed;
    return next.state();
  }

  /** With the next writer id taken by a nameless writer. */
  ClusterState withWriterIdTaken() {
    Draft next = new Draft(this);
    next.nextWriterId = nextWriterId + 1;
    return next.state();
  }

  ClusterState withWriter(Writer writer) {
    Draft next = new Draft(this);
    next.writers = writers.with(writer.name(), writer);
    return next.state();
  }

  ClusterState withLake(LakeTable lake) {
    Draft next = new Draft(this);
    next.lakes = lakes.with(lake.tableId(), lake);
    return next.state();
  }

  /** A state that is being made out of another one, inside of one method. */
  private static final class Draft {
    private String clusterId;
    private long nextTableId;
    private long nextWriterId;
    private long nextPartitionId;
    private PersistentMap<String, Database> databases;
    private PersistentMap<Long, Table> tables;
    private PersistentMap<TablePath, Long> tableIds;
    private PersistentMap<Integer, TabletServer> servers;
    private PersistentMap<String, Writer> writers;
    private PersistentMap<Long, LakeTable> lakes;

    Draft(ClusterState from) {
      clusterId = from.clusterId;
      nextTableId = from.nextTableId;
      nextWriterId = from.nextWriterId;
      nextPartitionId = from.nextPartitionId;
      databases = from.databases;
      tables = from.tables;
      tableIds = from.tableIds;
      servers = from.servers;
      writers = from.writers;
      lakes = from.lakes;
    }

    ClusterState state() {
      return new ClusterState(
          clusterId,
          nextTableId,
          nextWriterId,
          nextPartitionId,
          databases,
          tables,
          tableIds,
          servers,
          writers,
          lakes);
    }
  }
}
