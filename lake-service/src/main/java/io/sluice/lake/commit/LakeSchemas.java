package io.sluice.lake.commit;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/**
 * The Iceberg schema and partition spec of a log table: the columns under their own ids, then the
 * system columns. Nothing is narrowed: what has no Iceberg type of the same values is refused.
 */
final class LakeSchemas {
  static final String BUCKET = "__bucket";
  static final String OFFSET = "__offset";
  static final String TIMESTAMP = "__timestamp";

  /** Far above any column's id, which are given in order and never reused. */
  static final int BUCKET_ID = 1_000_000_001;

  static final int OFFSET_ID = 1_000_000_002;
  static final int TIMESTAMP_ID = 1_000_000_003;

  private static final int MAX_PRECISION = 6;

  private LakeSchemas() {}

  /** The Iceberg schema; UNSUPPORTED for a column that the lake cannot hold. */
  static Schema schema(TableSchema table) {
    List<Types.NestedField> fields = new ArrayList<>();
    for (Column column : table.columns()) {
      if (isSystem(column.name())) {
        throw new SluiceException(
            ErrorCode.UNSUPPORTED,
            "Column '" + column.name() + "' has the name of a system column of the lake");
      }
      Types.NestedField.Builder field =
          (column.nullable()
                  ? Types.NestedField.optional(column.name())
                  : Types.NestedField.required(column.name()))
              .withId(column.id())
              .ofType(type(column));
      fields.add(
          column.comment().isEmpty() ? field.build() : field.withDoc(column.comment()).build());
    }
    fields.add(
        Types.NestedField.required(BUCKET_ID, BUCKET, Types.IntegerType.get(), "Sluice bucket"));
    fields.add(
        Types.NestedField.required(
            OFFSET_ID, OFFSET, Types.LongType.get(), "Offset in the bucket's log"));
    fields.add(
        Types.NestedField.required(
            TIMESTAMP_ID, TIMESTAMP, Types.TimestampType.withZone(), "When the row was stored"));
    return new Schema(fields);
  }

  static boolean isSystem(String name) {
    return name.equalsIgnoreCase(BUCKET)
        || name.equalsIgnoreCase(OFFSET)
        || name.equalsIgnoreCase(TIMESTAMP);
  }

  /** One partition field: the bucket a row was stored in, whatever function chose it. */
  static PartitionSpec spec(Schema schema) {
    return PartitionSpec.builderFor(schema).identity(BUCKET).build();
  }

  private static Type type(Column column) {
    DataType type = column.type();
    if (type instanceof DataType.BooleanType) {
      return Types.BooleanType.get();
    } else if (type instanceof DataType.IntegerType integer) {
      return integer.bits() == 64 ? Types.LongType.get() : Types.IntegerType.get();
    } else if (type instanceof DataType.FloatType) {
      return Types.FloatType.get();
    } else if (type instanceof DataType.DoubleType) {
      return Types.DoubleType.get();
    } else if (type instanceof DataType.CharType || type instanceof DataType.StringType) {
      return Types.StringType.get();
    } else if (type instanceof DataType.DecimalType decimal) {
      return Types.DecimalType.of(decimal.precision(), decimal.scale());
    } else if (type instanceof DataType.DateType) {
      return Types.DateType.get();
    } else if (type instanceof DataType.TimeType time && time.precision() <= MAX_PRECISION) {
      return Types.TimeType.get();
    } else if (type instanceof DataType.TimestampType timestamp
        && timestamp.precision() <= MAX_PRECISION) {
      return Types.TimestampType.withoutZone();
    } else if (type instanceof DataType.TimestampLtzType timestamp
        && timestamp.precision() <= MAX_PRECISION) {
      return Types.TimestampType.withZone();
    } else if (type instanceof DataType.BinaryType binary) {
      return Types.FixedType.ofLength(binary.length());
    } else if (type instanceof DataType.BytesType) {
      return Types.BinaryType.get();
    }
    throw new SluiceException(
        ErrorCode.UNSUPPORTED,
        "Column '"
            + column.name()
            + "' of type "
            + type
            + " cannot be tiered: the lake takes scalar types, and times of at most "
            + MAX_PRECISION
            + " digits of a second");
  }
}
