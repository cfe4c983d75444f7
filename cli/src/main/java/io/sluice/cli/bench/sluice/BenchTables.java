package io.sluice.cli.bench.sluice;

import io.sluice.bench.harness.BenchSchema;
import io.sluice.bench.harness.BenchSchema.BenchColumn;
import io.sluice.bench.harness.TargetTable;
import io.sluice.client.TableSpec;
import io.sluice.common.TablePath;
import java.util.List;

/** The tables of the benchmarks as this product creates them. */
public final class BenchTables {
  private static final String DATABASE = "bench";

  private BenchTables() {}

  /** Where the table of an order is. */
  public static TablePath path(String table) {
    return new TablePath(DATABASE, table);
  }

  /** A log table of these columns. */
  public static TableSpec log(TablePath path, BenchSchema schema, int buckets) {
    return builder(path, schema, buckets).build();
  }

  /** The table of an order. */
  static TableSpec of(TablePath path, TargetTable table) {
    TableSpec.Builder spec = builder(path, table.schema(), table.buckets());
    spec.option("table.replication.factor", Integer.toString(table.replicas()));
    if (table.walImage()) {
      spec.option("table.changelog.image", "wal");
    }
    return spec.build();
  }

  private static TableSpec.Builder builder(TablePath path, BenchSchema schema, int buckets) {
    TableSpec.Builder spec = TableSpec.of(path.toString()).buckets(buckets);
    List<String> key = schema.leading(schema.keyColumns());
    for (BenchColumn column : schema.columns()) {
      if (key.contains(column.name())) {
        spec.requiredColumn(column.name(), column.kind().name());
      } else {
        spec.column(column.name(), column.kind().name());
      }
      if (column.aggregates()) {
        spec.option("fields." + column.name() + ".agg", column.aggregate());
      }
    }
    if (!key.isEmpty()) {
      spec.primaryKey(key.toArray(String[]::new));
      spec.bucketKey(schema.leading(schema.bucketColumns()).toArray(String[]::new));
    }
    if (schema.aggregates()) {
      spec.option("table.merge-engine", "aggregation");
    }
    return spec;
  }
}
