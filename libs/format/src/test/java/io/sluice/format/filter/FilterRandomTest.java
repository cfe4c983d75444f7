package io.sluice.format.filter;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.format.batch.BatchCodec;
import io.sluice.format.batch.BatchStatistics;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.CompressionSettings;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchEncoder;
import io.sluice.format.row.ColumnWriters;
import io.sluice.format.row.GenericRow;
import io.sluice.format.row.TestValues;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.Seeds;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.Test;

class FilterRandomTest {
  private static final int CONDITIONS = 60;

  private int skipped;
  private int matched;

  @Test
  void choosesTheRowsThatTheReferenceChoosesAndSkipsNoBatchThatHasOne() {
    Seeds.run(40, this::run);
    assertThat(skipped).as("batches skipped").isGreaterThan(300);
    assertThat(matched).as("batches with a chosen row").isGreaterThan(300);
  }

  private void run(long seed, SplittableRandom random) {
    TableSchema schema = TestValues.allScalars(true);
    List<GenericRow> rows = rows(schema, random);
    RandomConditions conditions = new RandomConditions(schema, rows, random);
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator)) {
      ColumnWriters writers = ColumnWriters.of(schema, root, 1);
      writers.reset();
      rows.forEach(writers::write);
      writers.finish();
      ByteBuffer statistics = statistics(allocator, root, schema);
      for (int i = 0; i < CONDITIONS; i++) {
        RandomConditions.Sample sample = conditions.next(random.nextInt(4));
        List<Integer> expected = new ArrayList<>();
        for (int row = 0; row < rows.size(); row++) {
          if (Boolean.TRUE.equals(sample.evaluator().of(rows.get(row)))) {
            expected.add(row);
          }
        }
        BoundFilter filter = Filter.parse(sample.text()).bind(schema);
        assertThat(chosen(filter, root, schema)).as(sample.text()).isEqualTo(expected);
        boolean may = filter.mayMatch(new BatchStatistics().read(statistics), rows.size(), schema);
        if (!expected.isEmpty()) {
          matched++;
          assertThat(may).as(sample.text()).isTrue();
        }
        skipped += may ? 0 : 1;
      }
    }
  }

  /** Few values, again and again, so that statistics rule much out. */
  private static List<GenericRow> rows(TableSchema schema, SplittableRandom random) {
    List<GenericRow> pool = new ArrayList<>();
    for (int i = random.nextInt(1, 5); i > 0; i--) {
      pool.add(TestValues.randomRow(schema, random));
    }
    List<GenericRow> rows = new ArrayList<>();
    for (int i = random.nextInt(1, 200); i > 0; i--) {
      rows.add(pool.get(random.nextInt(pool.size())));
    }
    return rows;
  }

  private static ByteBuffer statistics(
      BufferAllocator allocator, VectorSchemaRoot root, TableSchema schema) {
    try (LogBatchEncoder encoder =
            new LogBatchEncoder(allocator, CompressionSettings.of(BatchCodec.NONE));
        EncodedBatch batch = encoder.encode(root, schema, BatchWriter.NONE)) {
      ByteBuffer statistics = batch.statistics();
      return ByteBuffer.allocate(statistics.remaining()).put(statistics).flip();
    }
  }

  static List<Integer> chosen(BoundFilter filter, VectorSchemaRoot root, TableSchema schema) {
    List<FieldVector> vectors = new ArrayList<>();
    for (int id : filter.columnIds()) {
      for (int i = 0; i < schema.size(); i++) {
        if (schema.columns().get(i).id() == id) {
          vectors.add(root.getVector(i));
        }
      }
    }
    Selection selection = new Selection();
    filter.select(vectors, root.getRowCount(), selection);
    List<Integer> rows = new ArrayList<>();
    for (int row = selection.next(0); row < selection.rows(); row = selection.next(row + 1)) {
      rows.add(row);
      assertThat(selection.contains(row)).isTrue();
    }
    assertThat(selection.count()).isEqualTo(rows.size());
    return rows;
  }

  @Test
  void statisticsOfNarrowerTypesAndAbsentColumnsSkipNoMatch() {
    String[] before = {"TINYINT", "INT", "FLOAT", "DECIMAL(9,2)", "TIMESTAMP(0)", "CHAR(5)"};
    String[] after = {"INT", "BIGINT", "DOUBLE", "DECIMAL(38,2)", "TIMESTAMP(6)", "STRING"};
    Seeds.run(
        60,
        (seed, random) -> {
          TableSchema stored = TestValues.schema(1, true, before);
          List<Column> columns = new ArrayList<>(TestValues.schema(2, true, after).columns());
          columns.add(new Column(90, "added", DataTypeParser.parse("INT"), false, "", "7", "9"));
          columns.add(Column.of(91, "empty", DataTypeParser.parse("STRING"), true));
          TableSchema now = new TableSchema(2, columns, List.of());
          List<GenericRow> rows = rows(stored, random);
          List<GenericRow> seen = rows.stream().map(row -> widened(row)).toList();
          RandomConditions conditions = new RandomConditions(now, seen, random);
          try (BufferAllocator allocator = new RootAllocator();
              VectorSchemaRoot root =
                  VectorSchemaRoot.create(ArrowSchemas.toArrow(stored), allocator)) {
            ColumnWriters writers = ColumnWriters.of(stored, root, 1);
            writers.reset();
            rows.forEach(writers::write);
            writers.finish();
            ByteBuffer statistics = statistics(allocator, root, stored);
            for (int i = 0; i < CONDITIONS; i++) {
              RandomConditions.Sample sample = conditions.next(random.nextInt(3));
              boolean any =
                  seen.stream().anyMatch(row -> Boolean.TRUE.equals(sample.evaluator().of(row)));
              boolean may =
                  Filter.parse(sample.text())
                      .bind(now)
                      .mayMatch(new BatchStatistics().read(statistics), rows.size(), stored);
              assertThat(may || !any).as(sample.text()).isTrue();
              skipped += may ? 0 : 1;
            }
          }
        });
    assertThat(skipped).isGreaterThan(300);
  }

  private static GenericRow widened(GenericRow row) {
    Object[] values = new Object[8];
    for (int i = 0; i < 6; i++) {
      Object value = row.value(i);
      if (value instanceof Byte number) {
        value = number.intValue();
      } else if (value instanceof Integer number) {
        value = number.longValue();
      } else if (value instanceof Float number) {
        value = number.doubleValue();
      }
      values[i] = value;
    }
    values[6] = 7;
    return GenericRow.of(values);
  }
}
