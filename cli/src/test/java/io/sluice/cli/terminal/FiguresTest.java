package io.sluice.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.api.Test;

class FiguresTest {
  @Test
  void bytesHaveThreeDigitsAndAUnit() {
    assertThat(Figures.bytes(0)).isEqualTo("0 B");
    assertThat(Figures.bytes(999)).isEqualTo("999 B");
    assertThat(Figures.bytes(1_000)).isEqualTo("1.00 KB");
    assertThat(Figures.bytes(1_197_083)).isEqualTo("1.20 MB");
    assertThat(Figures.bytes(999_999)).isEqualTo("1.00 MB");
    assertThat(Figures.bytes(123_456_789_000L)).isEqualTo("123 GB");
  }

  @Test
  void durationsChooseTheirUnit() {
    assertThat(Figures.duration(870_000)).isEqualTo("870 us");
    assertThat(Figures.duration(3_210_000)).isEqualTo("3.21 ms");
    assertThat(Figures.duration(999_600)).isEqualTo("1.00 ms");
    assertThat(Figures.duration(1_240_000_000)).isEqualTo("1.24 s");
    assertThat(Figures.duration(61_000_000_000L)).isEqualTo("61.0 s");
  }

  @Test
  void ratesAndPercentagesOfNothingAreADash() {
    assertThat(Figures.rate(200_000, 2_000_000_000)).isEqualTo("100,000");
    assertThat(Figures.rate(1, 0)).isEqualTo("-");
    assertThat(Figures.percent(27, 100)).isEqualTo("27 %");
    assertThat(Figures.percent(1, 0)).isEqualTo("-");
  }

  @Test
  void theMachinesLocaleChangesNothing() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.GERMANY);
    try {
      assertThat(Figures.count(200_000)).isEqualTo("200,000");
      assertThat(Figures.threeDigits(1.5)).isEqualTo("1.50");
    } finally {
      Locale.setDefault(before);
    }
  }
}
