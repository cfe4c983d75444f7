package io.sluice.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationTextTest {
  @ParameterizedTest
  @CsvSource({
    "10s,10000",
    "3 min,180000",
    "3min,180000",
    "1h,3600000",
    "2 Days,172800000",
    "250,250",
    " 5 MS ,5",
    "1 m,60000",
    "0s,0"
  })
  void readsWhatFlinkWrites(String text, long millis) {
    assertThat(DurationText.parse("x", text).toMillis()).isEqualTo(millis);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "s", "-1s", "1.5h", "3 weeks", "9223372036854775807 d", "1 2s"})
  void refusesEverythingElseNamingWhatIsMeant(String text) {
    SluiceException refused =
        catchThrowableOfType(SluiceException.class, () -> DurationText.parse("the.key", text));
    assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_OPTION);
    assertThat(refused).hasMessageContaining("the.key is '" + text + "'");
  }

  @Test
  void refusesANumberOfMoreDigitsThanALongHas() {
    assertThat(
            catchThrowableOfType(
                SluiceException.class, () -> DurationText.parse("k", "9".repeat(40))))
        .hasMessageContaining("must be a duration");
  }
}
