package io.sluice.tablet.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import java.util.List;
import org.apache.arrow.vector.types.pojo.Field;
import org.junit.jupiter.api.Test;

final class LookupColumnsTest {
  /** Its columns have the names of both that answers have of their own. */
  private static final TableSchema SCHEMA =
      new TableSchema(
          1,
          List.of(
              Column.of(1, "k", DataTypeParser.parse("INT"), false),
              Column.of(2, "_found", DataTypeParser.parse("STRING"), true),
              Column.of(3, "_key", DataTypeParser.parse("STRING"), true)),
          List.of("k"));

  private static List<String> answered(List<String> names, boolean prefixes) {
    return new LookupColumns(SCHEMA, names, prefixes)
        .arrow().getFields().stream().map(Field::getName).toList();
  }

  @Test
  void anAnswerSaysWhoseItsRowsAre() {
    assertThat(answered(List.of("_key", "k"), false)).containsExactly("_key", "k", "_found");
    assertThat(answered(List.of("k", "_found"), true)).containsExactly("_key", "k", "_found");
  }

  @Test
  void aColumnWithTheNameOfTheAddedOneIsRefused() {
    assertRefused("_found", List.of(), false);
    assertRefused("_found", List.of("k", "_found"), false);
    assertRefused("_key", List.of(), true);
    assertRefused("_key", List.of("_key"), true);
  }

  private static void assertRefused(String column, List<String> names, boolean prefixes) {
    assertThatThrownBy(() -> new LookupColumns(SCHEMA, names, prefixes))
        .isInstanceOfSatisfying(
            SluiceException.class,
            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
        .hasMessageContaining("the column '" + column + "' of the table cannot be among those")
        .hasMessageContaining("name the other columns in the field \"columns\"");
  }
}
