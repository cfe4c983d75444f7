package io.sluice.format.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.ColumnWriters;
import io.sluice.format.row.GenericRow;
import io.sluice.format.row.Row;
import io.sluice.format.row.TestValues;
import io.sluice.format.row.VectorRow;
import io.sluice.testkit.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BitVectorHelper;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.LargeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NestedCastTest {
  private final BufferAllocator allocator = new RootAllocator();

  @AfterEach
  void nothingLeaks() {
    assertThat(allocator.getAllocatedMemory()).isZero();
    allocator.close();
  }

  private static Column column(String type) {
    return Column.of(1, "x", DataTypeParser.parse(type), true);
  }

  /** The values of a vector cast to a column; null for NULL. */
  private List<Object> cast(FieldVector source, String type) {
    Column column = column(type);
    try (FieldVector target = ArrowSchemas.toField(column).createVector(allocator)) {
      SafeCast.of(source.getField(), column).copy(source, target, 100);
      VectorRow row = new VectorRow(new VectorSchemaRoot(List.of(target)));
      List<Object> values = new ArrayList<>();
      for (int i = 0; i < source.getValueCount(); i++) {
        values.add(row.at(i).copy().value(0));
      }
      return values;
    }
  }

  private List<Object> cast(String from, String to, Object... values) {
    TableSchema schema = new TableSchema(1, List.of(column(from)), List.of());
    try (VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator)) {
      ColumnWriters writers = ColumnWriters.of(schema, root, 2);
      for (Object value : values) {
        writers.write(Row.of(value));
      }
      return cast(writers.finish().getVector(0), to);
    }
  }

  /** Casts lists of which the first one is NULL but stands for elements; gives all but it. */
  private List<Object> castHidden(DataType element, List<Object> lists) {
    String type = "ARRAY<" + element + ">";
    TableSchema schema = new TableSchema(1, List.of(column(type)), List.of());
    try (VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator)) {
      ColumnWriters writers = ColumnWriters.of(schema, root, 2);
      lists.forEach(each -> writers.write(Row.of(each)));
      FieldVector vector = writers.finish().getVector(0);
      BitVectorHelper.unsetBit(vector.getValidityBuffer(), 0);
      List<Object> found = cast(vector, type);
      assertThat(found.get(0)).isNull();
      return found.subList(1, found.size());
    }
  }

  @Test
  void castsWhatIsInsideByNameAndType() {
    Row stored = Row.of(Arrays.asList(7, null), "text", Map.of("k", 1.5f));
    assertThat(
            cast(
                "ROW<l ARRAY<INT>, s CHAR(5), m MAP<CHAR(1), FLOAT>>",
                "ROW<m MAP<STRING, DOUBLE>, new DATE, s STRING, l ARRAY<BIGINT>>",
                stored,
                null))
        .containsExactly(Row.of(Map.of("k", 1.5d), null, "text", Arrays.asList(7L, null)), null);
    assertThat(cast("ARRAY<BIGINT>", "ARRAY<SMALLINT>", List.of(1L, 2L), List.of()))
        .containsExactly(List.of((short) 1, (short) 2), List.of());
  }

  @Test
  void refusalsNameThePathAndWhereTheyCount() {
    assertThatThrownBy(
            () -> cast("ARRAY<BIGINT>", "ARRAY<SMALLINT>", List.of(1L), List.of(70_000L)))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_VALUE))
        .hasMessageContaining("x.element")
        .hasMessageContaining("70000")
        .hasMessageContaining("row 100");
    assertThatThrownBy(() -> cast("ROW<a INT>", "ROW<a INT NOT NULL>", Row.of((Object) null)))
        .hasMessageContaining("'a'")
        .hasMessageContaining("row 100");
    assertThatThrownBy(
            () -> cast("ARRAY<INT>", "ARRAY<INT NOT NULL>", Arrays.asList((Object) null)))
        .hasMessageContaining("x.element");
    assertThat(cast("ROW<a INT>", "ROW<a INT NOT NULL>", (Object) null))
        .containsExactly((Object) null);
  }

  @Test
  void otherShapesAreRefusedBeforeAnyRow() {
    for (String[] pair :
        new String[][] {
          {"ROW<a INT, z INT>", "ROW<a INT>"},
          {"ROW<a INT>", "ROW<a INT, b INT NOT NULL>"},
          {"ROW<a STRING>", "ROW<a INT>"},
          {"ARRAY<INT>", "MAP<INT, INT>"},
          {"INT", "ARRAY<INT>"}
        }) {
      assertThatThrownBy(() -> SafeCast.of(ArrowSchemas.toField(column(pair[0])), column(pair[1])))
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_SCHEMA));
    }
  }

  @Test
  void allListTypesOfArrowAreLists() {
    FieldType ints = FieldType.nullable(new ArrowType.Int(32, true));
    try (LargeListVector large = LargeListVector.empty("x", allocator);
        FixedSizeListVector fixed = FixedSizeListVector.empty("x", 2, allocator)) {
      large.addOrGetVector(ints);
      fixed.addOrGetVector(ints);
      large.allocateNew();
      fixed.allocateNew();
      for (int i = 0; i < 4; i++) {
        ((IntVector) large.getDataVector()).setSafe(i, i);
        ((IntVector) fixed.getDataVector()).setSafe(i, i);
      }
      large.startNewValue(0);
      large.endValue(0, 3);
      large.setNull(1);
      large.setValueCount(2);
      fixed.setNotNull(0);
      fixed.setValueCount(2);
      assertThat(cast(large, "ARRAY<BIGINT>")).containsExactly(List.of(0L, 1L, 2L), null);
      assertThat(cast(fixed, "ARRAY<INT>")).containsExactly(List.of(0, 1), null);
    }
  }

  /** What stands below a NULL list is nothing, whatever it is. */
  @Test
  void elementsOfNullListsAreNotLookedAt() {
    try (ListVector list = ListVector.empty("x", allocator)) {
      list.addOrGetVector(FieldType.nullable(new ArrowType.Int(32, true)));
      list.allocateNew();
      IntVector elements = (IntVector) list.getDataVector();
      elements.setSafe(0, 1_000_000);
      elements.setSafe(1, 5);
      list.startNewValue(0);
      list.endValue(0, 1);
      list.startNewValue(1);
      list.endValue(1, 1);
      list.setValueCount(2);
      BitVectorHelper.unsetBit(list.getValidityBuffer(), 0);
      assertThat(cast(list, "ARRAY<SMALLINT>")).containsExactly(null, List.of((short) 5));
    }
  }

  @Test
  void valuesOfTheSameTypeStayTheSame() {
    Seeds.run(
        40,
        (seed, random) -> {
          DataType type = TestValues.randomType(random, 4);
          List<Object> values = new ArrayList<>();
          for (int i = random.nextInt(20); i >= 0; i--) {
            values.add(random.nextInt(4) == 0 ? null : TestValues.random(type, random));
          }
          List<Object> found = cast(type.toString(), type.toString(), values.toArray());
          assertThat(GenericRow.of(found.toArray())).isEqualTo(GenericRow.of(values.toArray()));
          List<Object> lists = new ArrayList<>();
          values.forEach(each -> lists.add(Arrays.asList(each, each)));
          assertThat(GenericRow.of(castHidden(type, lists).toArray()))
              .isEqualTo(GenericRow.of(lists.subList(1, lists.size()).toArray()));
        });
  }
}
