package io.sluice.format.filter;

import io.sluice.format.schema.DataType;
import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.complex.StructVector;

/**
 * The column, or the field inside it, that a test is about.
 *
 * @param index of the column among the columns that the filter needs
 * @param columnId id of the column
 * @param fields names from the column down to the field, empty for the column itself
 * @param columnType type of the column
 * @param type type of what is tested
 */
record ColumnField(
    int index, int columnId, List<String> fields, DataType columnType, DataType type) {
  ColumnField {
    fields = List.copyOf(fields);
  }

  /** Whether it is a field inside a column, of which nothing is known without decoding. */
  boolean isNested() {
    return !fields.isEmpty();
  }

  /** The vector of what is tested. */
  FieldVector vector(FieldVector column) {
    FieldVector vector = column;
    for (String field : fields) {
      vector = child(vector, field);
    }
    return vector;
  }

  private static FieldVector child(FieldVector parent, String name) {
    FieldVector child =
        parent instanceof StructVector struct ? (FieldVector) struct.getChild(name) : null;
    if (child == null) {
      throw new IllegalArgumentException(
          "Vector " + parent.getField() + " has no field '" + name + "'");
    }
    return child;
  }

  /** Keeps the rows in which neither the value nor a ROW around it is NULL. */
  void keepPresent(FieldVector column, int rows, long[] words) {
    FieldVector vector = column;
    SelectionBits.andValidity(vector, rows, words);
    for (String field : fields) {
      vector = child(vector, field);
      SelectionBits.andValidity(vector, rows, words);
    }
  }
}
