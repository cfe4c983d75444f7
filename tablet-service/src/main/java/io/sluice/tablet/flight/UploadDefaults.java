package io.sluice.tablet.flight;

import io.sluice.format.row.ColumnWriters;
import io.sluice.format.row.GenericRow;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DefaultValues;
import io.sluice.format.schema.TableSchema;
import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;

/** Fills the columns that an upload leaves out: with their write default, else with NULL. */
final class UploadDefaults {
  private final TableSchema schema;

  UploadDefaults(TableSchema schema) {
    this.schema = schema;
  }

  /** Makes the vector, of the column at that position, so many equal values long. */
  void fill(int position, FieldVector vector, int rows) {
    Column column = schema.columns().get(position);
    String text = column.writeDefault();
    vector.setInitialCapacity(rows);
    vector.allocateNew();
    if (text == null) {
      for (int row = 0; row < rows; row++) {
        vector.setNull(row);
      }
    } else {
      copyDefault(column, text, vector, rows);
    }
    vector.setValueCount(rows);
  }

  private static void copyDefault(Column column, String text, FieldVector vector, int rows) {
    TableSchema only = new TableSchema(1, List.of(column), List.of());
    try (VectorSchemaRoot one =
        VectorSchemaRoot.create(ArrowSchemas.toArrow(only), vector.getAllocator())) {
      ColumnWriters writers = ColumnWriters.of(only, one, 1);
      writers.write(GenericRow.of(DefaultValues.parse(column.type(), text)));
      FieldVector value = writers.finish().getVector(0);
      for (int row = 0; row < rows; row++) {
        vector.copyFromSafe(0, row, value);
      }
    }
  }
}
