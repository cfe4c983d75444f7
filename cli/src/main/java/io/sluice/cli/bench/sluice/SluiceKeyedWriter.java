package io.sluice.cli.bench.sluice;

import io.sluice.bench.harness.KeyedWriter;
import io.sluice.bench.harness.RowRing;
import io.sluice.client.Connection;
import io.sluice.client.RowAppender;
import io.sluice.client.UpsertWriter;
import io.sluice.client.WriterOptions;

/**
 * Upserts rows, or some of their columns, by the row API. A write that fails makes {@link #flush}
 * throw, so none is left to be counted.
 */
final class SluiceKeyedWriter implements KeyedWriter {
  private final Connection connection;
  private final UpsertWriter writer;
  private final RowRing ring;
  private final int[] columns;

  /**
   * @param connection closed with this writer
   */
  SluiceKeyedWriter(
      Connection connection, String table, WriterOptions options, RowRing ring, int[] columns) {
    this.connection = connection;
    this.writer = connection.table(table).upsertWriter(options);
    this.ring = ring;
    this.columns = columns;
  }

  @Override
  public void upsert(long key, long number) {
    RowAppender row = writer.row();
    ring.show(columns, key, number, new AppenderTarget(row));
    row.append();
  }

  @Override
  public void flush() {
    writer.flush();
  }

  @Override
  public long failed() {
    return 0;
  }

  @Override
  public void close() {
    writer.close();
    connection.close();
  }
}
