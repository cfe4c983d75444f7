package io.sluice.tablet.flight;

import io.sluice.format.schema.ArrowSchemas;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;

/** Rows of the events table. */
final class Events {
  private Events() {}

  /** An empty root of the table. */
  static VectorSchemaRoot root(BufferAllocator allocator) {
    return VectorSchemaRoot.create(ArrowSchemas.toArrow(FlightHarness.eventsSchema()), allocator);
  }

  /** Rows with the ids {@code [from, to)}; every seventh name is NULL. */
  static VectorSchemaRoot fill(VectorSchemaRoot root, long from, long to) {
    BigIntVector ids = (BigIntVector) root.getVector("id");
    VarCharVector names = (VarCharVector) root.getVector("name");
    Float8Vector amounts = (Float8Vector) root.getVector("amount");
    root.allocateNew();
    for (long id = from; id < to; id++) {
      int row = (int) (id - from);
      ids.setSafe(row, id);
      if (id % 7 == 0) {
        names.setNull(row);
      } else {
        names.setSafe(row, name(id).getBytes(StandardCharsets.UTF_8));
      }
      amounts.setSafe(row, id / 4.0);
    }
    root.setRowCount((int) (to - from));
    return root;
  }

  static String name(long id) {
    return "name-" + id;
  }

  /** Every row of a stream as a list of its values. */
  static List<List<Object>> read(FlightStream stream) {
    List<List<Object>> rows = new ArrayList<>();
    while (stream.next()) {
      rows.addAll(rows(stream.getRoot()));
    }
    return rows;
  }

  static List<List<Object>> rows(VectorSchemaRoot root) {
    List<List<Object>> rows = new ArrayList<>();
    for (int row = 0; row < root.getRowCount(); row++) {
      List<Object> values = new ArrayList<>();
      for (FieldVector vector : root.getFieldVectors()) {
        Object value = vector.getObject(row);
        values.add(value == null || value instanceof Number ? value : value.toString());
      }
      rows.add(values);
    }
    return rows;
  }

  /** The expected row of an id. */
  static List<Object> row(long id) {
    List<Object> row = new ArrayList<>();
    row.add(id);
    row.add(id % 7 == 0 ? null : name(id));
    row.add(id / 4.0);
    return row;
  }
}
