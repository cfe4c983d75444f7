package io.sluice.format.row;

import io.sluice.format.row.ScalarColumn.Family;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType.DecimalType;
import io.sluice.format.schema.TableSchema;

/** Where the columns of a schema lie in a row value; see {@link RowCodec}. */
final class RowLayout {
  private static final int SHORT_DECIMAL_DIGITS = 18;

  private final TableSchema schema;
  private final ScalarColumn[] columns;
  private final int[] slots;
  private final int[] previousVariables;
  private final int variableAt;

  RowLayout(TableSchema schema) {
    this.schema = schema;
    this.columns = new ScalarColumn[schema.size()];
    this.slots = new int[schema.size()];
    this.previousVariables = new int[schema.size()];
    int previous = -1;
    int at = RowCodec.HEADER_SIZE + (schema.size() + 7) / 8;
    for (int i = 0; i < columns.length; i++) {
      columns[i] = new ScalarColumn(schema.columns().get(i));
      slots[i] = at;
      previousVariables[i] = previous;
      previous = isVariable(i) ? i : previous;
      at += slotWidth(columns[i]);
    }
    this.variableAt = at;
  }

  /** Bytes a column takes in the fixed part. */
  static int slotWidth(ScalarColumn column) {
    return switch (column.family()) {
      case TEXT, BYTES -> 4;
      case DECIMAL -> isShortDecimal(column.rules().column()) ? 8 : 16;
      default -> column.width();
    };
  }

  /** Whether the unscaled value of the DECIMAL column fits 64 bits. */
  static boolean isShortDecimal(Column column) {
    return ((DecimalType) column.type()).precision() <= SHORT_DECIMAL_DIGITS;
  }

  TableSchema schema() {
    return schema;
  }

  int size() {
    return columns.length;
  }

  ScalarColumn column(int index) {
    return columns[index];
  }

  /** Position of the column's slot in the value. */
  int slot(int index) {
    return slots[index];
  }

  /** Position of the variable part, which is the length of the parts before it. */
  int variableAt() {
    return variableAt;
  }

  /** The nearest column before with bytes in the variable part, -1 when there is none. */
  int previousVariable(int index) {
    return previousVariables[index];
  }

  boolean isVariable(int index) {
    return columns[index].family() == Family.TEXT || columns[index].family() == Family.BYTES;
  }
}
