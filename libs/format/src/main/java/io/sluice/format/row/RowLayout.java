package io.sluice.format.row;

import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Where the columns of a schema lie in a row value; see {@link RowCodec}. */
final class RowLayout {
  private final TableSchema schema;
  private final ScalarColumn[] columns;
  private final @Nullable NestedCodec[] nested;
  private final int[] slots;
  private final int[] widths;
  private final int[] previousVariables;
  private final int variableAt;

  RowLayout(TableSchema schema) {
    this.schema = schema;
    this.columns = new ScalarColumn[schema.size()];
    this.nested = new @Nullable NestedCodec[schema.size()];
    this.slots = new int[schema.size()];
    this.widths = new int[schema.size()];
    this.previousVariables = new int[schema.size()];
    int previous = -1;
    int at = RowCodec.HEADER_SIZE + (schema.size() + 7) / 8;
    for (int i = 0; i < columns.length; i++) {
      Column column = schema.columns().get(i);
      columns[i] = new ScalarColumn(column);
      nested[i] = column.type().isNested() ? NestedCodec.of(column) : null;
      slots[i] = at;
      previousVariables[i] = previous;
      previous = isVariable(i) ? i : previous;
      widths[i] = FixedValues.width(columns[i]);
      at += widths[i];
    }
    this.variableAt = at;
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

  /** The codec of the column's values; only for those of family NESTED. */
  NestedCodec nested(int index) {
    return Objects.requireNonNull(nested[index]);
  }

  /** Position of the column's slot in the value. */
  int slot(int index) {
    return slots[index];
  }

  /** Bytes of the column's slot. */
  int width(int index) {
    return widths[index];
  }

  /** Where the bytes of a variable column begin in a value of this layout. */
  int variableStart(int index, byte[] value) {
    int previous = previousVariables[index];
    return previous < 0 ? variableAt : variableEnd(previous, value);
  }

  /** Where they end. */
  int variableEnd(int index, byte[] value) {
    return variableAt + (int) RowCodec.INTS.get(value, slots[index]);
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
    return switch (columns[index].family()) {
      case TEXT, BYTES, NESTED -> true;
      default -> false;
    };
  }
}
