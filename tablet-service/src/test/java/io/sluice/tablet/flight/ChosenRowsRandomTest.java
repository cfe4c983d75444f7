package io.sluice.tablet.flight;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.format.filter.BoundFilter;
import io.sluice.format.filter.Filter;
import io.sluice.format.filter.Selection;
import io.sluice.format.row.ColumnWriters;
import io.sluice.format.row.Row;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.Seeds;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.Test;

final class ChosenRowsRandomTest {
  private static final TableSchema SCHEMA =
      new TableSchema(
          1,
          List.of(
              Column.of(1, "id", DataTypeParser.parse("INT"), false),
              Column.of(2, "text", DataTypeParser.parse("STRING"), true),
              Column.of(
                  3,
                  "nested",
                  DataTypeParser.parse(
                      "ROW<a ARRAY<ROW<x INT, y STRING>>, m MAP<STRING, ARRAY<BIGINT>>>"),
                  true)),
          List.of());

  @Test
  void copiesOfNestedRowsAreEqualToTheRows() {
    Seeds.run(
        40,
        (seed, random) -> {
          int count = random.nextInt(1, 200);
          try (BufferAllocator allocator = new RootAllocator();
              VectorSchemaRoot root =
                  VectorSchemaRoot.create(ArrowSchemas.toArrow(SCHEMA), allocator)) {
            ColumnWriters writers = ColumnWriters.of(SCHEMA, root, 1);
            writers.reset();
            for (int id = 0; id < count; id++) {
              writers.write(row(id, random));
            }
            writers.finish();
            int modulus = random.nextInt(1, 6);
            check(root, modulus, allocator);
          }
        });
  }

  private static void check(VectorSchemaRoot root, int modulus, BufferAllocator allocator) {
    List<String> ids = new ArrayList<>();
    for (int id = 0; id < root.getRowCount(); id += modulus) {
      ids.add(Integer.toString(id));
    }
    BoundFilter filter = Filter.parse("id IN (" + String.join(",", ids) + ")").bind(SCHEMA);
    Selection chosen = new Selection();
    filter.select(List.of(root.getVector(0)), root.getRowCount(), chosen);
    assertThat(chosen.count()).isEqualTo(ids.size());
    try (VectorSchemaRoot copy =
        ChosenRows.copy(root, chosen, 0, root.getRowCount(), chosen.count(), allocator)) {
      List<List<Object>> all = Events.rows(root);
      List<List<Object>> expected = new ArrayList<>();
      for (String id : ids) {
        expected.add(all.get(Integer.parseInt(id)));
      }
      assertThat(Events.rows(copy)).isEqualTo(expected);
      assertThat(copy.getSchema()).isEqualTo(root.getSchema());
    }
  }

  private static Row row(int id, SplittableRandom random) {
    if (random.nextInt(5) == 0) {
      return Row.of(id, null, null);
    }
    List<Object> elements = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      elements.add(random.nextInt(4) == 0 ? null : Row.of(random.nextInt(), "y" + i));
    }
    Map<Object, Object> entries = new LinkedHashMap<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      List<Object> numbers = new ArrayList<>();
      for (int j = random.nextInt(3); j > 0; j--) {
        numbers.add(random.nextBoolean() ? null : random.nextLong());
      }
      entries.put("k" + i, random.nextInt(4) == 0 ? null : numbers);
    }
    Object list = random.nextInt(6) == 0 ? null : elements;
    return Row.of(id, "text " + id, Row.of(list, entries));
  }
}
