package io.sluice.cli.bench.sluice;

import io.sluice.bench.harness.BenchSchema;
import io.sluice.bench.harness.BenchSchema.Kind;
import io.sluice.bench.harness.KeyedReader;
import io.sluice.bench.harness.ReadSum;
import io.sluice.client.Connection;
import io.sluice.client.Key;
import io.sluice.client.Lookuper;
import io.sluice.client.PrefixLookuper;
import io.sluice.client.Table;
import io.sluice.format.row.Row;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Looks rows up by key, and groups of them by their bucket key. */
final class SluiceKeyedReader implements KeyedReader {
  private static final Object[] NO_ROW = {};

  private final BenchSchema schema;
  private final Kind[] kinds;
  private final Lookuper rows;
  private final @Nullable PrefixLookuper groups;

  SluiceKeyedReader(Connection connection, String path, BenchSchema schema) {
    Table table = connection.table(path);
    this.schema = schema;
    this.kinds = new Kind[schema.size()];
    for (int column = 0; column < kinds.length; column++) {
      kinds[column] = schema.columns().get(column).kind();
    }
    this.rows = table.lookuper();
    this.groups = schema.grouped() ? table.prefixLookuper() : null;
  }

  @Override
  public CompletableFuture<Long> sum(long number) {
    if (groups != null) {
      return groups.lookup(Key.of(number)).thenApply(this::sum);
    }
    return rows.lookup(Key.of(number)).thenApply(this::sum);
  }

  private long sum(Optional<Row> found) {
    ReadSum sum = ReadSum.plain();
    found.ifPresent(row -> read(row, sum));
    return sum.sum();
  }

  private long sum(List<Row> found) {
    ReadSum sum = ReadSum.plain();
    for (Row row : found) {
      read(row, sum);
    }
    return sum.sum();
  }

  private void read(Row row, ReadSum sum) {
    for (int i = 0; i < kinds.length; i++) {
      switch (kinds[i]) {
        case INT -> sum.number(row.getInt(i));
        case BIGINT -> sum.number(row.getLong(i));
        case STRING -> sum.text(row.getString(i));
        case BYTES -> sum.bytes(row.getBytes(i));
      }
    }
  }

  @Override
  public CompletableFuture<Object[]> row(long number) {
    Object[] key = new Object[schema.keyColumns()];
    for (int column = 0; column < key.length; column++) {
      key[column] = schema.number(column, number);
    }
    return rows.lookup(Key.of(key)).thenApply(found -> found.map(this::values).orElse(NO_ROW));
  }

  private Object[] values(Row row) {
    Object[] values = new Object[kinds.length];
    for (int i = 0; i < kinds.length; i++) {
      if (!row.isNull(i)) {
        values[i] =
            switch (kinds[i]) {
              case INT -> row.getInt(i);
              case BIGINT -> row.getLong(i);
              case STRING -> row.getString(i);
              case BYTES -> row.getBytes(i);
            };
      }
    }
    return values;
  }

  @Override
  public void close() {
    rows.close();
    if (groups != null) {
      groups.close();
    }
  }
}
