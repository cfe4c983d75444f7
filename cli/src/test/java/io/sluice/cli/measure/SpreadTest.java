package io.sluice.cli.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class SpreadTest {
  @Test
  void medianOfAnOddNumberIsTheMiddleOne() {
    assertThat(Spread.of(List.of(9.0, 1.0, 5.0))).isEqualTo(new Spread(5, 1, 9, 3));
  }

  @Test
  void medianOfAnEvenNumberIsTheMeanOfTheTwoInTheMiddle() {
    assertThat(Spread.of(List.of(4.0, 1.0, 2.0, 100.0)).median()).isEqualTo(3);
  }

  @Test
  void deviationIsThatOfTheFartherExtreme() {
    assertThat(Spread.of(List.of(8.0, 10.0, 15.0)).deviation()).isEqualTo(0.5);
    assertThat(Spread.of(List.of(0.0)).deviation()).isZero();
  }

  @Test
  void ofNoValuesIsRefused() {
    assertThatThrownBy(() -> Spread.of(List.of())).hasMessageContaining("no values");
  }
}
