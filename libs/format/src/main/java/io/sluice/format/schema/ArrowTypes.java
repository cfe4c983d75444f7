package io.sluice.format.schema;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.DataType.ArrayType;
import io.sluice.format.schema.DataType.BinaryType;
import io.sluice.format.schema.DataType.BooleanType;
import io.sluice.format.schema.DataType.BytesType;
import io.sluice.format.schema.DataType.DateType;
import io.sluice.format.schema.DataType.DecimalType;
import io.sluice.format.schema.DataType.DoubleType;
import io.sluice.format.schema.DataType.FloatType;
import io.sluice.format.schema.DataType.IntegerType;
import io.sluice.format.schema.DataType.MapType;
import io.sluice.format.schema.DataType.RowType;
import io.sluice.format.schema.DataType.StringType;
import io.sluice.format.schema.DataType.TimeType;
import io.sluice.format.schema.DataType.TimestampLtzType;
import io.sluice.format.schema.DataType.TimestampType;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;

/** Chooses the table type for an Arrow field, for tables that are made from an Arrow schema. */
public final class ArrowTypes {
  private ArrowTypes() {}

  /**
   * The type that holds every value of the field. {@code sluice.type} in the field's metadata wins
   * when its Arrow type is the field's own; unsigned integers take the next wider signed type, half
   * floats FLOAT, large and view types their plain form.
   *
   * @throws SluiceException INVALID_SCHEMA naming the field, its Arrow type and a way out
   */
  public static DataType dataType(Field field) {
    String declared = field.getMetadata().get(ArrowSchemas.TYPE);
    if (declared != null) {
      DataType type = DataTypeParser.parse(declared);
      if (!type.isNested() && ArrowSchemas.arrowType(type).equals(field.getType())) {
        return type;
      }
    }
    ArrowType type = field.getType();
    if (type instanceof ArrowType.List
        || type instanceof ArrowType.LargeList
        || type instanceof ArrowType.FixedSizeList
        || type instanceof ArrowType.ListView
        || type instanceof ArrowType.LargeListView) {
      Field element = child(field, 0, 1);
      return new ArrayType(dataType(element), element.isNullable());
    }
    if (type instanceof ArrowType.Map) {
      Field entries = child(field, 0, 1);
      Field key = child(entries, 0, 2);
      Field value = child(entries, 1, 2);
      return new MapType(dataType(key), dataType(value), value.isNullable());
    }
    if (type instanceof ArrowType.Struct) {
      List<RowType.Field> fields = new ArrayList<>();
      for (Field each : field.getChildren()) {
        String id = each.getMetadata().get(ArrowSchemas.ID);
        fields.add(
            new RowType.Field(
                id == null ? 0 : ArrowSchemas.number(ArrowSchemas.ID, id),
                each.getName(),
                dataType(each),
                each.isNullable()));
      }
      return new RowType(fields);
    }
    return scalar(field, type);
  }

  private static DataType scalar(Field field, ArrowType type) {
    if (type instanceof ArrowType.Bool) {
      return new BooleanType();
    }
    if (type instanceof ArrowType.Int integer) {
      return integer(integer);
    }
    if (type instanceof ArrowType.FloatingPoint floating) {
      boolean wide = floating.getPrecision() == FloatingPointPrecision.DOUBLE;
      return wide ? new DoubleType() : new FloatType();
    }
    if (type instanceof ArrowType.Utf8
        || type instanceof ArrowType.LargeUtf8
        || type instanceof ArrowType.Utf8View) {
      return new StringType();
    }
    if (type instanceof ArrowType.Binary
        || type instanceof ArrowType.LargeBinary
        || type instanceof ArrowType.BinaryView) {
      return new BytesType();
    }
    if (type instanceof ArrowType.FixedSizeBinary binary) {
      return new BinaryType(binary.getByteWidth());
    }
    if (type instanceof ArrowType.Decimal decimal
        && decimal.getPrecision() <= 38
        && decimal.getScale() >= 0) {
      return new DecimalType(decimal.getPrecision(), decimal.getScale());
    }
    if (type instanceof ArrowType.Date) {
      return new DateType();
    }
    if (type instanceof ArrowType.Time time) {
      return new TimeType(precision(time.getUnit()));
    }
    if (type instanceof ArrowType.Timestamp timestamp) {
      int precision = precision(timestamp.getUnit());
      return timestamp.getTimezone() == null
          ? new TimestampType(precision)
          : new TimestampLtzType(precision);
    }
    throw new SluiceException(
        ErrorCode.INVALID_SCHEMA,
        "Column '"
            + field.getName()
            + "' has Arrow type "
            + type
            + ", which no column type holds; cast it before the upload, for example to "
            + suggestion(type));
  }

  private static DataType integer(ArrowType.Int type) {
    if (type.getIsSigned()) {
      return new IntegerType(type.getBitWidth());
    }
    return type.getBitWidth() == 64
        ? new DecimalType(20, 0)
        : new IntegerType(type.getBitWidth() * 2);
  }

  /** Digits of a second that the unit has. */
  static int precision(TimeUnit unit) {
    return switch (unit) {
      case SECOND -> 0;
      case MILLISECOND -> 3;
      case MICROSECOND -> 6;
      case NANOSECOND -> 9;
    };
  }

  private static String suggestion(ArrowType type) {
    if (type instanceof ArrowType.Decimal) {
      return "decimal128(38, s) with a scale of 0 to 38";
    }
    return type instanceof ArrowType.Duration || type instanceof ArrowType.Interval
        ? "int64"
        : "utf8";
  }

  private static Field child(Field field, int index, int count) {
    if (field.getChildren().size() != count) {
      throw new SluiceException(
          ErrorCode.INVALID_SCHEMA,
          "Arrow field '"
              + field.getName()
              + "' of type "
              + field.getType()
              + " has "
              + field.getChildren().size()
              + " children; it must have "
              + count);
    }
    return field.getChildren().get(index);
  }
}
