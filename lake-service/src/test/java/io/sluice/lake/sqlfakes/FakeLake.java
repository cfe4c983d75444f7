package io.sluice.lake.sqlfakes;

import io.sluice.client.TableDescription;
import io.sluice.common.TablePath;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.lake.union.Lake;
import io.sluice.lake.union.LakeColumn;
import io.sluice.lake.union.LakeView;
import io.sluice.lake.union.SystemColumns;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Files;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.io.FileAppender;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/** A lake whose rounds are written by Iceberg itself into a directory. */
public final class FakeLake implements Lake {
  private final Path directory;
  private final Map<Long, LakeView> views = new HashMap<>();
  private final Map<TablePath, Leftover> leftovers = new HashMap<>();
  private final List<String> calls;
  private int files;

  /** Thrown by every question when it is not null. */
  public volatile RuntimeException failure;

  /** Runs inside of each question for a view. */
  public volatile Runnable duringView = () -> {};

  /** Tables that were purged. */
  public final List<TablePath> purged = new ArrayList<>();

  public FakeLake(Path parent, List<String> calls) {
    try {
      this.directory = java.nio.file.Files.createTempDirectory(parent, "warehouse");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    this.calls = calls;
  }

  public void leftover(TablePath path, Leftover leftover) {
    leftovers.put(path, leftover);
  }

  @Override
  public LakeView view(long tableId) {
    calls.add("view " + tableId);
    if (failure != null) {
      throw failure;
    }
    LakeView view = views.getOrDefault(tableId, LakeView.empty());
    duringView.run();
    return view;
  }

  @Override
  public Leftover find(TablePath path) {
    if (failure != null) {
      throw failure;
    }
    return leftovers.getOrDefault(path, new Leftover(false, 0, false));
  }

  @Override
  public boolean purge(TablePath path) {
    purged.add(path);
    return leftovers.remove(path) != null;
  }

  /** A round: takes each bucket of the table up to the given offset into the lake. */
  public void tier(FakeTable table, Map<Integer, Long> until) {
    TableDescription description = table.description();
    Schema schema = schema(description);
    LakeView before = views.getOrDefault(description.tableId(), LakeView.empty());
    Map<Integer, Long> offsets = new HashMap<>(before.offsets());
    List<LakeView.File> all = new ArrayList<>(before.files());
    until.forEach(
        (bucket, end) -> {
          long start = offsets.getOrDefault(bucket, 0L);
          if (start < end) {
            all.add(write(table, schema, bucket, start, end));
            offsets.put(bucket, end);
          }
        });
    List<LakeColumn> columns = new ArrayList<>();
    schema
        .columns()
        .forEach(field -> columns.add(new LakeColumn(field.fieldId(), field.name(), field.type())));
    views.put(
        description.tableId(),
        new LakeView(before.snapshotId() + 100, 1_700_000_000_000L, offsets, all, columns));
  }

  private LakeView.File write(FakeTable table, Schema schema, int bucket, long start, long end) {
    Path file = directory.resolve("file-" + files++ + ".parquet");
    try (FileAppender<Record> appender =
        Parquet.write(Files.localOutput(file.toFile()))
            .schema(schema)
            .createWriterFunc(type -> GenericParquetWriter.create(schema, type))
            .build()) {
      for (long offset = start; offset < end; offset++) {
        appender.add(record(table, schema, bucket, offset));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new LakeView.File(file.toString(), end - start, file.toFile().length());
  }

  private static Record record(FakeTable table, Schema schema, int bucket, long offset) {
    FakeTable.Entry entry = table.bucket(bucket).get((int) offset);
    Record record = GenericRecord.create(schema);
    List<Column> columns = table.description().schema().columns();
    for (int i = 0; i < columns.size(); i++) {
      record.set(
          i, lakeValue(entry.values(table.description().schema()).get(i), columns.get(i).type()));
    }
    record.setField(SystemColumns.BUCKET, bucket);
    record.setField(SystemColumns.OFFSET, offset);
    record.setField(
        SystemColumns.TIMESTAMP,
        Instant.ofEpochMilli(entry.timestampMs()).atOffset(ZoneOffset.UTC));
    return record;
  }

  private static Object lakeValue(Object value, DataType type) {
    if (value == null) {
      return null;
    }
    if (value instanceof Instant instant) {
      return instant.atOffset(ZoneOffset.UTC);
    }
    if (value instanceof BigDecimal decimal && type instanceof DataType.DecimalType to) {
      return decimal.setScale(to.scale());
    }
    if (value instanceof byte[] bytes) {
      return java.nio.ByteBuffer.wrap(bytes);
    }
    return value instanceof Short || value instanceof Byte ? ((Number) value).intValue() : value;
  }

  private static Schema schema(TableDescription table) {
    List<Types.NestedField> fields = new ArrayList<>();
    for (Column column : table.schema().columns()) {
      // The lake's own names differ on purpose: columns are found by id.
      fields.add(
          Types.NestedField.optional(
              column.id(), "lake_" + column.name(), lakeType(column.type())));
    }
    fields.add(Types.NestedField.required(1001, SystemColumns.BUCKET, Types.IntegerType.get()));
    fields.add(Types.NestedField.required(1002, SystemColumns.OFFSET, Types.LongType.get()));
    fields.add(
        Types.NestedField.required(1003, SystemColumns.TIMESTAMP, Types.TimestampType.withZone()));
    return new Schema(fields);
  }

  private static Type lakeType(DataType type) {
    if (type instanceof DataType.IntegerType integer) {
      return integer.bits() == 64 ? Types.LongType.get() : Types.IntegerType.get();
    }
    if (type instanceof DataType.DoubleType) {
      return Types.DoubleType.get();
    }
    if (type instanceof DataType.BooleanType) {
      return Types.BooleanType.get();
    }
    if (type instanceof DataType.DateType) {
      return Types.DateType.get();
    }
    if (type instanceof DataType.DecimalType decimal) {
      return Types.DecimalType.of(decimal.precision(), decimal.scale());
    }
    if (type instanceof DataType.TimestampType) {
      return Types.TimestampType.withoutZone();
    }
    if (type instanceof DataType.TimestampLtzType) {
      return Types.TimestampType.withZone();
    }
    if (type instanceof DataType.BytesType) {
      return Types.BinaryType.get();
    }
    return Types.StringType.get();
  }
}
