package io.sluice.format.schema;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.DataType.ArrayType;
import io.sluice.format.schema.DataType.BinaryType;
import io.sluice.format.schema.DataType.BooleanType;
import io.sluice.format.schema.DataType.BytesType;
import io.sluice.format.schema.DataType.CharType;
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
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Maps table schemas to Arrow schemas and back; the table of types is in {@code
 * docs/formats/types.md}.
 *
 * <p>Every field carries {@link #ID} and {@link #TYPE} in its metadata, so that precision and
 * length, which Arrow types do not have, survive; the schema carries {@link #SCHEMA_ID} and {@link
 * #PRIMARY_KEY}.
 */
public final class ArrowSchemas {
  /** Field metadata: the column id, decimal. Absent on nested fields without an id. */
  public static final String ID = "sluice.id";

  /** Field metadata: the SQL text of the type. */
  public static final String TYPE = "sluice.type";

  /** Field metadata: the comment of the column; absent when empty. */
  public static final String COMMENT = "sluice.comment";

  /** Schema metadata: the schema id, decimal. */
  public static final String SCHEMA_ID = "sluice.schema-id";

  /**
   * Schema metadata: names of the key columns in key order, each on its own line; absent without a
   * key or when a projection leaves a key column out.
   */
  public static final String PRIMARY_KEY = "sluice.primary-key";

  private static final String UTC = "UTC";
  private static final String KEY_SEPARATOR = "\n";

  private ArrowSchemas() {}

  /** The Arrow schema of all columns, in their order. */
  public static Schema toArrow(TableSchema schema) {
    return ofColumns(schema, schema.columns());
  }

  /**
   * The Arrow schema of some columns, in the order of the ids.
   *
   * @throws SluiceException COLUMN_NOT_FOUND naming the first id that the schema does not have
   */
  public static Schema toArrow(TableSchema schema, List<Integer> columnIds) {
    Map<Integer, Column> byId = new HashMap<>();
    for (Column column : schema.columns()) {
      byId.put(column.id(), column);
    }
    List<Column> columns = new ArrayList<>(columnIds.size());
    for (Integer id : columnIds) {
      Column column = byId.get(id);
      if (column == null) {
        throw new SluiceException(
            ErrorCode.COLUMN_NOT_FOUND,
            "Column id " + id + " does not exist in schema " + schema.schemaId());
      }
      columns.add(column);
    }
    return ofColumns(schema, columns);
  }

  private static Schema ofColumns(TableSchema schema, List<Column> columns) {
    List<Field> fields = new ArrayList<>(columns.size());
    List<String> names = new ArrayList<>(columns.size());
    for (Column column : columns) {
      fields.add(toField(column));
      names.add(column.name());
    }
    Map<String, String> metadata = new LinkedHashMap<>();
    metadata.put(SCHEMA_ID, Integer.toString(schema.schemaId()));
    if (!schema.primaryKey().isEmpty() && names.containsAll(schema.primaryKey())) {
      metadata.put(PRIMARY_KEY, String.join(KEY_SEPARATOR, schema.primaryKey()));
    }
    return new Schema(fields, metadata);
  }

  /** The Arrow field of a column, with its metadata and children. */
  public static Field toField(Column column) {
    return field(column.id(), column.name(), column.type(), column.nullable(), column.comment());
  }

  private static Field field(int id, String name, DataType type, boolean nullable, String comment) {
    Map<String, String> metadata = new LinkedHashMap<>();
    if (id > 0) {
      metadata.put(ID, Integer.toString(id));
    }
    metadata.put(TYPE, type.toString());
    if (!comment.isEmpty()) {
      metadata.put(COMMENT, comment);
    }
    return new Field(
        name, new FieldType(nullable, arrowType(type), null, metadata), children(type));
  }

  private static @Nullable List<Field> children(DataType type) {
    if (type instanceof ArrayType array) {
      return List.of(field(0, "element", array.element(), array.elementNullable(), ""));
    }
    if (type instanceof MapType map) {
      Field key = field(0, "key", map.key(), false, "");
      Field value = field(0, "value", map.value(), map.valueNullable(), "");
      FieldType entries = FieldType.notNullable(ArrowType.Struct.INSTANCE);
      return List.of(new Field("entries", entries, List.of(key, value)));
    }
    if (type instanceof RowType row) {
      List<Field> fields = new ArrayList<>(row.fields().size());
      for (RowType.Field each : row.fields()) {
        fields.add(field(each.id(), each.name(), each.type(), each.nullable(), ""));
      }
      return fields;
    }
    return null;
  }

  /** The Arrow type that stores values of {@code type}; children of nested types not included. */
  public static ArrowType arrowType(DataType type) {
    if (type instanceof IntegerType integer) {
      return new ArrowType.Int(integer.bits(), true);
    }
    if (type instanceof DecimalType decimal) {
      return new ArrowType.Decimal(decimal.precision(), decimal.scale(), 128);
    }
    if (type instanceof TimeType time) {
      return new ArrowType.Time(unit(time.precision()), time.precision() <= 3 ? 32 : 64);
    }
    if (type instanceof TimestampType timestamp) {
      return new ArrowType.Timestamp(unit(timestamp.precision()), null);
    }
    if (type instanceof TimestampLtzType timestamp) {
      return new ArrowType.Timestamp(unit(timestamp.precision()), UTC);
    }
    if (type instanceof BinaryType binary) {
      return new ArrowType.FixedSizeBinary(binary.length());
    }
    return plainArrowType(type);
  }

  private static ArrowType plainArrowType(DataType type) {
    if (type instanceof BooleanType) {
      return ArrowType.Bool.INSTANCE;
    }
    if (type instanceof FloatType) {
      return new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
    }
    if (type instanceof DoubleType) {
      return new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
    }
    if (type instanceof CharType || type instanceof StringType) {
      return ArrowType.Utf8.INSTANCE;
    }
    if (type instanceof DateType) {
      return new ArrowType.Date(DateUnit.DAY);
    }
    if (type instanceof BytesType) {
      return ArrowType.Binary.INSTANCE;
    }
    if (type instanceof ArrayType) {
      return ArrowType.List.INSTANCE;
    }
    if (type instanceof MapType) {
      return new ArrowType.Map(false);
    }
    if (type instanceof RowType) {
      return ArrowType.Struct.INSTANCE;
    }
    throw new SluiceException(ErrorCode.INTERNAL, "Type " + type + " has no Arrow type");
  }

  /** The unit that a time or timestamp of this precision (0 to 9) is stored in. */
  public static TimeUnit unit(int precision) {
    if (precision == 0) {
      return TimeUnit.SECOND;
    }
    if (precision <= 3) {
      return TimeUnit.MILLISECOND;
    }
    return precision <= 6 ? TimeUnit.MICROSECOND : TimeUnit.NANOSECOND;
  }

  /**
   * The table schema of an Arrow schema, for one that {@link #toArrow(TableSchema)} made the same
   * again. For any other: schema id 1, column ids from 1 in order, no primary key, and the types of
   * {@link ArrowTypes#dataType(Field)}.
   */
  public static TableSchema fromArrow(Schema schema) {
    Map<String, String> metadata =
        schema.getCustomMetadata() == null ? Map.of() : schema.getCustomMetadata();
    boolean ours =
        schema.getFields().stream().allMatch(field -> field.getMetadata().get(ID) != null);
    List<Column> columns = new ArrayList<>(schema.getFields().size());
    for (Field field : schema.getFields()) {
      int id = ours ? number(ID, field.getMetadata().get(ID)) : columns.size() + 1;
      String comment = field.getMetadata().getOrDefault(COMMENT, "");
      columns.add(
          new Column(id, field.getName(), ArrowTypes.dataType(field), field.isNullable(), comment));
    }
    String schemaId = metadata.get(SCHEMA_ID);
    String key = metadata.get(PRIMARY_KEY);
    return new TableSchema(
        schemaId == null ? 1 : number(SCHEMA_ID, schemaId),
        columns,
        key == null ? List.of() : List.of(key.split(KEY_SEPARATOR, -1)));
  }

  static int number(String name, @Nullable String text) {
    try {
      return Integer.parseInt(String.valueOf(text));
    } catch (NumberFormatException e) {
      throw new SluiceException(
          ErrorCode.INVALID_SCHEMA,
          "Arrow metadata " + name + " is '" + text + "'; it must be a decimal number",
          e);
    }
  }
}
