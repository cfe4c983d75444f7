package io.sluice.cli.demo;

import io.sluice.cli.terminal.Figures;
import io.sluice.client.Key;
import io.sluice.client.Lookuper;
import io.sluice.format.row.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What {@code demo.airports} must hold: the file, with one airport renamed and one gone. It is
 * compared row by row with a scan of the current rows, and by lookups of the two.
 */
final class AirportsCheck {
  /** The airport that the demo renames. */
  static final String RENAMED = "SFO";

  /** Its new name. */
  static final String NEW_NAME = "San Francisco International (renamed)";

  /** The airport that the demo deletes. */
  static final String DELETED = "ZZV";

  private final AirportsTable airports;
  private final Map<String, Airport> expected;

  private AirportsCheck(AirportsTable airports, Map<String, Airport> expected) {
    this.airports = airports;
    this.expected = expected;
  }

  /** What is expected of the table after the rows of the file were loaded and changed. */
  static AirportsCheck of(AirportsTable airports, List<Airport> file) {
    return new AirportsCheck(airports, expected(file));
  }

  static Map<String, Airport> expected(List<Airport> file) {
    Map<String, Airport> expected = new TreeMap<>();
    for (Airport airport : file) {
      expected.put(airport.iata(), airport);
    }
    expected.remove(DELETED);
    expected.computeIfPresent(RENAMED, (iata, airport) -> airport.renamed(NEW_NAME));
    return expected;
  }

  /** All comparisons, one after another. */
  List<FlightsDigest.Check> run() {
    Map<String, Airport> found = airports.currentRows();
    List<FlightsDigest.Check> checks = new ArrayList<>();
    checks.add(
        new FlightsDigest.Check(
            "airports", Figures.count(expected.size()), Figures.count(found.size())));
    checks.add(
        new FlightsDigest.Check(
            "airports that differ", "0", Figures.count(differences(expected, found))));
    try (Lookuper lookuper = airports.table().lookuper("name")) {
      checks.add(new FlightsDigest.Check("name of " + RENAMED, NEW_NAME, shown(lookuper, RENAMED)));
      checks.add(new FlightsDigest.Check("name of " + DELETED, "no row", shown(lookuper, DELETED)));
    }
    return checks;
  }

  private static String shown(Lookuper lookuper, String iata) {
    Optional<Row> row = lookuper.find(Key.of(iata));
    return row.map(found -> found.getString(0)).orElse("no row");
  }

  /** Keys whose rows are missing, additional or different. */
  static long differences(Map<String, Airport> expected, Map<String, Airport> found) {
    long different = found.keySet().stream().filter(key -> !expected.containsKey(key)).count();
    for (Map.Entry<String, Airport> each : expected.entrySet()) {
      different += Objects.equals(each.getValue(), found.get(each.getKey())) ? 0 : 1;
    }
    return different;
  }
}
