package io.sluice.cli.bench;

import io.sluice.bench.harness.RowRing;
import io.sluice.cli.bench.sluice.AppenderTarget;
import io.sluice.cli.bench.sluice.BenchTables;
import io.sluice.client.AppendWriter;
import io.sluice.client.Connection;
import io.sluice.client.RowAppender;
import io.sluice.client.Table;
import io.sluice.client.WriterOptions;
import io.sluice.common.TablePath;
import io.sluice.format.batch.BatchCodec;
import java.util.Locale;

/** A log table with 4 buckets that holds rows of a {@link RowRing}. */
final class BenchTable {
  static final String DATABASE = "bench";
  private static final int BUCKETS = 4;

  private final Connection connection;
  private final TablePath path;
  private final RowRing ring;

  private BenchTable(Connection connection, TablePath path, RowRing ring) {
    this.connection = connection;
    this.path = path;
    this.ring = ring;
  }

  /** Creates the table, and its database if there is none. */
  static BenchTable create(Connection connection, String name, RowRing ring) {
    connection.admin().createDatabase(DATABASE, true);
    TablePath path = new TablePath(DATABASE, name);
    connection.admin().createTable(BenchTables.log(path, ring.schema(), BUCKETS));
    return new BenchTable(connection, path, ring);
  }

  /** Its full name. */
  String path() {
    return path.toString();
  }

  Table table() {
    return connection.table(path.toString());
  }

  /** Options of a writer with a codec of one of the {@link BatchCodec} names. */
  static WriterOptions codec(String name) {
    return WriterOptions.defaults().codec(BatchCodec.valueOf(name.toUpperCase(Locale.ROOT)));
  }

  /** Appends rows numbered from 0 and returns when all are stored. */
  void load(long rows, WriterOptions options) {
    try (AppendWriter writer = table().appendWriter(options)) {
      for (long number = 0; number < rows; number++) {
        append(writer, number);
      }
      writer.flush();
    }
  }

  /** Appends the row with this number. */
  void append(AppendWriter writer, long number) {
    RowAppender row = writer.row();
    ring.show(number, new AppenderTarget(row));
    row.append();
  }

  /** Bytes of all buckets on disk. */
  long bytesOnDisk() {
    long bytes = 0;
    for (var offsets : connection.admin().listOffsets(path).values()) {
      bytes += offsets.sizeBytes();
    }
    return bytes;
  }

  void drop() {
    connection.admin().dropTable(path, true);
  }
}
