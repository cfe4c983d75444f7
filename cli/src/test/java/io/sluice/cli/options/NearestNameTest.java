package io.sluice.cli.options;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NearestNameTest {
  private static final List<String> KNOWN = List.of("tables", "describe", "offsets", "scan");

  @Test
  void findsANameWithFewEdits() {
    assertThat(NearestName.of("tabels", KNOWN)).contains("tables");
    assertThat(NearestName.of("descibe", KNOWN)).contains("describe");
    assertThat(NearestName.of("SCAN", KNOWN)).contains("scan");
  }

  @Test
  void findsNothingForADifferentWord() {
    assertThat(NearestName.of("upload", KNOWN)).isEmpty();
    assertThat(NearestName.suggestion("upload", KNOWN)).isEmpty();
  }

  @Test
  void countsASwapOfNeighboursAsOneEdit() {
    assertThat(NearestName.distance("sacn", "scan")).isEqualTo(1);
    assertThat(NearestName.distance("", "scan")).isEqualTo(4);
    assertThat(NearestName.distance("scan", "scan")).isZero();
  }
}
