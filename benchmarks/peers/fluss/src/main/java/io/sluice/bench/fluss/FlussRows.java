package io.sluice.bench.fluss;

import io.sluice.bench.harness.BenchSchema;
import io.sluice.bench.harness.BenchSchema.Kind;
import io.sluice.bench.harness.ReadSum;
import io.sluice.bench.harness.RowRing;
import org.apache.fluss.row.BinaryString;
import org.apache.fluss.row.GenericRow;
import org.apache.fluss.row.InternalRow;

/** Rows of the benchmarks in the form in which this client takes and returns them. */
final class FlussRows {
  private FlussRows() {}

  /** A row with values in some columns, for a table of all. */
  static GenericRow row(RowRing ring, int[] columns, long key, long number) {
    GenericRow row = new GenericRow(ring.schema().size());
    for (int column : columns) {
      Object value = ring.value(column, key, number);
      row.setField(
          column, value instanceof String ? BinaryString.fromString((String) value) : value);
    }
    return row;
  }

  /** The leading columns of a row, so many. */
  static GenericRow key(BenchSchema schema, int columns, long row) {
    GenericRow key = new GenericRow(columns);
    for (int column = 0; column < columns; column++) {
      key.setField(column, schema.number(column, row));
    }
    return key;
  }

  /** Kinds of the columns at these positions. */
  static Kind[] kinds(BenchSchema schema, int[] columns) {
    Kind[] kinds = new Kind[columns.length];
    for (int i = 0; i < columns.length; i++) {
      kinds[i] = schema.columns().get(columns[i]).kind();
    }
    return kinds;
  }

  /** Shows one value to a sum; texts as they arrive. */
  static void read(InternalRow row, int position, Kind kind, ReadSum sum) {
    switch (kind) {
      case INT:
        sum.number(row.getInt(position));
        break;
      case BIGINT:
        sum.number(row.getLong(position));
        break;
      case BYTES:
        sum.bytes(row.getBytes(position));
        break;
      default:
        BinaryString text = row.getString(position);
        int length = text.getSizeInBytes();
        sum.text(length, length == 0 ? 0 : text.byteAt(0));
    }
  }

  /** One value as it stands in a {@link RowRing}. */
  static Object value(InternalRow row, int position, Kind kind) {
    switch (kind) {
      case INT:
        return row.getInt(position);
      case BIGINT:
        return row.getLong(position);
      case BYTES:
        return row.getBytes(position);
      default:
        return row.getString(position).toString();
    }
  }
}
