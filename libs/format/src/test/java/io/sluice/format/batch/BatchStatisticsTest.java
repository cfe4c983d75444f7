package io.sluice.format.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.SluiceException;
import io.sluice.common.StatisticsColumns;
import io.sluice.common.StatisticsColumns.Choice;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.Seeds;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BatchStatisticsTest {
  private final BufferAllocator allocator = new RootAllocator();

  @AfterEach
  void close() {
    allocator.close();
  }

  @Test
  void integersLeaveNullsOut() {
    BatchStatistics statistics =
        one(
            new DataType.IntegerType(32),
            vector -> {
              IntVector ints = (IntVector) vector;
              ints.setSafe(0, 7);
              ints.setNull(1);
              ints.setSafe(2, -3);
              return 3;
            });
    assertThat(statistics.kind()).isEqualTo(StatisticsKind.INTEGER);
    assertThat(statistics.columnId()).isEqualTo(5);
    assertThat(statistics.nullCount()).isEqualTo(1);
    assertThat(statistics.minLong()).isEqualTo(-3);
    assertThat(statistics.maxLong()).isEqualTo(7);
  }

  @Test
  void booleansAreZeroAndOne() {
    BatchStatistics statistics =
        one(
            new DataType.BooleanType(),
            vector -> {
              ((BitVector) vector).setSafe(0, 1);
              ((BitVector) vector).setNull(1);
              return 2;
            });
    assertThat(statistics.minLong()).isEqualTo(1);
    assertThat(statistics.maxLong()).isEqualTo(1);
  }

  @Test
  void columnOfNullsHasNoBounds() {
    BatchStatistics statistics =
        one(
            new DataType.DoubleType(),
            vector -> {
              vector.setNull(0);
              return 1;
            });
    assertThat(statistics.hasMin()).isFalse();
    assertThat(statistics.hasMax()).isFalse();
    assertThat(statistics.nullCount()).isEqualTo(1);
  }

  @Test
  void nanIsFlaggedAndOutsideTheBoundsAndZeroHasBothSigns() {
    BatchStatistics statistics = doubles(Double.NaN, 0.0, 2.5);
    assertThat(statistics.hasNan()).isTrue();
    assertThat(Double.doubleToRawLongBits(statistics.minDouble()))
        .isEqualTo(Double.doubleToRawLongBits(-0.0));
    assertThat(statistics.maxDouble()).isEqualTo(2.5);
    assertThat(doubles(-0.0).maxDouble()).isEqualTo(0.0);
    assertThat(doubles(Double.NaN).hasMin()).isFalse();
    assertThat(doubles(Double.NEGATIVE_INFINITY, 1).minDouble())
        .isEqualTo(Double.NEGATIVE_INFINITY);
    assertThat(doubles(1).hasNan()).isFalse();
  }

  private BatchStatistics doubles(double... values) {
    return one(
        new DataType.DoubleType(),
        vector -> {
          for (int i = 0; i < values.length; i++) {
            ((Float8Vector) vector).setSafe(i, values[i]);
          }
          return values.length;
        });
  }

  @Test
  void decimalsCompareAsSigned128BitNumbers() {
    BigDecimal low = new BigDecimal("-99999999999999999999999999999999999999");
    BigDecimal high = new BigDecimal("18446744073709551616");
    BatchStatistics statistics =
        one(
            new DataType.DecimalType(38, 0),
            vector -> {
              ((DecimalVector) vector).setSafe(0, high);
              ((DecimalVector) vector).setSafe(1, low);
              ((DecimalVector) vector).setSafe(2, new BigDecimal("18446744073709551615"));
              return 3;
            });
    assertThat(statistics.minUnscaled()).isEqualTo(low.unscaledValue());
    assertThat(statistics.maxUnscaled()).isEqualTo(high.unscaledValue());
  }

  @Test
  void shortTextIsExact() {
    BatchStatistics statistics = texts("b", "", "bb", "ab");
    assertThat(text(statistics.minBytes())).isEmpty();
    assertThat(text(statistics.maxBytes())).isEqualTo("bb");
    assertThat(statistics.isMinCut()).isFalse();
    assertThat(statistics.isMaxCut()).isFalse();
  }

  @Test
  void longTextIsCutAndItsUpperBoundRoundedUpToText() {
    BatchStatistics statistics = texts("a".repeat(100));
    assertThat(text(statistics.minBytes())).isEqualTo("a".repeat(64));
    assertThat(text(statistics.maxBytes())).isEqualTo("a".repeat(63) + "b");
    assertThat(statistics.isMinCut()).isTrue();
    assertThat(statistics.isMaxCut()).isTrue();
    assertThat(text(texts("é".repeat(60)).maxBytes())).isEqualTo("é".repeat(31) + "ê");
    // Bytes 63 and 64 are half a character: it goes as a whole.
    assertThat(text(texts("x" + "é".repeat(60)).minBytes())).isEqualTo("x" + "é".repeat(31));
    // 0x7F would grow to two bytes beyond the limit, so the character before it is raised.
    assertThat(text(texts("c" + "\u007f".repeat(90)).maxBytes()))
        .isEqualTo("c" + "\u007f".repeat(61) + "\u0080");
    String last = new String(Character.toChars(0x10FFFF));
    assertThat(text(texts("a" + last.repeat(30)).maxBytes())).isEqualTo("b");
    assertThat(texts(last.repeat(30)).hasMax()).isFalse();
    assertThat(text(texts("\uD7FF".repeat(30)).maxBytes()))
        .isEqualTo("\uD7FF".repeat(20) + "\uE000");
  }

  private BatchStatistics texts(String... values) {
    return one(
        new DataType.StringType(),
        vector -> {
          for (int i = 0; i < values.length; i++) {
            ((VarCharVector) vector).setSafe(i, values[i].getBytes(StandardCharsets.UTF_8));
          }
          return values.length;
        });
  }

  private static String text(ByteBuffer bytes) {
    return StandardCharsets.UTF_8.decode(bytes).toString();
  }

  @Test
  void boundsOfBytesContainEveryValue() {
    Seeds.run(
        300,
        (seed, random) -> {
          List<byte[]> values = new ArrayList<>();
          for (int i = 0; i < 1 + random.nextInt(20); i++) {
            byte[] value = new byte[random.nextInt(random.nextBoolean() ? 12 : 90)];
            for (int at = 0; at < value.length; at++) {
              value[at] = (byte) (random.nextInt(4) == 0 ? random.nextInt(256) : 0xFF);
            }
            values.add(value);
          }
          BatchStatistics statistics =
              one(
                  new DataType.BytesType(),
                  vector -> {
                    for (int i = 0; i < values.size(); i++) {
                      ((VarBinaryVector) vector).setSafe(i, values.get(i));
                    }
                    return values.size();
                  });
          byte[] min = RandomBatches.bytes(statistics.minBytes());
          for (byte[] value : values) {
            assertThat(Arrays.compareUnsigned(min, value)).isLessThanOrEqualTo(0);
            if (statistics.hasMax()) {
              byte[] max = RandomBatches.bytes(statistics.maxBytes());
              assertThat(Arrays.compareUnsigned(max, value)).isGreaterThanOrEqualTo(0);
            }
          }
          if (!statistics.isMinCut()) {
            assertThat(values).anyMatch(value -> Arrays.equals(value, min));
          }
        });
  }

  @Test
  void onlyTheFirst32ScalarColumnsHaveStatisticsUnlessTheTableChooses() {
    List<Column> columns = new ArrayList<>();
    columns.add(
        Column.of(1, "list", new DataType.ArrayType(new DataType.BooleanType(), true), true));
    for (int id = 2; id <= 40; id++) {
      columns.add(Column.of(id, "c" + id, new DataType.IntegerType(8), true));
    }
    TableSchema schema = new TableSchema(1, columns, List.of());
    try (VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator)) {
      root.getFieldVectors().forEach(FieldVector::allocateNew);
      root.setRowCount(2);
      assertThat(columnIds(root, schema, StatisticsColumns.UNSET))
          .containsExactlyElementsOf(IntStream.rangeClosed(2, 33).boxed().toList());
      assertThat(columnIds(root, schema, new StatisticsColumns(Choice.ALL, List.of())))
          .containsExactlyElementsOf(IntStream.rangeClosed(2, 40).boxed().toList());
      assertThat(columnIds(root, schema, new StatisticsColumns(Choice.NONE, List.of()))).isEmpty();
      assertThat(
              columnIds(
                  root, schema, new StatisticsColumns(Choice.NAMED, List.of("c40", "c7", "gone"))))
          .containsExactly(7, 40);
    }
  }

  private static List<Integer> columnIds(
      VectorSchemaRoot root, TableSchema schema, StatisticsColumns chosen) {
    BatchStatistics statistics =
        new BatchStatistics()
            .read(new StatisticsCollector(chosen).collect(root.getFieldVectors(), schema));
    List<Integer> ids = new ArrayList<>();
    while (statistics.next()) {
      ids.add(statistics.columnId());
    }
    return ids;
  }

  @Test
  void truncatedSectionsAreRefusedAtEveryLength() {
    byte[] section =
        section(
            new DataType.StringType(),
            vector -> {
              ((VarCharVector) vector).setSafe(0, "abc".getBytes(StandardCharsets.UTF_8));
              return 1;
            });
    for (int length = 1; length < section.length; length++) {
      ByteBuffer cut = ByteBuffer.wrap(section, 0, length);
      assertThatThrownBy(
              () -> {
                BatchStatistics statistics = new BatchStatistics().read(cut);
                while (statistics.next()) {}
              })
          .isInstanceOf(SluiceException.class)
          .hasMessageContaining("statistics are damaged");
    }
    assertThat(new BatchStatistics().read(ByteBuffer.allocate(0)).next()).isFalse();
  }

  /** Fills the vector; returns the number of rows. */
  private interface Filler {
    int fill(FieldVector vector);
  }

  private BatchStatistics one(DataType type, Filler filler) {
    BatchStatistics statistics = new BatchStatistics().read(ByteBuffer.wrap(section(type, filler)));
    assertThat(statistics.next()).isTrue();
    return statistics;
  }

  private byte[] section(DataType type, Filler filler) {
    TableSchema schema = new TableSchema(1, List.of(Column.of(5, "c", type, true)), List.of());
    try (VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator)) {
      root.getVector(0).allocateNew();
      root.setRowCount(filler.fill(root.getVector(0)));
      return RandomBatches.bytes(
          new StatisticsCollector(StatisticsColumns.UNSET).collect(root.getFieldVectors(), schema));
    }
  }
}
