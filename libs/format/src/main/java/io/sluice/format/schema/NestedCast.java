package io.sluice.format.schema;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;

/** Copies ARRAY, MAP and ROW values whose Arrow types are those of the column all the way down. */
final class NestedCast extends SafeCast {

  NestedCast(CastContext context) {
    super(context);
    Field wanted = ArrowSchemas.toField(context.column());
    if (!matches(context.source(), wanted)) {
      throw context.impossible("nested values are not cast: upload them as " + wanted);
    }
  }

  private static boolean matches(Field source, Field wanted) {
    List<Field> have = source.getChildren();
    List<Field> want = wanted.getChildren();
    boolean maps =
        source.getType() instanceof ArrowType.Map && wanted.getType() instanceof ArrowType.Map;
    if ((!maps && !source.getType().equals(wanted.getType()))
        || source.getDictionary() != null
        || have.size() != want.size()) {
      return false;
    }
    boolean named = wanted.getType() instanceof ArrowType.Struct && !isEntries(wanted);
    for (int i = 0; i < have.size(); i++) {
      boolean sameName = have.get(i).getName().equals(want.get(i).getName());
      if ((named && !sameName) || !matches(have.get(i), want.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** Whether this is the struct inside of a map, whose children are known by position. */
  private static boolean isEntries(Field field) {
    return field.getMetadata().get(ArrowSchemas.TYPE) == null;
  }

  @Override
  void copyValues(FieldVector source, FieldVector target, int rows, long firstRow) {
    target.reset();
    target.setInitialCapacity(Math.max(1, rows));
    target.allocateNew();
    try {
      for (int row = 0; row < rows; row++) {
        target.copyFromSafe(row, row, source);
      }
    } catch (IndexOutOfBoundsException e) {
      throw new SluiceException(
          ErrorCode.CORRUPT_BATCH,
          "Column '" + context.column().name() + "' has offsets outside of its values",
          e);
    }
    target.setValueCount(rows);
    checkNulls(target, target.getField(), firstRow);
  }

  /** Refuses NULL in NOT NULL elements, values and fields whose parent is not NULL. */
  private void checkNulls(FieldVector parent, Field field, long firstRow) {
    boolean sameRows = field.getType() instanceof ArrowType.Struct;
    List<FieldVector> children = parent.getChildrenFromFields();
    for (int i = 0; i < children.size(); i++) {
      FieldVector child = children.get(i);
      Field childField = child.getField();
      if (!childField.isNullable() && child.getNullCount() > 0) {
        for (int at = 0; at < child.getValueCount(); at++) {
          if (child.isNull(at) && !(sameRows && parent.isNull(at))) {
            throw context.refused(
                firstRow,
                "NULL in '" + childField.getName() + "' (this row or one after it)",
                "it is NOT NULL; give it a value");
          }
        }
      }
      checkNulls(child, childField, firstRow);
    }
  }
}
