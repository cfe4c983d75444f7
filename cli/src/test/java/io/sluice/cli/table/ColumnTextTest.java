package io.sluice.cli.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.options.UsageException;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataTypeParser;
import org.junit.jupiter.api.Test;

class ColumnTextTest {
  private static final DataType BIGINT = DataTypeParser.parse("BIGINT");

  @Test
  void readsNameTypeAndNotNull() {
    assertThat(ColumnText.parse("id BIGINT not null"))
        .isEqualTo(new ColumnText("id", BIGINT, true, null));
    assertThat(ColumnText.parse(" price  DECIMAL(10, 2) "))
        .isEqualTo(new ColumnText("price", DataTypeParser.parse("DECIMAL(10,2)"), false, null));
  }

  @Test
  void readsTheDefault() {
    assertThat(ColumnText.parse("n BIGINT NOT NULL DEFAULT -5"))
        .isEqualTo(new ColumnText("n", BIGINT, true, "-5"));
    assertThat(ColumnText.parse("city STRING default 'it''s NULL'").defaultValue())
        .isEqualTo("it's NULL");
    assertThat(ColumnText.parse("price DECIMAL(5,2) DEFAULT 1").defaultValue()).isEqualTo("1.00");
    assertThat(ColumnText.parse("n BIGINT DEFAULT NULL").defaultValue()).isNull();
  }

  @Test
  void notNullMayStandBehindTheDefault() {
    DataType string = DataTypeParser.parse("STRING");
    assertThat(ColumnText.parse("c STRING DEFAULT 'it''s' NOT NULL"))
        .isEqualTo(new ColumnText("c", string, true, "it's"));
    assertThat(ColumnText.parse("n BIGINT DEFAULT 5 not null"))
        .isEqualTo(new ColumnText("n", BIGINT, true, "5"));
    assertThat(ColumnText.parse("c STRING DEFAULT 'a NOT NULL'"))
        .isEqualTo(new ColumnText("c", string, false, "a NOT NULL"));
    assertThatThrownBy(() -> ColumnText.parse("c STRING DEFAULT 'a' COMMENT 'b'"))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("column 'c'");
    assertThatThrownBy(() -> ColumnText.parse("c STRING DEFAULT 'a"))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("column 'c'");
  }

  @Test
  void whatIsWrongIsSaidWithTheColumn() {
    assertThatThrownBy(() -> ColumnText.parse("n BIGINT DEFAULT x"))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("the default of column 'n'");
    assertThatThrownBy(() -> ColumnText.parse("n BIGGINT"))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("column 'n'");
  }

  @Test
  void aTypeMustBeGiven() {
    assertThatThrownBy(() -> ColumnText.parse("id"))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("column 'id' must have the form");
  }
}
