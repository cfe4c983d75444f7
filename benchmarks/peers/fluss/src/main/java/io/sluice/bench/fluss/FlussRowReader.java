package io.sluice.bench.fluss;

import io.sluice.bench.harness.BenchSchema.Kind;
import io.sluice.bench.harness.ReadForm;
import io.sluice.bench.harness.ReadSum;
import io.sluice.bench.harness.RowReader;
import io.sluice.bench.harness.TargetTable;
import java.time.Duration;
import java.util.Map;
import org.apache.fluss.client.Connection;
import org.apache.fluss.client.table.Table;
import org.apache.fluss.client.table.scanner.Scan;
import org.apache.fluss.client.table.scanner.ScanRecord;
import org.apache.fluss.client.table.scanner.log.LogScanner;
import org.apache.fluss.metadata.TablePath;
import org.apache.fluss.row.InternalRow;

/** Reads all buckets of a log, with the projection done by the server. */
final class FlussRowReader implements RowReader {
  private final Table table;
  private final LogScanner scanner;
  private final Kind[] kinds;
  private final boolean idFirst;
  private final boolean strings;

  /**
   * @param starts the offset at which it begins in each bucket; others are read from their
   *     beginning
   */
  FlussRowReader(
      Connection connection,
      TablePath path,
      TargetTable target,
      int[] columns,
      ReadForm form,
      Map<Integer, Long> starts) {
    this.table = connection.getTable(path);
    this.kinds = FlussRows.kinds(target.schema(), columns);
    this.idFirst = columns[0] == 0;
    this.strings = form == ReadForm.ROWS;
    Scan scan = table.newScan();
    if (columns.length < target.schema().size()) {
      scan = scan.project(columns);
    }
    this.scanner = scan.createLogScanner();
    for (int bucket = 0; bucket < target.buckets(); bucket++) {
      Long start = starts.get(bucket);
      if (start == null) {
        scanner.subscribeFromBeginning(bucket);
      } else {
        scanner.subscribe(bucket, start);
      }
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
      if (i == 0 && idFirst) {
        sum.id(row.getLong(i));
      } else if (strings && kinds[i] == Kind.STRING) {
        sum.text(row.getString(i).toString());
      } else {
        FlussRows.read(row, i, kinds[i], sum);
      }
    }
  }

  @Override
  public void close() throws Exception {
    scanner.close();
    table.close();
  }
}
