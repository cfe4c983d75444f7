package io.sluice.cli.demo;

import io.sluice.cli.sql.SqlClient;
import io.sluice.cli.sql.SqlResult;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.SortedMap;
import java.util.TreeMap;

/** Digest of the flights as the SQL service sees them. */
final class SqlDigest {
  private SqlDigest() {}

  /**
   * @param table {@code demo.flights}, or {@code demo.flights$lake} for the lake alone
   */
  static FlightsDigest of(SqlClient sql, String table) {
    SortedMap<String, Long> byOrigin = new TreeMap<>();
    SqlResult origins = run(sql, "SELECT origin, COUNT(*) FROM " + table + " GROUP BY origin");
    for (int row = 0; row < origins.rows().size(); row++) {
      byOrigin.put(origins.text(row, 0), number(origins.text(row, 1)).longValueExact());
    }
    SqlResult totals =
        run(
            sql,
            "SELECT COUNT(*), SUM(delay), SUM(distance), epoch_us(MIN(`date`)),"
                + " epoch_us(MAX(`date`)), CAST(SUM(md5_number_lower(CONCAT(epoch_us(`date`), '|',"
                + " delay, '|', distance, '|', origin, '|', destination))) AS STRING) FROM "
                + table);
    return new FlightsDigest(
        number(totals.text(0, 0)).longValueExact(),
        number(totals.text(0, 1)).longValueExact(),
        number(totals.text(0, 2)).longValueExact(),
        number(totals.text(0, 3)).longValueExact(),
        number(totals.text(0, 4)).longValueExact(),
        // The sum is taken modulo 2 to the 64.
        number(totals.text(0, 5)).longValue(),
        byOrigin);
  }

  private static SqlResult run(SqlClient sql, String statement) {
    return sql.run(statement, SqlClient.Options.NONE);
  }

  private static BigInteger number(String text) {
    return new BigDecimal(text).toBigIntegerExact();
  }
}
