package io.sluice.bench.fluss;

import io.sluice.bench.harness.KeyedWriter;
import io.sluice.bench.harness.RowRing;
import java.util.concurrent.atomic.LongAdder;
import org.apache.fluss.client.Connection;
import org.apache.fluss.client.table.Table;
import org.apache.fluss.client.table.writer.Upsert;
import org.apache.fluss.client.table.writer.UpsertWriter;
import org.apache.fluss.metadata.TablePath;

/** Upserts rows, or some of their columns, and counts the writes that fail. */
final class FlussKeyedWriter implements KeyedWriter {
  private final Connection connection;
  private final Table table;
  private final UpsertWriter writer;
  private final RowRing ring;
  private final int[] columns;
  private final LongAdder failed = new LongAdder();

  /**
   * @param connection closed with this writer
   */
  FlussKeyedWriter(Connection connection, TablePath path, RowRing ring, int[] columns) {
    this.connection = connection;
    this.table = connection.getTable(path);
    Upsert upsert = table.newUpsert();
    this.writer =
        (columns.length < ring.schema().size() ? upsert.partialUpdate(columns) : upsert)
            .createWriter();
    this.ring = ring;
    this.columns = columns;
  }

  @Override
  public void upsert(long key, long number) {
    writer
        .upsert(FlussRows.row(ring, columns, key, number))
        .whenComplete(
            (result, failure) -> {
              if (failure != null) {
                failed.increment();
              }
            });
  }

  @Override
  public void flush() {
    writer.flush();
  }

  @Override
  public long failed() {
    return failed.sum();
  }

  @Override
  public void close() throws Exception {
    table.close();
    connection.close();
  }
}
