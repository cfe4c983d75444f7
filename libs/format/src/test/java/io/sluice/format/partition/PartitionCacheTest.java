package io.sluice.format.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.ColumnWriters;
import io.sluice.format.row.GenericRow;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.Test;

class PartitionCacheTest {
  private static final List<String> TYPES =
      List.of(
          "STRING",
          "BOOLEAN",
          "TINYINT",
          "BIGINT",
          "FLOAT",
          "DOUBLE",
          "DATE",
          "TIME(6)",
          "TIMESTAMP(3)",
          "TIMESTAMP_LTZ(9)",
          "BINARY(2)",
          "BYTES");

  private final List<List<String>> asked = new ArrayList<>();

  private static TableSchema schema() {
    List<Column> columns = new ArrayList<>();
    columns.add(Column.of(1, "id", DataTypeParser.parse("INT"), true));
    for (String type : TYPES) {
      int id = columns.size() + 1;
      columns.add(Column.of(id, "c" + id, DataTypeParser.parse(type), true));
    }
    return new TableSchema(1, columns, List.of());
  }

  private PartitionCache<List<String>> cache() {
    TableSchema schema = schema();
    List<String> keys = schema.columns().stream().skip(1).map(Column::name).toList();
    return new PartitionCache<>(
        PartitionKeys.of(schema, keys),
        values -> {
          asked.add(values);
          return values;
        });
  }

  private static GenericRow row(int id, int partition) {
    return GenericRow.of(
        id,
        "p" + partition,
        partition % 2 == 0,
        partition,
        (long) partition << 40,
        partition / 2f,
        partition / 2.0,
        LocalDate.ofEpochDay(partition),
        LocalTime.ofSecondOfDay(partition),
        LocalDateTime.of(2024, 1, 1, 0, 0, partition % 60),
        Instant.ofEpochSecond(partition, 1),
        new byte[] {0, (byte) partition},
        new byte[1 + partition % 4]);
  }

  @Test
  void rowsAndVectorsOfEveryTypeFindTheSamePartitions() {
    PartitionCache<List<String>> cache = cache();
    PartitionKeys keys =
        PartitionKeys.of(schema(), schema().columns().stream().skip(1).map(Column::name).toList());
    Random random = new Random(7);
    try (RootAllocator allocator = new RootAllocator();
        VectorSchemaRoot root =
            VectorSchemaRoot.create(ArrowSchemas.toArrow(schema()), allocator)) {
      ColumnWriters writers = ColumnWriters.of(schema(), root, 16);
      List<GenericRow> rows = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        rows.add(row(i, random.nextInt(20)));
        writers.write(rows.get(i));
      }
      writers.finish();
      for (int i = 0; i < rows.size(); i++) {
        List<String> expected = keys.values(rows.get(i));
        assertThat(cache.find(root, i)).isEqualTo(expected);
        assertThat(cache.find(rows.get(i))).isEqualTo(expected);
      }
    }
    assertThat(asked).hasSize(20).doesNotHaveDuplicates();
  }

  @Test
  void nullIsRefusedWhateverCameBefore() {
    PartitionCache<List<String>> cache = cache();
    assertThat(cache.find(row(1, 3))).isNotEmpty();
    Object[] values = new Object[TYPES.size() + 1];
    assertThatThrownBy(() -> cache.find(GenericRow.of(values)))
        .isInstanceOfSatisfying(
            SluiceException.class,
            failure -> assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_VALUE))
        .hasMessageContaining("'c2'");
  }

  @Test
  void asksAgainForWhatItForgotAndForWhatFailed() {
    PartitionCache<List<String>> cache = cache();
    cache.find(row(1, 3));
    cache.find(row(2, 3));
    cache.clear();
    cache.find(row(3, 3));
    assertThat(asked).hasSize(2);
    int[] calls = new int[1];
    PartitionCache<String> failing =
        new PartitionCache<>(
            PartitionKeys.of(schema(), List.of("c2")),
            values -> {
              calls[0]++;
              throw new SluiceException(ErrorCode.INVALID_PARTITION, "no");
            });
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> failing.find(row(1, 1))).hasMessage("no");
    }
    assertThat(calls[0]).isEqualTo(2);
  }
}
