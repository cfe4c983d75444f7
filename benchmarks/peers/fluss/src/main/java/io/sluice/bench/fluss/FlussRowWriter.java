package io.sluice.bench.fluss;

import io.sluice.bench.harness.RowRing;
import io.sluice.bench.harness.RowWriter;
import org.apache.fluss.client.Connection;
import org.apache.fluss.client.table.Table;
import org.apache.fluss.client.table.writer.AppendWriter;
import org.apache.fluss.metadata.TablePath;

/**
 * Appends rows. The futures of the appends are not looked at, which would cost time: a row that
 * failed is missing in the end offsets, which are compared with what was written.
 */
final class FlussRowWriter implements RowWriter {
  private final Connection connection;
  private final Table table;
  private final AppendWriter writer;
  private final RowRing ring;
  private final int[] columns;

  /**
   * @param connection closed with this writer
   */
  FlussRowWriter(Connection connection, TablePath path, RowRing ring) {
    this.connection = connection;
    this.table = connection.getTable(path);
    this.writer = table.newAppend().createWriter();
    this.ring = ring;
    this.columns = ring.schema().allColumns();
  }

  @Override
  public int write(long number) {
    writer.append(FlussRows.row(ring, columns, number, number));
    return 1;
  }

  @Override
  public void flush() {
    writer.flush();
  }

  @Override
  public void close() throws Exception {
    table.close();
    connection.close();
  }
}
