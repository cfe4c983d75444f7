package io.sluice.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class UpsertShapeTest {
  private static final TableSchema SCHEMA =
      new TableSchema(
          1,
          List.of(
              Column.of(1, "k", new DataType.StringType(), false),
              Column.of(2, "uid", new DataType.IntegerType(64), true),
              Column.of(3, "v", new DataType.IntegerType(32), true),
              Column.of(4, "w", new DataType.IntegerType(32), false)),
          List.of("k"));
  private static final Map<String, String> IDS = Map.of("auto-increment.fields", "uid");

  private static UpsertShape shape(Map<String, String> options, String... columns) {
    return UpsertShape.of(
        new TableDescription(
            1, TablePath.parse("demo.t"), SCHEMA, 1, List.of(), options, "", 0, 1, List.of()),
        List.of(columns));
  }

  private static ErrorCode codeOf(Throwable failure) {
    return ((SluiceException) failure).code();
  }

  @Test
  void wholeRowsHaveAllColumns() {
    UpsertShape shape = shape(Map.of());
    assertThat(shape.written()).isEqualTo(SCHEMA);
    assertThat(shape.targetIds()).isEmpty();
    assertThat(shape.leftOutNote()).isEmpty();
    shape.requireDeletes();
  }

  @Test
  void aColumnThatGetsItsValuesFromTheTableIsLeftOut() {
    UpsertShape shape = shape(IDS);
    assertThat(shape.written().columns()).extracting(Column::name).containsExactly("k", "v", "w");
    assertThat(shape.targetIds()).containsExactly(1, 3, 4);
    assertThat(shape.leftOutNote()).contains("'uid'");
    assertThatThrownBy(() -> shape(IDS, "k", "w", "uid"))
        .hasMessageContaining("'uid' of demo.t gets its values from the table")
        .hasMessageContaining("leave it out")
        .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ErrorCode.INVALID_ARGUMENT));
  }

  @Test
  void partialRowsHaveTheKeyAndWhatMustNotBeNull() {
    assertThat(shape(Map.of(), "w", "k").targetIds()).containsExactly(4, 1);
    assertThatThrownBy(() -> shape(Map.of(), "v", "w"))
        .hasMessageContaining("'k' of demo.t must be among")
        .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ErrorCode.INVALID_ARGUMENT));
    assertThatThrownBy(() -> shape(Map.of(), "k", "v"))
        .hasMessageContaining("'w' of demo.t must be among")
        .hasMessageContaining("NOT NULL");
  }

  @Test
  void firstAndVersionedRowsAreTakenWholeOnly() {
    Map<String, String> first = Map.of("table.merge-engine", "first_row");
    assertThat(shape(first).targetIds()).isEmpty();
    assertThatThrownBy(() -> shape(first, "k", "w"))
        .hasMessageContaining("demo.t takes whole rows only")
        .hasMessageContaining("first_row")
        .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ErrorCode.UNSUPPORTED));
  }

  @Test
  void deletesOfATableThatTakesNoneAreRefused() {
    assertThatThrownBy(() -> shape(Map.of("table.delete.behavior", "disable")).requireDeletes())
        .hasMessageContaining("demo.t takes no deletes")
        .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ErrorCode.DELETE_DISABLED));
    shape(Map.of("table.delete.behavior", "ignore")).requireDeletes();
  }
}
