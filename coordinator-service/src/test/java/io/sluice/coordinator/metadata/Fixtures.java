package io.sluice.coordinator.metadata;

import io.sluice.common.TablePath;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Small values for tests. */
public final class Fixtures {
  /** One nullable and one other column. */
  public static final TableSchema SCHEMA =
      new TableSchema(
          1,
          List.of(
              Column.of(1, "id", new DataType.IntegerType(64), false),
              new Column(2, "name", new DataType.StringType(), true, "a comment")),
          List.of());

  private Fixtures() {}

  /** A registration of a server that keeps its machine's boot id. */
  public static TabletServer.Registration server(int id, String incarnation) {
    return server(id, incarnation, "boot-1", false);
  }

  /** A registration. */
  public static TabletServer.Registration server(
      int id, String incarnation, String bootId, boolean cleanStop) {
    return new TabletServer.Registration(
        id, "127.0.0.1", 9222 + id, 9279 + id, "", incarnation, bootId, cleanStop);
  }

  /** Registers a server. */
  public static Command register(int id, String incarnation) {
    return new Command.RegisterServer(server(id, incarnation), 1000);
  }

  /** Creates a table in database demo with the given replicas of each bucket. */
  public static Command.CreateTable createTable(String name, List<List<Integer>> placement) {
    return new Command.CreateTable(
        new TablePath("demo", name),
        SCHEMA,
        List.of("id"),
        Map.of("bucket.num", String.valueOf(placement.size()), "owner", "me"),
        "comment",
        2000,
        placement);
  }

  /**
   * Creates a table in database demo that is partitioned by its column name, with two buckets in
   * each partition.
   */
  public static Command.CreateTable createPartitioned(
      String name, Command.NewPartition... partitions) {
    return new Command.CreateTable(
        new TablePath("demo", name),
        SCHEMA,
        List.of("id"),
        Map.of("bucket.num", "2"),
        "",
        2000,
        List.of(),
        new Command.Partitioning(List.of("name"), 2, 1, List.of(partitions)));
  }

  /** A partition of such a table, both buckets on one server. */
  public static Command.NewPartition partition(String value, int server) {
    return new Command.NewPartition(List.of(value), List.of(List.of(server), List.of(server)));
  }

  /** The schema after {@link #SCHEMA}, with one more column. */
  public static TableSchema wider(int schemaId) {
    List<Column> columns = new ArrayList<>(SCHEMA.columns());
    columns.add(
        new Column(
            schemaId + 1, "c" + schemaId, new DataType.IntegerType(32), false, "", "7", "8"));
    return new TableSchema(schemaId, columns, List.of());
  }

  /** As {@link #createTable}, with a copy in the lake. */
  public static Command.CreateTable createLakeTable(String name, List<List<Integer>> placement) {
    return new Command.CreateTable(
        new TablePath("demo", name),
        SCHEMA,
        List.of(),
        Map.of("table.datalake.enabled", "true", "table.datalake.freshness", "10s"),
        "",
        2000,
        placement);
  }

  /** Applies commands in turn; each must be accepted. */
  public static ClusterState apply(ClusterState state, Command... commands) {
    ClusterState next = state;
    for (Command command : commands) {
      Transition transition = Transitions.apply(next, command);
      transition.outcome().orThrow();
      next = transition.state();
    }
    return next;
  }
}
