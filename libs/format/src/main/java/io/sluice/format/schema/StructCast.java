package io.sluice.format.schema;

import io.sluice.format.schema.DataType.RowType;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BitVectorHelper;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.types.pojo.Field;
import org.jspecify.annotations.Nullable;

/** Structs, field by field: by name, in any order, NULL where the source has no such field. */
final class StructCast extends NestedCast {
  private final List<RowType.Field> fields;
  private final int[] positions;
  private final @Nullable SafeCast[] casts;

  private StructCast(
      CastContext context,
      List<RowType.Field> fields,
      int[] positions,
      @Nullable SafeCast[] casts) {
    super(context);
    this.fields = fields;
    this.positions = positions;
    this.casts = casts;
  }

  static StructCast of(CastContext context, RowType type) {
    List<RowType.Field> fields = type.fields();
    List<Field> sources = context.source().getChildren();
    int[] positions = new int[fields.size()];
    @Nullable SafeCast[] casts = new @Nullable SafeCast[fields.size()];
    int found = 0;
    for (int i = 0; i < positions.length; i++) {
      RowType.Field field = fields.get(i);
      positions[i] = position(sources, field.name());
      if (positions[i] >= 0) {
        // NULL is looked for afterwards: below a NULL struct it does not count.
        casts[i] = of(sources.get(positions[i]), inner(context, field.name(), field.type(), true));
        found++;
      } else if (!field.nullable()) {
        throw context.impossible(
            "field '" + field.name() + "' is missing and NOT NULL; upload it too");
      }
    }
    if (found != sources.size()) {
      throw context.impossible(
          "its fields are not all among " + fields.stream().map(RowType.Field::name).toList());
    }
    return new StructCast(context, fields, positions, casts);
  }

  private static int position(List<Field> sources, String name) {
    for (int i = 0; i < sources.size(); i++) {
      if (sources.get(i).getName().equals(name)) {
        return i;
      }
    }
    return -1;
  }

  @Override
  void copyValues(FieldVector source, FieldVector target, int rows, long firstRow) {
    List<FieldVector> from = source.getChildrenFromFields();
    List<FieldVector> to = target.getChildrenFromFields();
    for (int i = 0; i < positions.length; i++) {
      SafeCast cast = casts[i];
      if (cast == null) {
        nulls(to.get(i), rows);
      } else {
        try (FieldVector visible = visible(source, from.get(positions[i]), rows)) {
          castInner(cast, visible, to.get(i), true, firstRow);
        }
        checkNulls(source, fields.get(i), to.get(i), firstRow);
      }
    }
    load(source, target, rows);
  }

  private static void nulls(FieldVector target, int rows) {
    target.setInitialCapacity(Math.max(1, rows));
    target.allocateNew();
    for (int row = 0; row < rows; row++) {
      target.setNull(row);
    }
    target.setValueCount(rows);
  }

  /** The field's values with NULL below NULL structs, which may stand for anything. */
  private static FieldVector visible(FieldVector struct, FieldVector field, int rows) {
    FieldVector visible = field.getField().createVector(field.getAllocator());
    try {
      field.makeTransferPair(visible).splitAndTransfer(0, rows);
      if (struct.getNullCount() > 0 && !(field instanceof NullVector)) {
        mask(struct, visible, rows);
      }
      return visible;
    } catch (RuntimeException | Error e) {
      visible.close();
      throw e;
    }
  }

  private static void mask(FieldVector struct, FieldVector field, int rows) {
    try (ArrowBuf validity = field.getAllocator().buffer(Math.max(8, (rows + 7) / 8))) {
      validity.setZero(0, validity.capacity());
      int nulls = 0;
      for (int row = 0; row < rows; row++) {
        if (struct.isNull(row) || field.isNull(row)) {
          nulls++;
        } else {
          BitVectorHelper.setBit(validity, row);
        }
      }
      List<ArrowBuf> buffers = new ArrayList<>(field.getFieldBuffers());
      buffers.set(0, validity);
      // The vector lets go of its buffers before it takes them again.
      buffers.forEach(each -> each.getReferenceManager().retain());
      try {
        field.loadFieldBuffers(new ArrowFieldNode(rows, nulls), buffers);
      } finally {
        buffers.forEach(each -> each.getReferenceManager().release());
      }
    }
  }

  private void checkNulls(
      FieldVector struct, RowType.Field field, FieldVector target, long firstRow) {
    if (field.nullable() || target.getNullCount() == 0) {
      return;
    }
    for (int row = 0; row < target.getValueCount(); row++) {
      if (target.isNull(row) && !struct.isNull(row)) {
        throw context.refused(
            firstRow + row, "NULL in '" + field.name() + "'", "it is NOT NULL; give it a value");
      }
    }
  }
}
