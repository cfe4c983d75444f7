package io.sluice.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.demo.FlightsDigest.Accumulator;
import io.sluice.cli.demo.FlightsDigest.Check;
import java.util.List;
import org.junit.jupiter.api.Test;

class FlightsDigestTest {
  private record Flight(long date, long delay, long distance, String origin, String destination) {}

  private static final List<Flight> FLIGHTS =
      List.of(
          new Flight(978_307_800_000_000L, 86, 1426, "MSP", "PDX"),
          new Flight(978_307_920_000_000L, -12, 279, "PIT", "SYR"),
          new Flight(978_310_080_000_000L, 81, 1533, "SEA", "FAI"));

  private static FlightsDigest digest(List<Flight> flights) {
    Accumulator accumulator = new Accumulator();
    for (Flight f : flights) {
      accumulator.add(f.date(), f.delay(), f.distance(), f.origin(), f.destination());
    }
    return accumulator.digest();
  }

  private static List<String> differences(List<Flight> found) {
    return digest(FLIGHTS).compare(digest(found)).stream()
        .filter(check -> !check.passes())
        .map(Check::what)
        .toList();
  }

  @Test
  void doesNotDependOnOrder() {
    assertThat(differences(List.of(FLIGHTS.get(2), FLIGHTS.get(0), FLIGHTS.get(1)))).isEmpty();
  }

  @Test
  void noticesALostRowAndARepeatedRow() {
    assertThat(differences(FLIGHTS.subList(0, 2)))
        .contains("rows", "sum(delay)", "rows from SEA", "fingerprint of all rows");
    assertThat(differences(List.of(FLIGHTS.get(0), FLIGHTS.get(0), FLIGHTS.get(1), FLIGHTS.get(2))))
        .contains("rows", "fingerprint of all rows");
  }

  @Test
  void noticesAChangeThatNoSumShows() {
    Flight first = FLIGHTS.get(0);
    Flight second = FLIGHTS.get(1);
    List<Flight> delaysSwapped =
        List.of(
            new Flight(first.date(), second.delay(), first.distance(), "MSP", "PDX"),
            new Flight(second.date(), first.delay(), second.distance(), "PIT", "SYR"),
            FLIGHTS.get(2));

    assertThat(differences(delaysSwapped)).containsExactly("fingerprint of all rows");
  }

  @Test
  void noticesAChangeInEachColumn() {
    Flight f = FLIGHTS.get(1);
    List<Flight> changed =
        List.of(
            new Flight(f.date() + 1, f.delay(), f.distance(), f.origin(), f.destination()),
            new Flight(f.date(), f.delay() + 1, f.distance(), f.origin(), f.destination()),
            new Flight(f.date(), f.delay(), f.distance() - 1, f.origin(), f.destination()),
            new Flight(f.date(), f.delay(), f.distance(), "PIX", f.destination()),
            new Flight(f.date(), f.delay(), f.distance(), f.origin(), "SYX"));

    for (Flight flight : changed) {
      assertThat(differences(List.of(FLIGHTS.get(0), flight, FLIGHTS.get(2))))
          .as("%s", flight)
          .contains("fingerprint of all rows");
    }
  }

  @Test
  void wordsADifference() {
    Check check = digest(FLIGHTS).compare(digest(FLIGHTS.subList(0, 2))).get(0);

    assertThat(check).isEqualTo(new Check("rows", "3", "2"));
  }
}
