package io.sluice.cli.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.options.UsageException;
import org.junit.jupiter.api.Test;

class ColumnTextTest {
  @Test
  void readsNameTypeAndNotNull() {
    assertThat(ColumnText.parse("id BIGINT not null"))
        .isEqualTo(new ColumnText("id", "BIGINT", true));
    assertThat(ColumnText.parse(" price  DECIMAL(10, 2) "))
        .isEqualTo(new ColumnText("price", "DECIMAL(10, 2)", false));
  }

  @Test
  void aTypeMustBeGiven() {
    assertThatThrownBy(() -> ColumnText.parse("id"))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("column 'id' must have the form");
  }
}
