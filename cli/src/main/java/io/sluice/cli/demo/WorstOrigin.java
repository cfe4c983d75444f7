package io.sluice.cli.demo;

import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * A row of "the worst average delay by origin, with the airport's name".
 *
 * @param origin code of the airport
 * @param airport its name
 * @param flights flights from there
 * @param averageDelay minutes, rounded to hundredths
 */
record WorstOrigin(String origin, String airport, long flights, BigDecimal averageDelay) {
  /** Airports with fewer flights are left out. */
  static final int LEAST_FLIGHTS = 200;

  static final int SHOWN = 8;

  private static final int DECIMALS = 2;

  /** The query over this table. */
  static String query(String flights) {
    return """
        SELECT f.origin, a.name, COUNT(*) AS flights, ROUND(AVG(CAST(f.delay AS DOUBLE)), 2) AS delay
        FROM %s f JOIN demo.airports a ON a.iata = f.origin
        GROUP BY f.origin, a.name HAVING COUNT(*) >= %d
        ORDER BY delay DESC, f.origin LIMIT %d
        """
        .formatted(flights, LEAST_FLIGHTS, SHOWN)
        .stripTrailing();
  }

  /** From the texts of a result. */
  static WorstOrigin of(String origin, String airport, String flights, String averageDelay) {
    return new WorstOrigin(
        origin,
        airport,
        Long.parseLong(flights),
        new BigDecimal(averageDelay).setScale(DECIMALS, RoundingMode.HALF_UP));
  }
}
