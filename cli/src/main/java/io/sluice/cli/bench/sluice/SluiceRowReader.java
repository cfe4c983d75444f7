package io.sluice.cli.bench.sluice;

import io.sluice.bench.harness.ReadForm;
import io.sluice.bench.harness.ReadSum;
import io.sluice.bench.harness.RowReader;
import io.sluice.client.LogScanner;
import io.sluice.client.Scan;
import io.sluice.client.ScanBatch;
import io.sluice.format.row.Row;
import java.time.Duration;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;

/** Follows a table, by vectors or by rows. */
final class SluiceRowReader implements RowReader {
  private static final String ID = "id";

  private final LogScanner scanner;
  private final boolean rows;

  /**
   * @param scan says what is read and where it begins
   */
  SluiceRowReader(Scan scan, ReadForm form) {
    this.scanner = scan.follow().open();
    this.rows = form == ReadForm.ROWS;
  }

  @Override
  public int poll(Duration timeout, ReadSum sum) {
    int read = 0;
    for (ScanBatch batch : scanner.poll(timeout)) {
      try (batch) {
        sum.arrived();
        read += batch.rowCount();
        if (rows) {
          readRows(batch, sum);
        } else {
          for (FieldVector vector : batch.vectors().getFieldVectors()) {
            readVector(vector, sum);
          }
        }
      }
    }
    return read;
  }

  private static void readVector(FieldVector vector, ReadSum sum) {
    int count = vector.getValueCount();
    if (vector instanceof BigIntVector bigints && vector.getName().equals(ID)) {
      for (int i = 0; i < count; i++) {
        sum.id(bigints.get(i));
      }
    } else if (vector instanceof BigIntVector bigints) {
      for (int i = 0; i < count; i++) {
        sum.number(bigints.get(i));
      }
    } else if (vector instanceof IntVector integers) {
      for (int i = 0; i < count; i++) {
        sum.number(integers.get(i));
      }
    } else {
      readTexts((VarCharVector) vector, sum);
    }
  }

  private static void readTexts(VarCharVector texts, ReadSum sum) {
    ArrowBuf data = texts.getDataBuffer();
    int count = texts.getValueCount();
    for (int i = 0; i < count; i++) {
      int length = texts.getValueLength(i);
      sum.text(length, length == 0 ? 0 : data.getByte(texts.getStartOffset(i)));
    }
  }

  private static void readRows(ScanBatch batch, ReadSum sum) {
    Field[] fields = batch.vectors().getSchema().getFields().toArray(Field[]::new);
    int[] widths = new int[fields.length];
    for (int i = 0; i < fields.length; i++) {
      widths[i] = fields[i].getType() instanceof ArrowType.Int type ? type.getBitWidth() : 0;
    }
    boolean idFirst = fields[0].getName().equals(ID);
    for (Row row : batch.rows()) {
      for (int i = 0; i < widths.length; i++) {
        switch (widths[i]) {
          case Integer.SIZE -> sum.number(row.getInt(i));
          case Long.SIZE -> {
            if (i == 0 && idFirst) {
              sum.id(row.getLong(i));
            } else {
              sum.number(row.getLong(i));
            }
          }
          default -> sum.text(row.getString(i));
        }
      }
    }
  }

  @Override
  public void close() {
    scanner.close();
  }
}
