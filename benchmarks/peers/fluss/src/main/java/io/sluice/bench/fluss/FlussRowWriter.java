package io.sluice.bench.fluss;

import io.sluice.bench.harness.RowRing;
import io.sluice.bench.harness.RowWriter;
import org.apache.fluss.client.Connection;
import org.apache.fluss.client.table.Table;
import org.apache.fluss.client.table.writer.AppendWriter;
import org.apache.fluss.metadata.TablePath;
import org.apache.fluss.row.BinaryString;
import org.apache.fluss.row.GenericRow;

/**
 * Appends rows. The futures of the appends are not looked at, which would cost time: a row that
 * failed is missing in the end offsets, which are compared with what was written.
 */
final class FlussRowWriter implements RowWriter {
  private final Connection connection;
  private final Table table;
  private final AppendWriter writer;
  private final RowRing ring;

  /**
   * @param connection closed with this writer
   */
  FlussRowWriter(Connection connection, TablePath path, RowRing ring) {
    this.connection = connection;
    this.table = connection.getTable(path);
    this.writer = table.newAppend().createWriter();
    this.ring = ring;
  }

  @Override
  public int write(long number) {
    Object[] values = ring.row(number);
    GenericRow row = new GenericRow(values.length);
    row.setField(0, number);
    for (int column = 1; column < values.length; column++) {
      Object value = values[column];
      row.setField(
          column, value instanceof String ? BinaryString.fromString((String) value) : value);
    }
    writer.append(row);
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
