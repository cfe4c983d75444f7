package io.sluice.tiering.write;

import io.sluice.format.row.GenericRow;
import io.sluice.format.row.Row;
import io.sluice.format.row.VectorRow;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.io.FileAppender;
import org.apache.iceberg.parquet.Parquet;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.api.ReadSupport;
import org.apache.parquet.hadoop.example.GroupReadSupport;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.LocalInputFile;

/**
 * CPU time of writing flights from Arrow vectors to Parquet: column by column, and row by row with
 * Iceberg's generic writer. Run {@code main} with the path of the flights; results are in {@code
 * docs/adr/0008-parquet-from-vectors.md}.
 */
final class LakeFileBenchmark {
  private static final int BATCH_ROWS = 10_000;
  private static final int ROUNDS = 9;
  private static final TableSchema FLIGHTS =
      new TableSchema(
          1,
          List.of(
              Column.of(1, "date", DataTypeParser.parse("TIMESTAMP(6)"), true),
              Column.of(2, "delay", DataTypeParser.parse("INT"), true),
              Column.of(3, "distance", DataTypeParser.parse("INT"), true),
              Column.of(4, "origin", DataTypeParser.parse("STRING"), true),
              Column.of(5, "destination", DataTypeParser.parse("STRING"), true)),
          List.of());

  private LakeFileBenchmark() {}

  /** One way to write all batches; returns the bytes of the file. */
  private interface Way {
    long write(Path directory, List<VectorSchemaRoot> batches) throws IOException;
  }

  public static void main(String[] args) throws IOException {
    Path directory = Files.createTempDirectory("lake-file-benchmark");
    try (BufferAllocator allocator = new RootAllocator()) {
      List<VectorSchemaRoot> batches = flights(Path.of(args[0]), allocator);
      long rows = batches.stream().mapToLong(VectorSchemaRoot::getRowCount).sum();
      System.out.printf(Locale.ROOT, "%,d rows in batches of %,d%n", rows, BATCH_ROWS);
      Way columns = LakeFileBenchmark::writeColumns;
      Way records = LakeFileBenchmark::writeRecords;
      double[][] seconds = new double[2][ROUNDS];
      long[] bytes = new long[2];
      for (int round = -4; round < ROUNDS; round++) {
        for (int way = 0; way < 2; way++) {
          Path place = directory.resolve(round + "-" + way);
          long cpu = cpuNanos();
          bytes[way] = (way == 0 ? columns : records).write(place, batches);
          if (round >= 0) {
            seconds[way][round] = (cpuNanos() - cpu) / 1e9 * 1_000_000 / rows;
          }
        }
      }
      report("column by column", seconds[0], bytes[0]);
      report("generic records", seconds[1], bytes[1]);
      batches.forEach(VectorSchemaRoot::close);
    }
  }

  private static void report(String name, double[] seconds, long bytes) {
    Arrays.sort(seconds);
    System.out.printf(
        Locale.ROOT,
        "%-18s %.3f CPU s per million rows (%.3f to %.3f), %,d bytes%n",
        name,
        seconds[seconds.length / 2],
        seconds[0],
        seconds[seconds.length - 1],
        bytes);
  }

  private static long cpuNanos() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static long writeColumns(Path directory, List<VectorSchemaRoot> batches) {
    WriteSettings settings = new WriteSettings(1L << 30, 32 << 20, 64 << 20);
    try (RoundFiles files =
        new RoundFiles(LakeTables.target(FLIGHTS), settings, directory.toString())) {
      long offset = 0;
      for (VectorSchemaRoot batch : batches) {
        files.write(0, offset, batch);
        offset += batch.getRowCount();
      }
      return files.finish().get(0).bytes();
    }
  }

  private static long writeRecords(Path directory, List<VectorSchemaRoot> batches)
      throws IOException {
    Files.createDirectories(directory);
    Schema schema = LakeTables.lakeSchema(FLIGHTS);
    Path file = directory.resolve("records.parquet");
    try (FileAppender<GenericRecord> out =
        Parquet.write(org.apache.iceberg.Files.localOutput(file.toFile()))
            .schema(schema)
            .createWriterFunc((found, type) -> GenericParquetWriter.create(found, type))
            .set("write.parquet.compression-codec", "zstd")
            .build()) {
      for (VectorSchemaRoot batch : batches) {
        VectorRow row = new VectorRow(batch);
        for (int i = 0; i < batch.getRowCount(); i++) {
          row.at(i);
          GenericRecord record = GenericRecord.create(schema);
          record.set(0, row.getTimestamp(0));
          record.set(1, row.getInt(1));
          record.set(2, row.getInt(2));
          record.set(3, row.getString(3));
          record.set(4, row.getString(4));
          record.set(5, 0);
          record.set(6, row.getLong(5));
          record.set(7, row.getInstant(6).atOffset(ZoneOffset.UTC));
          out.add(record);
        }
      }
    }
    return Files.size(file);
  }

  private static List<VectorSchemaRoot> flights(Path file, BufferAllocator allocator)
      throws IOException {
    List<VectorSchemaRoot> batches = new ArrayList<>();
    List<Row> rows = new ArrayList<>();
    long offset = 0;
    try (ParquetReader<Group> reader = new Groups(new LocalInputFile(file)).build()) {
      for (Group group = reader.read(); group != null; group = reader.read()) {
        rows.add(
            GenericRow.of(
                timestamp(group.getLong("date", 0)),
                (int) group.getLong("delay", 0),
                (int) group.getLong("distance", 0),
                group.getString("origin", 0),
                group.getString("destination", 0)));
        if (rows.size() == BATCH_ROWS) {
          batches.add(LakeTables.batch(allocator, FLIGHTS, offset, rows));
          offset += rows.size();
          rows.clear();
        }
      }
    }
    return batches;
  }

  private static LocalDateTime timestamp(long micros) {
    Instant instant = Instant.EPOCH.plusNanos(Math.multiplyExact(micros, 1_000));
    return LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
  }

  /** Reads a file as Parquet's own example records. */
  private static final class Groups extends ParquetReader.Builder<Group> {
    Groups(InputFile file) {
      super(file);
    }

    @Override
    protected ReadSupport<Group> getReadSupport() {
      return new GroupReadSupport();
    }
  }
}
