package io.sluice.format.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.format.row.ColumnWriters;
import io.sluice.format.row.GenericRow;
import io.sluice.format.row.Row;
import io.sluice.format.row.TestValues;
import io.sluice.format.row.VectorRow;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.compare.VectorEqualsVisitor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What was stored comes back value by value: every type, every codec, sizes around the limits. */
class StoredValuesTest {
  private static final int KIB_64 = 64 * 1024;
  private static final int MIB = 1024 * 1024;

  private final BufferAllocator allocator = new RootAllocator();

  @AfterEach
  void nothingLeaks() {
    assertThat(allocator.getAllocatedMemory()).isZero();
    allocator.close();
  }

  static Stream<CompressionSettings> settings() {
    return Stream.of(
        CompressionSettings.of(BatchCodec.NONE),
        CompressionSettings.of(BatchCodec.LZ4),
        new CompressionSettings(BatchCodec.ZSTD, 1),
        new CompressionSettings(BatchCodec.ZSTD, 3),
        new CompressionSettings(BatchCodec.ZSTD, 9));
  }

  /**
   * Random bytes beside text that shrinks a lot, in 200 batches whose buffers fall just below and
   * above 64 KiB and 1 MiB.
   */
  @ParameterizedTest
  @MethodSource("settings")
  void buffersOfAllSizesKeepEveryRow(CompressionSettings settings) {
    TableSchema schema = TestValues.schema(true, "BIGINT", "BYTES", "STRING");
    int[] counts = {1, 7, 1_000, 10_000};
    SplittableRandom random = new SplittableRandom(settings.level());
    BatchValidator validator = new BatchValidator();
    try (LogBatchEncoder encoder = new LogBatchEncoder(allocator, settings);
        LogBatchDecoder decoder = new LogBatchDecoder(allocator);
        VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator)) {
      ColumnWriters writers = ColumnWriters.of(schema, root, 1024);
      for (int i = 0; i < 200; i++) {
        writers.reset();
        int rows = counts[i % 4];
        int length = textLength(rows, i / 4, random);
        fill(writers, rows, length, random);
        writers.finish();
        try (EncodedBatch batch = encoder.encode(root, schema, BatchWriter.NONE)) {
          Batches.validate(validator, schema, batch);
          try (VectorSchemaRoot found =
              decoder.decode(ArrowSchemas.toArrow(schema), batch.metadata(), batch.body())) {
            for (int column = 0; column < schema.size(); column++) {
              boolean same =
                  VectorEqualsVisitor.vectorEquals(found.getVector(column), root.getVector(column));
              assertThat(same).as("batch %s column %s", i, column).isTrue();
            }
          }
        }
      }
    }
  }

  /** Text of about 64 KiB or 1 MiB in all, a little less or more; any length at times. */
  private static int textLength(int rows, int round, SplittableRandom random) {
    int total = round % 2 == 0 ? KIB_64 : MIB;
    int length = total / rows + random.nextInt(3) - 1;
    boolean possible = length >= 1 && length <= 2_000;
    return possible && round % 5 != 0 ? length : 1 + random.nextInt(rows > 1_000 ? 200 : 2_000);
  }

  private static void fill(ColumnWriters writers, int rows, int length, SplittableRandom random) {
    byte[] bytes = new byte[64];
    String text = String.valueOf((char) ('a' + random.nextInt(26))).repeat(length);
    for (int row = 0; row < rows; row++) {
      random.nextBytes(bytes);
      writers.setLong(0, row);
      writers.setBytes(1, bytes);
      writers.setString(2, text);
      writers.endRow();
    }
  }

  @ParameterizedTest
  @MethodSource("settings")
  void longEmptyAndNullArraysKeepTheirElements(CompressionSettings settings) {
    TableSchema schema = TestValues.schema(true, "INT", "STRING", "ARRAY<INT>");
    List<GenericRow> rows = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      rows.add(GenericRow.of(i, "s".repeat(i), numbers(500)));
    }
    rows.add(GenericRow.of(10, "", numbers(5_000)));
    rows.add(GenericRow.of(11, null, List.of()));
    rows.add(GenericRow.of(12, "x", null));
    rows.add(GenericRow.of(13, "x", Arrays.asList(1, null, 3, null)));
    rows.add(GenericRow.of(14, "x", Collections.nCopies(70, null)));
    assertRoundTrip(settings, schema, rows);
  }

  private static List<Integer> numbers(int count) {
    return IntStream.range(0, count).boxed().toList();
  }

  @Test
  void everyPrecisionKeepsItsValues() {
    List<String> types = new ArrayList<>();
    for (int precision = 0; precision <= 9; precision++) {
      types.add("TIME(" + precision + ")");
      types.add("TIMESTAMP(" + precision + ")");
      types.add("TIMESTAMP_LTZ(" + precision + ")");
    }
    for (int precision = 1; precision <= 38; precision++) {
      types.add("DECIMAL(" + precision + "," + precision / 2 + ")");
      types.add("DECIMAL(" + precision + "," + precision + ")");
    }
    types.add("CHAR(1)");
    types.add("BINARY(1)");
    types.add("BINARY(5000)");
    TableSchema schema = TestValues.schema(true, types.toArray(new String[0]));
    Seeds.run(
        10,
        (seed, random) -> {
          List<GenericRow> rows = new ArrayList<>();
          for (int i = random.nextInt(40); i >= 0; i--) {
            rows.add(TestValues.randomRow(schema, random));
          }
          List<CompressionSettings> all = settings().toList();
          assertRoundTrip(all.get((int) seed % all.size()), schema, rows);
        });
  }

  @Test
  void nullEverywhereAndEmptyEverywhereAreNotTheSame() {
    TableSchema schema =
        TestValues.schema(
            true, "STRING", "BYTES", "ARRAY<STRING>", "MAP<STRING,INT>", "ROW<a INT>");
    Row nothing = Row.of((Object) null);
    List<GenericRow> rows =
        List.of(
            GenericRow.of(null, null, null, null, null),
            GenericRow.of("", new byte[0], List.of(), java.util.Map.of(), nothing),
            GenericRow.of("", new byte[0], List.of(""), java.util.Map.of("", 0), Row.of(0)));
    settings().forEach(each -> assertRoundTrip(each, schema, rows));
  }

  private void assertRoundTrip(
      CompressionSettings settings, TableSchema schema, List<GenericRow> rows) {
    try (LogBatchEncoder encoder = new LogBatchEncoder(allocator, settings);
        LogBatchDecoder decoder = new LogBatchDecoder(allocator);
        VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator)) {
      ColumnWriters writers = ColumnWriters.of(schema, root, 4);
      rows.forEach(writers::write);
      try (EncodedBatch batch = encoder.encode(writers.finish(), schema, BatchWriter.NONE)) {
        Batches.validate(new BatchValidator(), schema, batch);
        try (VectorSchemaRoot found =
            decoder.decode(ArrowSchemas.toArrow(schema), batch.metadata(), batch.body())) {
          VectorRow row = new VectorRow(found);
          assertThat(found.getRowCount()).isEqualTo(rows.size());
          for (int i = 0; i < rows.size(); i++) {
            assertThat(row.at(i).copy()).isEqualTo(rows.get(i));
          }
        }
      }
    }
  }
}
