package io.sluice.systemtests.replicated;

import io.sluice.client.Connection;
import io.sluice.client.TableSpec;
import io.sluice.format.row.Row;
import io.sluice.systemtests.replicated.History.Kind;

/** The log table of a workload: rows that say where they come from. */
final class LogTable {
  private static final String PADDING = " is what a row of this sequence says";

  private LogTable() {}

  static void create(Connection connection, String path, int buckets, int replicas) {
    connection
        .admin()
        .createTable(
            TableSpec.of(path)
                .requiredColumn("source", "INT")
                .requiredColumn("sequence", "BIGINT")
                .column("text", "STRING")
                .option("table.replication.factor", Integer.toString(replicas))
                .buckets(buckets)
                .build());
  }

  static Row row(int source, long sequence) {
    return Row.of(source, sequence, sequence + PADDING);
  }

  /** The content of a row; notes a row that is not as it was written. */
  static long content(Row row, History history) {
    int source = row.getInt(0);
    long sequence = row.getLong(1);
    if (!row.getString(2).equals(sequence + PADDING)) {
      history
          .violations()
          .add(
              "evolve",
              "%s row %d of source %d says %s"
                  .formatted(Kind.LOG, sequence, source, row.getString(2)));
    }
    return Contents.ofRow(source, sequence);
  }
}
