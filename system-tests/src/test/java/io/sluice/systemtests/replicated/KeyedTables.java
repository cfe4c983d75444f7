package io.sluice.systemtests.replicated;

import io.sluice.client.Connection;
import io.sluice.client.TableSpec;
import io.sluice.format.row.Row;
import io.sluice.systemtests.replicated.History.Kind;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The two primary-key tables of a workload. */
final class KeyedTables {
  private KeyedTables() {}

  /** Creates the table of cells: two numbers, each with a text made from it. */
  static void createCells(Connection connection, String path, int buckets, int replicas) {
    connection
        .admin()
        .createTable(
            TableSpec.of(path)
                .requiredColumn("id", "BIGINT")
                .column("a", "INT")
                .column("a_text", "STRING")
                .column("b", "INT")
                .column("b_text", "STRING")
                .primaryKey("id")
                .option("table.replication.factor", Integer.toString(replicas))
                .buckets(buckets)
                .build());
  }

  /** Creates the table that adds up. */
  static void createSums(Connection connection, String path, int buckets, int replicas) {
    connection
        .admin()
        .createTable(
            TableSpec.of(path)
                .requiredColumn("id", "BIGINT")
                .column("total", "BIGINT")
                .primaryKey("id")
                .option("table.merge-engine", "aggregation")
                .option("fields.total.agg", "sum")
                .option("table.replication.factor", Integer.toString(replicas))
                .buckets(buckets)
                .build());
  }

  static String[] columnsOfA() {
    return new String[] {"id", "a", "a_text"};
  }

  static String[] columnsOfB() {
    return new String[] {"id", "b", "b_text"};
  }

  /** A whole row of the table of cells. */
  static Row cell(int key, long state) {
    int a = CellState.a(state);
    int b = CellState.b(state);
    return Row.of((long) key, number(a), text("a", key, a), number(b), text("b", key, b));
  }

  /** The columns {@link #columnsOfA}. */
  static Row cellA(int key, int a) {
    return Row.of((long) key, number(a), text("a", key, a));
  }

  /** The columns {@link #columnsOfB}. */
  static Row cellB(int key, int b) {
    return Row.of((long) key, number(b), text("b", key, b));
  }

  /** The state of a row; notes a row that nobody can have written. */
  static long state(Kind kind, Row row, History history) {
    if (kind == Kind.SUMS) {
      return row.getLong(1);
    }
    int key = (int) row.getLong(0);
    int a = row.isNull(1) ? 0 : row.getInt(1);
    int b = row.isNull(3) ? 0 : row.getInt(3);
    if (!Objects.equals(row.isNull(2) ? null : row.getString(2), text("a", key, a))
        || !Objects.equals(row.isNull(4) ? null : row.getString(4), text("b", key, b))) {
      history
          .violations()
          .add(
              "state-is-fold",
              "Key %d mixes a=%d %s with b=%d %s"
                  .formatted(
                      key,
                      a,
                      row.isNull(2) ? null : row.getString(2),
                      b,
                      row.isNull(4) ? null : row.getString(4)));
    }
    return CellState.of(a, b);
  }

  private static @Nullable Integer number(int value) {
    return value == 0 ? null : value;
  }

  private static @Nullable String text(String column, int key, int value) {
    return value == 0 ? null : column + value + " of " + key;
  }
}
