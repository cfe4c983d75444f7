package io.sluice.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class AirportsCheckTest {
  private static Airport airport(String iata, String name) {
    return new Airport(iata, name, "City", "ST", "USA", 1.5, -2.5);
  }

  @Test
  void expectsTheFileWithOneRenamedAndOneGone() {
    Map<String, Airport> expected =
        AirportsCheck.expected(
            List.of(airport("ATL", "a"), airport("SFO", "s"), airport("ZZV", "z")));
    assertThat(expected)
        .isEqualTo(
            Map.of("ATL", airport("ATL", "a"), "SFO", airport("SFO", AirportsCheck.NEW_NAME)));
  }

  @Test
  void countsMissingAdditionalAndDifferentRows() {
    Map<String, Airport> expected =
        Map.of("A", airport("A", "a"), "B", airport("B", "b"), "C", airport("C", "c"));
    Map<String, Airport> found = new TreeMap<>(expected);
    assertThat(AirportsCheck.differences(expected, found)).isZero();
    found.remove("A");
    found.put("B", airport("B", "other"));
    found.put("D", airport("D", "d"));
    assertThat(AirportsCheck.differences(expected, found)).isEqualTo(3);
  }
}
