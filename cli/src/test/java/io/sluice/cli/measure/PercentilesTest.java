package io.sluice.cli.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class PercentilesTest {
  @Test
  void takesTheNearestRank() {
    Percentiles percentiles = Percentiles.of(LongStream.rangeClosed(1, 1_000).toArray());

    assertThat(percentiles.at(50)).isEqualTo(500);
    assertThat(percentiles.at(99)).isEqualTo(990);
    assertThat(percentiles.at(99.9)).isEqualTo(999);
    assertThat(percentiles.at(100)).isEqualTo(1_000);
    assertThat(percentiles.at(0)).isEqualTo(1);
    assertThat(percentiles.least()).isEqualTo(1);
    assertThat(percentiles.most()).isEqualTo(1_000);
    assertThat(percentiles.count()).isEqualTo(1_000);
  }

  @Test
  void ofOneSampleIsThatSample() {
    Percentiles percentiles = Percentiles.of(new long[] {7});

    assertThat(percentiles.at(1)).isEqualTo(7);
    assertThat(percentiles.at(99)).isEqualTo(7);
  }

  @Test
  void doesNotDependOnOrderNorChangeItsInput() {
    long[] samples = {30, 10, 20};

    assertThat(Percentiles.of(samples).at(50)).isEqualTo(20);
    assertThat(Arrays.toString(samples)).isEqualTo("[30, 10, 20]");
  }

  @Test
  void refusesNoSamplesAndImpossiblePercentages() {
    assertThatThrownBy(() -> Percentiles.of(new long[0]))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Percentiles.of(new long[] {1}).at(101))
        .hasMessageContaining("101.0 is not between 0 and 100");
    assertThatThrownBy(() -> Percentiles.of(new long[] {1}).at(Double.NaN))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
