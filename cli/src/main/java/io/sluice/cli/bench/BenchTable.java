package io.sluice.cli.bench;

import io.sluice.bench.harness.BenchSchema.BenchColumn;
import io.sluice.bench.harness.RowRing;
import io.sluice.client.AppendWriter;
import io.sluice.client.Connection;
import io.sluice.client.RowAppender;
import io.sluice.client.Table;
import io.sluice.client.TableSpec;
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
    TableSpec.Builder spec = TableSpec.of(path.toString()).buckets(BUCKETS);
    for (BenchColumn column : ring.schema().columns()) {
      spec.column(column.name(), column.kind().name());
    }
    connection.admin().createTable(spec.build());
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
        RowAppender row = writer.row();
        fill(row, number);
        row.append();
      }
      writer.flush();
    }
  }

  /** Sets every column of the row; the first one to the number. */
  void fill(RowAppender row, long number) {
    Object[] values = ring.row(number);
    row.setLong(0, number);
    for (int c = 1; c < values.length; c++) {
      Object value = values[c];
      if (value instanceof Integer integer) {
        row.setInt(c, integer);
      } else if (value instanceof Long bigint) {
        row.setLong(c, bigint);
      } else {
        row.setString(c, (String) value);
      }
    }
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
