package io.sluice.cli.bench.sluice;

import io.sluice.bench.harness.KeyedProductClient;
import io.sluice.bench.harness.KeyedReader;
import io.sluice.bench.harness.KeyedWriter;
import io.sluice.bench.harness.ReadForm;
import io.sluice.bench.harness.RowReader;
import io.sluice.bench.harness.RowRing;
import io.sluice.bench.harness.RowWriter;
import io.sluice.bench.harness.Settings;
import io.sluice.bench.harness.TargetTable;
import io.sluice.client.ClientConfig;
import io.sluice.client.Connection;
import io.sluice.client.Scan;
import io.sluice.client.WriterOptions;
import io.sluice.common.TablePath;
import io.sluice.format.batch.BatchCodec;
import java.util.Locale;

/**
 * Drives Sluice. There is nothing to tune: its one setting, {@code form=arrow}, has a writer pass
 * Arrow batches on instead of rows.
 */
final class SluiceProductClient implements KeyedProductClient {
  private final ClientConfig config;
  private final Connection connection;
  private final Connection readers;

  SluiceProductClient(String bootstrap) {
    this.config = ClientConfig.of(bootstrap);
    this.connection = Connection.open(config);
    this.readers = Connection.open(config);
  }

  private static TablePath path(TargetTable table) {
    return BenchTables.path(table.name());
  }

  @Override
  public void createTable(TargetTable table) {
    TablePath path = path(table);
    connection.admin().createDatabase(path.database(), true);
    connection.admin().createTable(BenchTables.of(path, table));
  }

  @Override
  public void dropTable(TargetTable table) {
    connection.admin().dropTable(path(table), true);
  }

  @Override
  public RowWriter writer(TargetTable table, RowRing ring, Settings settings) {
    WriterOptions options = options(table);
    Connection own = Connection.open(config);
    String path = path(table).toString();
    return settings.value("form").filter("arrow"::equals).isPresent()
        ? new SluiceBatchWriter(own, path, options, ring)
        : new SluiceRowWriter(own, path, options, ring);
  }

  private static WriterOptions options(TargetTable table) {
    WriterOptions options = WriterOptions.defaults();
    return table.hasDefaultCodec()
        ? options
        : options.codec(BatchCodec.valueOf(table.codec().toUpperCase(Locale.ROOT)));
  }

  @Override
  public KeyedWriter upserts(TargetTable table, RowRing ring, int[] columns, Settings settings) {
    WriterOptions options = options(table);
    if (columns.length < table.schema().size()) {
      options = options.partial(names(table, columns));
    }
    return new SluiceKeyedWriter(
        Connection.open(config), path(table).toString(), options, ring, columns);
  }

  @Override
  public KeyedReader lookups(TargetTable table, Settings settings) {
    return new SluiceKeyedReader(readers, path(table).toString(), table.schema());
  }

  @Override
  public RowReader reader(TargetTable table, int[] columns, ReadForm form, Settings settings) {
    Scan scan = readers.table(path(table).toString()).scan();
    return new SluiceRowReader(scan.columns(names(table, columns)).fromEarliest(), form);
  }

  @Override
  public RowReader changelog(TargetTable table, Settings settings) {
    return new SluiceRowReader(
        readers.table(path(table).toString()).scan().fromLatest(), ReadForm.RAW);
  }

  private static String[] names(TargetTable table, int[] columns) {
    String[] names = new String[columns.length];
    for (int i = 0; i < columns.length; i++) {
      names[i] = table.schema().columns().get(columns[i]).name();
    }
    return names;
  }

  @Override
  public long storedRows(TargetTable table) {
    long rows = 0;
    for (var bucket : connection.admin().listOffsets(path(table)).values()) {
      rows += bucket.logEnd();
    }
    return rows;
  }

  @Override
  public long storedBytes(TargetTable table) {
    long bytes = 0;
    for (var bucket : connection.admin().listOffsets(path(table)).values()) {
      bytes += bucket.sizeBytes();
    }
    return bytes;
  }

  @Override
  public void close() {
    readers.close();
    connection.close();
  }
}
