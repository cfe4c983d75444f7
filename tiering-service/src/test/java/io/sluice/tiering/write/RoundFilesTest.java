package io.sluice.tiering.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.GenericRow;
import io.sluice.format.row.Row;
import io.sluice.format.schema.TableSchema;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.TimeStampSecVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.ContentFileParser;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RoundFilesTest {
  private static final WriteSettings LARGE = new WriteSettings(1 << 30, 1 << 26, 1 << 26);

  @TempDir private Path directory;
  private BufferAllocator allocator;

  @BeforeEach
  void open() {
    allocator = new RootAllocator();
  }

  @AfterEach
  void close() {
    allocator.close();
  }

  private RoundFiles files(TableSchema schema, WriteSettings settings) {
    return new RoundFiles(LakeTables.target(schema), settings, "file://" + round());
  }

  private Path round() {
    return directory.resolve("data/round-1-1-0000000a");
  }

  private void write(RoundFiles files, TableSchema schema, int bucket, long offset, Row... rows) {
    try (VectorSchemaRoot batch = LakeTables.batch(allocator, schema, offset, List.of(rows))) {
      files.write(bucket, offset, batch);
    }
  }

  private List<Record> read(WrittenFile file, TableSchema schema) {
    return LakeTables.read(
        round().resolve("0-" + file.bucket() + "-" + file.startOffset() + ".parquet"), schema);
  }

  private static ContentFile<?> dataFile(WrittenFile file, TableSchema schema) throws IOException {
    return ContentFileParser.fromJson(
        new ObjectMapper().readTree(file.json()), LakeTables.lakeSpec(schema));
  }

  @Test
  void icebergReadsEveryTypeAsItWasWritten() {
    TableSchema schema =
        LakeTables.schema(
            "BOOLEAN",
            "TINYINT",
            "SMALLINT",
            "INT",
            "BIGINT",
            "FLOAT",
            "DOUBLE",
            "CHAR(3)",
            "STRING",
            "DATE",
            "TIME(0)",
            "TIME(3)",
            "TIME(6)",
            "BINARY(2)",
            "BYTES");
    WrittenFile written;
    try (RoundFiles files = files(schema, LARGE)) {
      write(
          files,
          schema,
          3,
          40,
          GenericRow.of(
              true,
              -128,
              -32768,
              Integer.MIN_VALUE,
              Long.MIN_VALUE,
              -0.5f,
              -1e300,
              "äß€",
              "",
              LocalDate.of(1, 1, 1),
              LocalTime.of(23, 59, 59),
              LocalTime.of(0, 0, 0, 1_000_000),
              LocalTime.of(23, 59, 59, 999_999_000),
              new byte[] {0, -1},
              new byte[0]),
          GenericRow.of(new Object[15]),
          GenericRow.of(
              false,
              127,
              32767,
              Integer.MAX_VALUE,
              Long.MAX_VALUE,
              Float.MAX_VALUE,
              Double.MIN_VALUE,
              "abc",
              "x".repeat(3000),
              LocalDate.of(9999, 12, 31),
              LocalTime.MIDNIGHT,
              LocalTime.of(23, 59, 59, 999_000_000),
              LocalTime.MIDNIGHT,
              new byte[] {1, 2},
              new byte[] {7}));
      written = files.finish().get(0);
    }
    List<Record> rows = read(written, schema);
    assertThat(rows).hasSize(3);
    assertThat(values(rows.get(0)))
        .containsExactly(
            true,
            -128,
            -32768,
            Integer.MIN_VALUE,
            Long.MIN_VALUE,
            -0.5f,
            -1e300,
            "äß€",
            "",
            LocalDate.of(1, 1, 1),
            LocalTime.of(23, 59, 59),
            LocalTime.of(0, 0, 0, 1_000_000),
            LocalTime.of(23, 59, 59, 999_999_000),
            List.of(0, -1),
            List.of(),
            3,
            40L,
            stored());
    assertThat(values(rows.get(1)).subList(0, 15)).containsOnlyNulls();
    assertThat(values(rows.get(1)).subList(15, 18)).containsExactly(3, 41L, stored());
    assertThat(values(rows.get(2)))
        .containsExactly(
            false,
            127,
            32767,
            Integer.MAX_VALUE,
            Long.MAX_VALUE,
            Float.MAX_VALUE,
            Double.MIN_VALUE,
            "abc",
            "x".repeat(3000),
            LocalDate.of(9999, 12, 31),
            LocalTime.MIDNIGHT,
            LocalTime.of(23, 59, 59, 999_000_000),
            LocalTime.MIDNIGHT,
            List.of(1, 2),
            List.of(7),
            3,
            42L,
            stored());
  }

  @Test
  void icebergReadsTimestampsOfEveryPrecision() {
    TableSchema schema =
        LakeTables.schema(
            "TIMESTAMP(0)",
            "TIMESTAMP(3)",
            "TIMESTAMP(6)",
            "TIMESTAMP(9)",
            "TIMESTAMP_LTZ(0)",
            "TIMESTAMP_LTZ(3)",
            "TIMESTAMP_LTZ(6)",
            "TIMESTAMP_LTZ(9)");
    LocalDateTime old = LocalDateTime.of(1901, 2, 3, 4, 5, 6);
    LocalDateTime fine = LocalDateTime.of(2026, 11, 29, 1, 2, 3, 123_456_789);
    Instant fineInstant = fine.toInstant(ZoneOffset.UTC);
    WrittenFile written;
    try (RoundFiles files = files(schema, LARGE)) {
      write(
          files,
          schema,
          0,
          0,
          GenericRow.of(
              old,
              old.plusNanos(1_000_000),
              old.plusNanos(1_000),
              fine,
              old.toInstant(ZoneOffset.UTC),
              old.toInstant(ZoneOffset.UTC).plusMillis(999),
              old.toInstant(ZoneOffset.UTC).plusNanos(999_999_000),
              fineInstant));
      written = files.finish().get(0);
    }
    OffsetDateTime oldUtc = old.atOffset(ZoneOffset.UTC);
    assertThat(values(read(written, schema).get(0)).subList(0, 8))
        .containsExactly(
            old,
            old.plusNanos(1_000_000),
            old.plusNanos(1_000),
            fine,
            oldUtc,
            oldUtc.plusNanos(999_000_000),
            oldUtc.plusNanos(999_999_000),
            fine.atOffset(ZoneOffset.UTC));
  }

  @Test
  void icebergReadsDecimalsAtTheLimitsOfEveryWidth() {
    List<String> types = new ArrayList<>();
    List<BigDecimal> largest = new ArrayList<>();
    List<BigDecimal> smallest = new ArrayList<>();
    List<BigDecimal> one = new ArrayList<>();
    for (int precision = 1; precision <= 38; precision++) {
      int scale = precision / 3;
      types.add("DECIMAL(" + precision + "," + scale + ")");
      BigDecimal nines = new BigDecimal("9".repeat(precision)).movePointLeft(scale);
      largest.add(nines.setScale(scale));
      smallest.add(nines.negate().setScale(scale));
      one.add(BigDecimal.ONE.movePointLeft(scale).setScale(scale));
    }
    // DECIMAL(1,0) and so on: 0.1 of a scale of 0 is 1.
    TableSchema schema = LakeTables.schema(types.toArray(new String[0]));
    WrittenFile written;
    try (RoundFiles files = files(schema, LARGE)) {
      write(
          files,
          schema,
          0,
          0,
          GenericRow.of(largest.toArray()),
          GenericRow.of(smallest.toArray()),
          GenericRow.of(one.toArray()));
      written = files.finish().get(0);
    }
    List<Record> rows = read(written, schema);
    assertThat(values(rows.get(0)).subList(0, 38)).isEqualTo(largest);
    assertThat(values(rows.get(1)).subList(0, 38)).isEqualTo(smallest);
    assertThat(values(rows.get(2)).subList(0, 38)).isEqualTo(one);
  }

  @Test
  void saysRowsSizesCountsAndBoundsToIceberg() throws IOException {
    TableSchema schema = LakeTables.schema("INT NOT NULL", "STRING", "DOUBLE");
    WrittenFile written;
    try (RoundFiles files = files(schema, LARGE)) {
      write(
          files,
          schema,
          1,
          100,
          GenericRow.of(5, "b", Double.NaN),
          GenericRow.of(-7, null, 2.5),
          GenericRow.of(6, "a", -1.0));
      written = files.finish().get(0);
    }
    ContentFile<?> file = dataFile(written, schema);
    assertThat(file.location()).isEqualTo("file://" + round() + "/0-1-100.parquet");
    assertThat(file.recordCount()).isEqualTo(3);
    assertThat(file.fileSizeInBytes())
        .isEqualTo(written.bytes())
        .isEqualTo(Files.size(round().resolve("0-1-100.parquet")));
    assertThat(file.partition().get(0, Integer.class)).isEqualTo(1);
    assertThat(file.valueCounts()).containsEntry(1, 3L).containsEntry(2, 3L);
    assertThat(file.nullValueCounts()).containsEntry(1, 0L).containsEntry(2, 1L);
    assertThat(file.nanValueCounts()).containsEntry(3, 1L);
    assertThat(file.columnSizes()).containsKeys(1, 2, 3, 1001, 1002, 1003);
    assertThat(file.splitOffsets()).containsExactly(4L);
    assertThat(bound(file.lowerBounds().get(1), Types.IntegerType.get())).isEqualTo(-7);
    assertThat(bound(file.upperBounds().get(1), Types.IntegerType.get())).isEqualTo(6);
    assertThat(bound(file.lowerBounds().get(2), Types.StringType.get())).hasToString("a");
    assertThat(bound(file.upperBounds().get(2), Types.StringType.get())).hasToString("b");
    // Iceberg's bounds leave NaN out; Parquet's own statistics would not.
    assertThat(bound(file.lowerBounds().get(3), Types.DoubleType.get())).isEqualTo(-1.0);
    assertThat(bound(file.upperBounds().get(3), Types.DoubleType.get())).isEqualTo(2.5);
    assertThat(bound(file.lowerBounds().get(1002), Types.LongType.get())).isEqualTo(100L);
    assertThat(bound(file.upperBounds().get(1002), Types.LongType.get())).isEqualTo(102L);
  }

  private static Object bound(ByteBuffer bytes, org.apache.iceberg.types.Type type) {
    return Conversions.fromByteBuffer(type, bytes);
  }

  @Test
  void endsAFileOfTheTargetSizeAfterTheBatchAndGoesOnInANewOne() {
    TableSchema schema = LakeTables.schema("STRING");
    List<WrittenFile> written;
    try (RoundFiles files = files(schema, new WriteSettings(2_000, 1 << 20, 1 << 20))) {
      for (int batch = 0; batch < 4; batch++) {
        write(files, schema, 0, batch * 2, noise(batch), noise(batch + 100));
      }
      write(files, schema, 1, 7, noise(3));
      written = files.finish();
    }
    assertThat(written)
        .extracting(file -> file.bucket() + ":" + file.startOffset() + "-" + file.endOffset())
        .containsExactly("0:0-4", "0:4-8", "1:7-8");
    assertThat(read(written.get(1), schema))
        .extracting(row -> row.getField("__offset"))
        .containsExactly(4L, 5L, 6L, 7L);
  }

  /** Text that does not compress. */
  private static GenericRow noise(int seed) {
    byte[] bytes = new byte[600];
    new java.util.Random(seed).nextBytes(bytes);
    StringBuilder text = new StringBuilder();
    for (byte each : bytes) {
      text.append((char) ('!' + (each & 63)));
    }
    return GenericRow.of(text.toString());
  }

  @Test
  void writesTheLargestRowGroupOutWhenTheRoundHoldsTooMuch() throws IOException {
    TableSchema schema = LakeTables.schema("STRING");
    List<WrittenFile> written;
    try (RoundFiles files = files(schema, new WriteSettings(1 << 30, 1 << 20, 5_000))) {
      for (int i = 0; i < 20; i++) {
        write(files, schema, i % 2, i / 2, noise(i));
      }
      written = files.finish();
    }
    assertThat(written).hasSize(2);
    for (WrittenFile file : written) {
      assertThat(dataFile(file, schema).splitOffsets()).hasSizeGreaterThan(1);
      assertThat(read(file, schema)).hasSize(10);
    }
  }

  @Test
  void refusesAValueThatTheLakeCannotHoldNamingWhereItIs() {
    TableSchema schema = LakeTables.schema("INT", "TIMESTAMP(0)");
    try (RoundFiles files = files(schema, LARGE);
        VectorSchemaRoot batch =
            LakeTables.batch(
                allocator,
                schema,
                70,
                List.of(
                    GenericRow.of(1, null),
                    GenericRow.of(2, LocalDateTime.of(2026, 1, 1, 0, 0))))) {
      ((TimeStampSecVector) batch.getVector(1)).set(1, Long.MAX_VALUE / 1000);
      assertThatThrownBy(() -> files.write(5, 70, batch))
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_VALUE))
          .hasMessageContaining("Table demo.t, bucket 5, offset 71: column 'c2' TIMESTAMP(0)")
          .hasMessageContaining("9.2");
    }
    assertThat(round()).isEmptyDirectory();
  }

  @Test
  void deletesEveryFileOfARoundThatIsGivenUp() {
    TableSchema schema = LakeTables.schema("STRING");
    try (RoundFiles files = files(schema, new WriteSettings(500, 1 << 20, 1 << 20))) {
      write(files, schema, 0, 0, noise(1));
      write(files, schema, 1, 0, GenericRow.of("small"));
      assertThat(round()).isNotEmptyDirectory();
      files.delete();
      assertThat(round()).doesNotExist();
    }
  }

  @Test
  void keepsFinishedFilesWhenItIsClosed() throws IOException {
    TableSchema schema = LakeTables.schema("STRING");
    try (RoundFiles files = files(schema, LARGE)) {
      write(files, schema, 0, 0, GenericRow.of("kept"));
      files.finish();
    }
    try (Stream<Path> left = Files.list(round())) {
      assertThat(left.map(path -> path.getFileName().toString()).toList())
          .containsExactly("0-0-0.parquet");
    }
  }

  @Test
  void refusesALocationThatIsNotOnThisMachine() {
    LakeTarget target = LakeTables.target(LakeTables.schema("INT"));
    assertThatThrownBy(() -> new RoundFiles(target, LARGE, "s3://bucket/data"))
        .hasMessageContaining("s3://bucket/data");
    assertThatThrownBy(() -> new RoundFiles(target, LARGE, "file://host/data"))
        .hasMessageContaining("file://host/data");
  }

  private static OffsetDateTime stored() {
    return Instant.ofEpochMilli(LakeTables.STORED_MS).atOffset(ZoneOffset.UTC);
  }

  /** The values of a record; bytes as lists of numbers. */
  private static List<Object> values(Record record) {
    List<Object> values = new ArrayList<>();
    for (int i = 0; i < record.size(); i++) {
      Object value = record.get(i);
      if (value instanceof ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        value = bytes;
      }
      if (value instanceof byte[] bytes) {
        List<Integer> numbers = new ArrayList<>();
        for (byte each : bytes) {
          numbers.add((int) each);
        }
        value = numbers;
      }
      values.add(value);
    }
    return values;
  }
}
