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
    RowAppender row = writer.row();
    ring.show(number, new AppenderTarget(row));
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
