package io.sluice.bench.fluss;

import io.sluice.bench.harness.BenchSchema.Kind;
import io.sluice.bench.harness.ReadForm;
import io.sluice.bench.harness.ReadSum;
import io.sluice.bench.harness.RowReader;
import io.sluice.bench.harness.TargetTable;
import java.time.Duration;
import org.apache.fluss.client.Connection;
import org.apache.fluss.client.table.Table;
import org.apache.fluss.client.table.scanner.Scan;
import org.apache.fluss.client.table.scanner.ScanRecord;
import org.apache.fluss.client.table.scanner.log.LogScanner;
import org.apache.fluss.metadata.TablePath;
import org.apache.fluss.row.BinaryString;
import org.apache.fluss.row.InternalRow;

/**
 * Reads all buckets of a log table from their beginning, with the projection done by the server.
 */
final class FlussRowReader implements RowReader {
  private final Table table;
  private final LogScanner scanner;
  private final Kind[] kinds;
  private final boolean idFirst;
  private final boolean strings;

  FlussRowReader(
      Connection connection, TablePath path, TargetTable target, int[] columns, ReadForm form) {
    this.table = connection.getTable(path);
    this.kinds = new Kind[columns.length];
    for (int i = 0; i < columns.length; i++) {
      kinds[i] = target.schema().columns().get(columns[i]).kind();
    }
    this.idFirst = columns[0] == 0;
    this.strings = form == ReadForm.ROWS;
    Scan scan = table.newScan();
    if (columns.length < target.schema().size()) {
      scan = scan.project(columns);
    }
    this.scanner = scan.createLogScanner();
    for (int bucket = 0; bucket < target.buckets(); bucket++) {
      scanner.subscribeFromBeginning(bucket);
    }
  }

  @Override
  public int poll(Duration timeout, ReadSum sum) {
    int rows = 0;
    boolean first = true;
    for (ScanRecord record : scanner.poll(timeout)) {
      if (first) {
        sum.arrived();
        first = false;
      }
      read(record.getRow(), sum);
      rows++;
    }
    return rows;
  }

  private void read(InternalRow row, ReadSum sum) {
    for (int i = 0; i < kinds.length; i++) {
      switch (kinds[i]) {
        case INT:
          sum.number(row.getInt(i));
          break;
        case BIGINT:
          if (i == 0 && idFirst) {
            sum.id(row.getLong(i));
          } else {
            sum.number(row.getLong(i));
          }
          break;
        default:
          BinaryString text = row.getString(i);
          if (strings) {
            sum.text(text.toString());
          } else {
            int length = text.getSizeInBytes();
            sum.text(length, length == 0 ? 0 : text.byteAt(0));
          }
      }
    }
  }

  @Override
  public void close() throws Exception {
    scanner.close();
    table.close();
  }
}
