package io.sluice.cli.demo;

import io.sluice.cli.CliException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The airports in their CSV file, read by DuckDB in this process. */
final class AirportsFile {
  private static final String TABLE =
      "read_csv('%s', header = true,"
          + " columns = {'iata': 'VARCHAR', 'name': 'VARCHAR', 'city': 'VARCHAR', 'state':"
          + " 'VARCHAR', 'country': 'VARCHAR', 'latitude': 'DOUBLE', 'longitude': 'DOUBLE'})";

  private final Path file;

  AirportsFile(Path file) {
    this.file = file;
  }

  /** The file as a table, for DuckDB's SQL. */
  String table() {
    return TABLE.formatted(file.toString().replace("'", "''"));
  }

  /** All airports. */
  List<Airport> read() throws SQLException {
    if (!Files.isReadable(file)) {
      throw new CliException(
          "Cannot read the airports: " + file + " does not exist or may not be read",
          "It is part of the source tree under docs/examples/data.");
    }
    List<Airport> airports = new ArrayList<>();
    try (Connection duckdb = DriverManager.getConnection("jdbc:duckdb:");
        Statement query = duckdb.createStatement()) {
      try (ResultSet rows =
          query.executeQuery(
              "SELECT iata, name, city, state, country, latitude, longitude FROM " + table())) {
        while (rows.next()) {
          airports.add(
              new Airport(
                  rows.getString(1),
                  rows.getString(2),
                  rows.getString(3),
                  rows.getString(4),
                  rows.getString(5),
                  rows.getDouble(6),
                  rows.getDouble(7)));
        }
      }
    }
    return airports;
  }
}
