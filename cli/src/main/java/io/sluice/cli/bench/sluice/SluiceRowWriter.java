package io.sluice.cli.bench.sluice;

import io.sluice.bench.harness.RowRing;
import io.sluice.bench.harness.RowWriter;
import io.sluice.client.AppendWriter;
import io.sluice.client.Connection;
import io.sluice.client.RowAppender;
import io.sluice.client.WriterOptions;

/** Appends rows by the row API. */
final class SluiceRowWriter implements RowWriter {
  private final Connection connection;
  private final AppendWriter writer;
  private final RowRing ring;

  /**
   * @param connection closed with this writer
   */
  SluiceRowWriter(Connection connection, String table, WriterOptions options, RowRing ring) {
    this.connection = connection;
    this.writer = connection.table(table).appendWriter(options);
    this.ring = ring;
  }

  @Override
  public int write(long number) {
    Object[] values = ring.row(number);
    RowAppender row = writer.row();
    row.setLong(0, number);
    for (int column = 1; column < values.length; column++) {
      Object value = values[column];
      if (value instanceof Integer integer) {
        row.setInt(column, integer);
      } else if (value instanceof Long bigint) {
        row.setLong(column, bigint);
      } else {
        row.setString(column, (String) value);
      }
    }
    row.append();
    return 1;
  }

  @Override
  public void flush() {
    writer.flush();
  }

  @Override
  public void close() {
    writer.close();
    connection.close();
  }
}
