package io.sluice.tiering.write;

import io.sluice.common.TablePath;
import io.sluice.format.row.ColumnWriters;
import io.sluice.format.row.Row;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.BinaryType;
import io.sluice.format.schema.DataType.BooleanType;
import io.sluice.format.schema.DataType.BytesType;
import io.sluice.format.schema.DataType.DateType;
import io.sluice.format.schema.DataType.DecimalType;
import io.sluice.format.schema.DataType.DoubleType;
import io.sluice.format.schema.DataType.FloatType;
import io.sluice.format.schema.DataType.IntegerType;
import io.sluice.format.schema.DataType.TimeType;
import io.sluice.format.schema.DataType.TimestampLtzType;
import io.sluice.format.schema.DataType.TimestampType;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TimeStampMilliTZVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.iceberg.Files;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.parquet.GenericParquetReaders;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/** Tables, their lake tables as lake-service makes them, batches, and Iceberg's reader. */
public final class LakeTables {
  /** When all rows of the tests were stored. */
  public static final long STORED_MS = 1_750_000_000_123L;

  /** The table of most tests. */
  public static final TablePath PATH = TablePath.parse("demo.t");

  private LakeTables() {}

  /** A schema of nullable columns {@code c1, c2, ...}; a type may end with NOT NULL. */
  public static TableSchema schema(String... types) {
    List<Column> columns = new ArrayList<>();
    for (String type : types) {
      boolean required = type.endsWith(" NOT NULL");
      String text = required ? type.substring(0, type.length() - 9) : type;
      int id = columns.size() + 1;
      columns.add(Column.of(id, "c" + id, DataTypeParser.parse(text), !required));
    }
    return new TableSchema(1, columns, List.of());
  }

  /** The lake's schema. */
  public static Schema lakeSchema(TableSchema table) {
    List<Types.NestedField> fields = new ArrayList<>();
    for (Column column : table.columns()) {
      fields.add(
          Types.NestedField.of(
              column.id(), column.nullable(), column.name(), lakeType(column.type())));
    }
    fields.add(Types.NestedField.required(1001, "__bucket", Types.IntegerType.get()));
    fields.add(Types.NestedField.required(1002, "__offset", Types.LongType.get()));
    fields.add(Types.NestedField.required(1003, "__timestamp", Types.TimestampType.withZone()));
    return new Schema(fields);
  }

  private static Type lakeType(DataType type) {
    if (type instanceof IntegerType integer) {
      return integer.bits() == 64 ? Types.LongType.get() : Types.IntegerType.get();
    } else if (type instanceof BooleanType) {
      return Types.BooleanType.get();
    } else if (type instanceof FloatType) {
      return Types.FloatType.get();
    } else if (type instanceof DoubleType) {
      return Types.DoubleType.get();
    } else if (type instanceof DecimalType decimal) {
      return Types.DecimalType.of(decimal.precision(), decimal.scale());
    } else if (type instanceof DateType) {
      return Types.DateType.get();
    } else if (type instanceof TimeType) {
      return Types.TimeType.get();
    } else if (type instanceof TimestampType timestamp) {
      return timestamp.precision() > 6
          ? Types.TimestampNanoType.withoutZone()
          : Types.TimestampType.withoutZone();
    } else if (type instanceof TimestampLtzType timestamp) {
      return timestamp.precision() > 6
          ? Types.TimestampNanoType.withZone()
          : Types.TimestampType.withZone();
    } else if (type instanceof BinaryType binary) {
      return Types.FixedType.ofLength(binary.length());
    } else if (type instanceof BytesType) {
      return Types.BinaryType.get();
    }
    return Types.StringType.get();
  }

  /** The lake's partition spec. */
  public static PartitionSpec lakeSpec(TableSchema table) {
    return PartitionSpec.builderFor(lakeSchema(table)).identity("__bucket").build();
  }

  /** The lake's schema as JSON. */
  public static String schemaJson(TableSchema table) {
    return SchemaParser.toJson(lakeSchema(table));
  }

  /** The lake's spec as JSON. */
  public static String specJson(TableSchema table) {
    return PartitionSpecParser.toJson(lakeSpec(table));
  }

  /** The target of a table. */
  public static LakeTarget target(TableSchema table) {
    return LakeTarget.of(PATH, table, schemaJson(table), specJson(table));
  }

  /** A batch as a scan gives it out: the rows, their offsets and when they were stored. */
  public static VectorSchemaRoot batch(
      BufferAllocator allocator, TableSchema table, long offset, List<Row> rows) {
    VectorSchemaRoot columns = VectorSchemaRoot.create(ArrowSchemas.toArrow(table), allocator);
    ColumnWriters writers = ColumnWriters.of(table, columns, rows.size());
    for (Row row : rows) {
      writers.write(row);
    }
    writers.finish();
    BigIntVector offsets =
        new BigIntVector(
            new Field(
                "_offset", new FieldType(false, new ArrowType.Int(64, true), null, Map.of()), null),
            allocator);
    TimeStampMilliTZVector times =
        new TimeStampMilliTZVector(
            new Field(
                "_timestamp",
                new FieldType(
                    false, new ArrowType.Timestamp(TimeUnit.MILLISECOND, "UTC"), null, Map.of()),
                null),
            allocator);
    for (int i = 0; i < rows.size(); i++) {
      offsets.setSafe(i, offset + i);
      times.setSafe(i, STORED_MS);
    }
    offsets.setValueCount(rows.size());
    times.setValueCount(rows.size());
    List<FieldVector> vectors = new ArrayList<>(columns.getFieldVectors());
    vectors.add(offsets);
    vectors.add(times);
    VectorSchemaRoot batch = new VectorSchemaRoot(vectors);
    batch.setRowCount(rows.size());
    return batch;
  }

  /** What Iceberg's own reader finds in a file. */
  public static List<Record> read(Path file, TableSchema table) {
    List<Record> records = new ArrayList<>();
    Schema schema = lakeSchema(table);
    try (CloseableIterable<Record> rows =
        Parquet.read(Files.localInput(file.toFile()))
            .project(schema)
            .createReaderFunc(found -> GenericParquetReaders.buildReader(schema, found))
            .build()) {
      rows.forEach(row -> records.add(row.copy()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return records;
  }
}
