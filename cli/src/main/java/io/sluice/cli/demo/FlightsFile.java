package io.sluice.cli.demo;

import io.sluice.cli.CliException;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The flights in their Parquet file, read by DuckDB in this process: row by row for loading, and by
 * aggregating SQL for checking, two ways that share no code of ours.
 */
final class FlightsFile implements AutoCloseable {
  private final Path file;
  private final Connection duckdb;

  private FlightsFile(Path file, Connection duckdb) {
    this.file = file;
    this.duckdb = duckdb;
  }

  /** Receives one flight. */
  interface FlightReader {
    void flight(long dateMicros, long delay, long distance, String origin, String destination);
  }

  static FlightsFile open(Path file) throws SQLException {
    if (!Files.isReadable(file)) {
      throw new CliException(
          "Cannot read the flights: " + file + " does not exist or may not be read",
          "It is part of the source tree under docs/examples/data.");
    }
    try {
      return new FlightsFile(file, DriverManager.getConnection("jdbc:duckdb:"));
    } catch (SQLException e) {
      throw new CliException("Cannot start DuckDB: " + e.getMessage(), "", e);
    }
  }

  /** Where the file lies. */
  Path path() {
    return file;
  }

  /** Size of the file. */
  long bytes() throws IOException {
    return Files.size(file);
  }

  /** Number of rows in the file. */
  long rows() throws SQLException {
    try (PreparedStatement query =
        duckdb.prepareStatement("SELECT count(*) FROM read_parquet(?)")) {
      query.setString(1, file.toString());
      try (ResultSet result = query.executeQuery()) {
        result.next();
        return result.getLong(1);
      }
    }
  }

  /** Gives the first {@code limit} rows of the file, in the file's order. */
  void read(long limit, FlightReader reader) throws SQLException {
    read(0, limit, reader);
  }

  /** Gives the rows of the file from one number to before another, in the file's order. */
  void read(long start, long end, FlightReader reader) throws SQLException {
    String sql =
        "SELECT epoch_us(date), delay, distance, origin, destination FROM read_parquet(?,"
            + " file_row_number = true) WHERE file_row_number >= ? AND file_row_number < ?"
            + " ORDER BY file_row_number";
    try (PreparedStatement query = duckdb.prepareStatement(sql)) {
      query.setString(1, file.toString());
      query.setLong(2, start);
      query.setLong(3, end);
      try (ResultSet flights = query.executeQuery()) {
        while (flights.next()) {
          reader.flight(
              flights.getLong(1),
              flights.getLong(2),
              flights.getLong(3),
              flights.getString(4),
              flights.getString(5));
        }
      }
    }
  }

  /** Digest of the whole file and, once more, of its first {@code repeated} rows, by SQL alone. */
  FlightsDigest digest(long repeated) throws SQLException {
    try (Statement statement = duckdb.createStatement()) {
      expect(statement, repeated);
      SortedMap<String, Long> byOrigin = new TreeMap<>();
      try (ResultSet origins =
          statement.executeQuery("SELECT origin, count(*) FROM expected GROUP BY origin")) {
        while (origins.next()) {
          byOrigin.put(origins.getString(1), origins.getLong(2));
        }
      }
      try (ResultSet totals =
          statement.executeQuery(
              "SELECT count(*), sum(delay), sum(distance), epoch_us(min(date)),"
                  + " epoch_us(max(date)), sum(md5_number_lower(concat(epoch_us(date), '|', delay,"
                  + " '|', distance, '|', origin, '|', destination)))::VARCHAR FROM expected")) {
        totals.next();
        return new FlightsDigest(
            totals.getLong(1),
            totals.getLong(2),
            totals.getLong(3),
            totals.getLong(4),
            totals.getLong(5),
            new BigInteger(totals.getString(6)).longValue(),
            byOrigin);
      }
    }
  }

  private void expect(Statement statement, long repeated) throws SQLException {
    statement.execute(
        "CREATE OR REPLACE TEMP TABLE expected AS SELECT f.* FROM read_parquet('"
            + file.toString().replace("'", "''")
            + "', file_row_number = true) f, range(2) copies(copy)"
            + " WHERE copy = 0 OR file_row_number < "
            + repeated);
  }

  /**
   * What {@link WorstOrigin#query} must give of the whole file and, once more, its first {@code
   * repeated} rows, with the airports as the demo changed them.
   */
  List<WorstOrigin> worstOrigins(AirportsFile airports, long repeated) throws SQLException {
    List<WorstOrigin> origins = new ArrayList<>();
    try (Statement statement = duckdb.createStatement()) {
      expect(statement, repeated);
      try (ResultSet rows =
          statement.executeQuery(
              "WITH airports AS (SELECT iata, CASE iata WHEN '"
                  + AirportsCheck.RENAMED
                  + "' THEN '"
                  + AirportsCheck.NEW_NAME
                  + "' ELSE name END AS name FROM "
                  + airports.table()
                  + " WHERE iata <> '"
                  + AirportsCheck.DELETED
                  + "') SELECT origin, any_value(name), count(*), round(sum(delay) / count(*), 2)"
                  + " FROM expected JOIN airports ON iata = origin GROUP BY origin"
                  + " HAVING count(*) >= "
                  + WorstOrigin.LEAST_FLIGHTS
                  + " ORDER BY 4 DESC, 1 LIMIT "
                  + WorstOrigin.SHOWN)) {
        while (rows.next()) {
          origins.add(
              WorstOrigin.of(
                  rows.getString(1), rows.getString(2), rows.getString(3), rows.getString(4)));
        }
      }
    }
    return origins;
  }

  @Override
  public void close() throws SQLException {
    duckdb.close();
  }
}
