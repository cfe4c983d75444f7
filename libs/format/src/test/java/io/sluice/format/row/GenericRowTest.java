package io.sluice.format.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import org.junit.jupiter.api.Test;

class GenericRowTest {

  @Test
  void readsNumbersByAnyGetterThatHoldsThem() {
    Row row = Row.of(7, 7L, 1.5d, (byte) 3);
    assertThat(row.getLong(0)).isEqualTo(7);
    assertThat(row.getByte(1)).isEqualTo((byte) 7);
    assertThat(row.getFloat(2)).isEqualTo(1.5f);
    assertThat(row.getDecimal(3)).isEqualTo(new BigDecimal(3));
  }

  @Test
  void refusesWhatAGetterCannotHold() {
    Row row = Row.of(1000, 0.1d, "text", null);
    assertThatThrownBy(() -> row.getByte(0)).hasMessageContaining("1000");
    assertThatThrownBy(() -> row.getFloat(1)).hasMessageContaining("0.1");
    assertThatThrownBy(() -> row.getInt(2)).hasMessageContaining("String");
    assertThatThrownBy(() -> row.getInt(3)).hasMessageContaining("NULL");
    assertThatThrownBy(() -> row.getInt(4)).hasMessageContaining("position 4");
  }

  @Test
  void doesNotShareItsArrays() {
    Object[] values = {1, 2};
    GenericRow row = GenericRow.of(values);
    values[0] = 9;
    assertThat(row).isEqualTo(Row.of(1, 2)).hasSameHashCodeAs(Row.of(1, 2));
  }
}
