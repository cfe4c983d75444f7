package io.sluice.format.schema;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.DataType.ArrayType;
import io.sluice.format.schema.DataType.MapType;
import io.sluice.format.schema.DataType.RowType;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BitVectorHelper;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;

/** Casts of ARRAY, MAP and ROW values: what is inside of them is cast in turn. */
abstract class NestedCast extends SafeCast {
  NestedCast(CastContext context) {
    super(context);
  }

  /** INVALID_SCHEMA when the field has another shape, or holds what has no cast. */
  static SafeCast of(CastContext context) {
    DataType type = context.column().type();
    ArrowType source = context.source().getType();
    if (type instanceof ArrayType array && ListSource.isList(source)) {
      return new ListCast(context, List.of(elements(context, array)), false);
    }
    if (type instanceof MapType map && source instanceof ArrowType.Map) {
      return new ListCast(context, entries(context, map), true);
    }
    if (type instanceof RowType row && source instanceof ArrowType.Struct) {
      return StructCast.of(context, row);
    }
    throw context.impossible(
        "upload nested values in their shape: " + ArrowSchemas.toField(context.column()));
  }

  private static SafeCast elements(CastContext context, ArrayType type) {
    Column element = inner(context, "element", type.element(), type.elementNullable());
    return of(context.source().getChildren().get(0), element);
  }

  private static List<SafeCast> entries(CastContext context, MapType type) {
    List<Field> entry = context.source().getChildren().get(0).getChildren();
    if (entry.size() != 2) {
      throw context.impossible("the entries of a map are structs of a key and a value");
    }
    return List.of(
        of(entry.get(0), inner(context, "key", type.key(), false)),
        of(entry.get(1), inner(context, "value", type.value(), type.valueNullable())));
  }

  /** Something inside of the column as a column of its own, named by its path. */
  static Column inner(CastContext context, String name, DataType type, boolean nullable) {
    return Column.inner(context.column().name() + '.' + name, type, nullable);
  }

  /** Casts what is inside; the failure says that its rows are counted inside of the column. */
  final void castInner(
      SafeCast cast, FieldVector source, FieldVector target, boolean sameRows, long firstRow) {
    try {
      cast.copy(source, target, sameRows ? firstRow : 0);
    } catch (SluiceException e) {
      throw sameRows || e.code() != ErrorCode.INVALID_VALUE
          ? e
          : new SluiceException(
              e.code(),
              e.getMessage()
                  + " (counted in the values inside of '"
                  + context.column().name()
                  + "' from row "
                  + firstRow
                  + " of the upload on)",
              e);
    }
  }

  /** Gives the target its own buffers; those of its children are cast apart. */
  static void load(FieldVector source, FieldVector target, int rows, ArrowBuf... more) {
    try (ArrowBuf validity = target.getAllocator().buffer(Math.max(8, (rows + 7) / 8))) {
      validity.setZero(0, validity.capacity());
      for (int row = 0; row < rows; row++) {
        if (!source.isNull(row)) {
          BitVectorHelper.setBit(validity, row);
        }
      }
      ArrowFieldNode node = new ArrowFieldNode(rows, source.getNullCount());
      target.loadFieldBuffers(
          node, more.length == 0 ? List.of(validity) : List.of(validity, more[0]));
    }
  }

  /** Lists and maps. */
  private static final class ListCast extends NestedCast {
    private final List<SafeCast> inner;
    private final boolean map;

    ListCast(CastContext context, List<SafeCast> inner, boolean map) {
      super(context);
      this.inner = inner;
      this.map = map;
    }

    @Override
    void copyValues(FieldVector source, FieldVector target, int rows, long firstRow) {
      FieldVector to = target.getChildrenFromFields().get(0);
      ListSource list = new ListSource(context, source, rows, firstRow);
      try (FieldVector elements = list.elements();
          ArrowBuf offsets = list.offsets(target.getAllocator())) {
        if (map) {
          for (int i = 0; i < inner.size(); i++) {
            FieldVector from = elements.getChildrenFromFields().get(i);
            castInner(inner.get(i), from, to.getChildrenFromFields().get(i), false, firstRow);
          }
          load(elements, to, elements.getValueCount());
        } else {
          castInner(inner.get(0), elements, to, false, firstRow);
        }
        load(source, target, rows, offsets);
      }
    }
  }
}
