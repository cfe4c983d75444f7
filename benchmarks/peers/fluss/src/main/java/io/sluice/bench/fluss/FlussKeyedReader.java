package io.sluice.bench.fluss;

import io.sluice.bench.harness.BenchSchema;
import io.sluice.bench.harness.BenchSchema.Kind;
import io.sluice.bench.harness.KeyedReader;
import io.sluice.bench.harness.ReadSum;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.fluss.client.Connection;
import org.apache.fluss.client.lookup.Lookuper;
import org.apache.fluss.client.table.Table;
import org.apache.fluss.metadata.TablePath;
import org.apache.fluss.row.InternalRow;

/** Looks rows up by key, and groups of them by their bucket key. */
final class FlussKeyedReader implements KeyedReader {
  private static final Object[] NO_ROW = {};

  private final Table table;
  private final BenchSchema schema;
  private final Kind[] kinds;
  private final Lookuper rows;
  private final Lookuper groups;

  FlussKeyedReader(Connection connection, TablePath path, BenchSchema schema) {
    this.table = connection.getTable(path);
    this.schema = schema;
    this.kinds = FlussRows.kinds(schema, schema.allColumns());
    this.rows = table.newLookup().createLookuper();
    this.groups =
        schema.grouped()
            ? table.newLookup().lookupBy(schema.leading(schema.bucketColumns())).createLookuper()
            : rows;
  }

  @Override
  public CompletableFuture<Long> sum(long number) {
    // A group's number is in its rows' first column; so is that of the row a table of rows has.
    long row = schema.grouped() ? number * BenchSchema.GROUP_ROWS : number;
    return groups
        .lookup(FlussRows.key(schema, schema.bucketColumns(), row))
        .thenApply(result -> sum(result.getRowList()));
  }

  private long sum(List<InternalRow> found) {
    ReadSum sum = ReadSum.plain();
    for (InternalRow row : found) {
      for (int i = 0; i < kinds.length; i++) {
        sum.value(FlussRows.value(row, i, kinds[i]));
      }
    }
    return sum.sum();
  }

  @Override
  public CompletableFuture<Object[]> row(long number) {
    return rows.lookup(FlussRows.key(schema, schema.keyColumns(), number))
        .thenApply(result -> values(result.getSingletonRow()));
  }

  private Object[] values(InternalRow row) {
    if (row == null) {
      return NO_ROW;
    }
    Object[] values = new Object[kinds.length];
    for (int i = 0; i < kinds.length; i++) {
      values[i] = row.isNullAt(i) ? null : FlussRows.value(row, i, kinds[i]);
    }
    return values;
  }

  @Override
  public void close() throws Exception {
    table.close();
  }
}
