package io.sluice.format.row;

import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.ArrayType;
import io.sluice.format.schema.DataType.MapType;
import io.sluice.format.schema.DataType.RowType;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;

/** Builds the writers of an ARRAY, MAP or ROW column, down to its scalars. */
final class NestedColumnWriters {
  private NestedColumnWriters() {}

  static ColumnWriter of(ValueRules rules, FieldVector vector) {
    DataType type = rules.column().type();
    String name = rules.column().name();
    if (type instanceof RowType row) {
      List<Column> fields = new ArrayList<>(row.fields().size());
      for (RowType.Field field : row.fields()) {
        fields.add(Column.inner(name + '.' + field.name(), field.type(), field.nullable()));
      }
      return struct(rules, (StructVector) vector, fields);
    }
    ListVector list = (ListVector) vector;
    FieldVector elements = list.getChildrenFromFields().get(0);
    if (type instanceof ArrayType array) {
      Column element = Column.inner(name + ".element", array.element(), array.elementNullable());
      return new ListColumnWriter(rules, list, ColumnWriters.writer(element, elements), false);
    }
    MapType map = (MapType) type;
    List<Column> entry =
        List.of(
            Column.inner(name + ".key", map.key(), false),
            Column.inner(name + ".value", map.value(), map.valueNullable()));
    ColumnWriter entries = struct(rules, (StructVector) elements, entry);
    return new ListColumnWriter(rules, list, entries, true);
  }

  private static ColumnWriter struct(ValueRules rules, StructVector vector, List<Column> fields) {
    List<FieldVector> vectors = vector.getChildrenFromFields();
    ColumnWriter[] writers = new ColumnWriter[fields.size()];
    for (int i = 0; i < writers.length; i++) {
      writers[i] = ColumnWriters.writer(fields.get(i), vectors.get(i));
    }
    return new StructColumnWriter(rules, vector, writers);
  }
}
