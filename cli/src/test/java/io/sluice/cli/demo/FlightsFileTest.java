package io.sluice.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.CliException;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlightsFileTest {
  private static final int ROWS = 5_000;

  @TempDir Path directory;

  private FlightsFile flights(String name) throws SQLException {
    Path file = directory.resolve(name);
    try (Connection duckdb = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duckdb.createStatement()) {
      statement.execute(
          "COPY (SELECT make_timestamp(978307800000000 + i * 61000007) AS date, (i * 37) % 211 - 60"
              + " AS delay, (i * 13) % 2500 AS distance, 'O' || (i * 7) % 40 AS origin,"
              + " 'D' || (i * 11) % 50 AS destination FROM range("
              + ROWS
              + ") t(i)) TO '"
              + file.toString().replace("'", "''")
              + "' (FORMAT parquet)");
    }
    return FlightsFile.open(file);
  }

  private static FlightsDigest addUp(FlightsFile file, long repeated) throws SQLException {
    FlightsDigest.Accumulator accumulator = new FlightsDigest.Accumulator();
    file.read(Long.MAX_VALUE, accumulator::add);
    file.read(repeated, accumulator::add);
    return accumulator.digest();
  }

  @Test
  void sqlAndJavaAddUpToTheSameDigest() throws SQLException {
    try (FlightsFile file = flights("flights.parquet")) {
      assertThat(file.rows()).isEqualTo(ROWS);
      assertThat(file.digest(0)).isEqualTo(addUp(file, 0));
      assertThat(file.digest(100)).isEqualTo(addUp(file, 100));
      assertThat(file.digest(100).rows()).isEqualTo(ROWS + 100);
    }
  }

  @Test
  void sqlNoticesThatOneOtherRowWasRepeated() throws SQLException {
    try (FlightsFile file = flights("flights.parquet")) {
      assertThat(file.digest(100).compare(addUp(file, 101)))
          .filteredOn(check -> !check.passes())
          .extracting(FlightsDigest.Check::what)
          .contains("rows", "fingerprint of all rows");
    }
  }

  @Test
  void readsTheFirstRowsInTheOrderOfTheFile() throws SQLException {
    try (FlightsFile file = flights("it's here.parquet")) {
      List<String> rows = new ArrayList<>();
      file.read(
          2,
          (date, delay, distance, origin, destination) ->
              rows.add(date + " " + delay + " " + distance + " " + origin + " " + destination));

      assertThat(rows)
          .containsExactly("978307800000000 -60 0 O0 D0", "978307861000007 -23 13 O7 D11");
      assertThat(file.digest(0).rows()).isEqualTo(ROWS);
    }
  }

  @Test
  void worstOriginsHaveTheNamesThatTheDemoLeft() throws SQLException, IOException {
    Path parquet = directory.resolve("delays.parquet");
    try (Connection duckdb = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duckdb.createStatement()) {
      statement.execute(
          "COPY (SELECT TIMESTAMP '2001-01-01 00:00:00' AS date, d + (i % 3) AS delay, 1 AS"
              + " distance, o AS origin, 'X' AS destination FROM range(300) t(i), (VALUES ('SFO',"
              + " 10), ('ZZV', 90), ('ATL', 20)) v(o, d) UNION ALL SELECT TIMESTAMP '2001-01-01"
              + " 00:00:00', 99, 1, 'LAX', 'X' FROM range(199)) TO '"
              + parquet
              + "' (FORMAT parquet)");
    }
    Path airports =
        Files.writeString(
            directory.resolve("airports.csv"),
            """
            iata,name,city,state,country,latitude,longitude
            SFO,San Francisco,San Francisco,CA,USA,1,2
            ZZV,Zanesville,Zanesville,OH,USA,1,2
            ATL,Atlanta,Atlanta,GA,USA,1,2
            LAX,Los Angeles,Los Angeles,CA,USA,1,2
            """);
    try (FlightsFile file = FlightsFile.open(parquet)) {
      assertThat(file.worstOrigins(new AirportsFile(airports), 0))
          .containsExactly(
              new WorstOrigin("ATL", "Atlanta", 300, new BigDecimal("21.00")),
              new WorstOrigin("SFO", AirportsCheck.NEW_NAME, 300, new BigDecimal("11.00")));
    }
  }

  @Test
  void readsFromTheMiddle() throws SQLException {
    try (FlightsFile file = flights("flights.parquet")) {
      List<Long> distances = new ArrayList<>();
      file.read(2, 4, (date, delay, distance, origin, destination) -> distances.add(distance));
      assertThat(distances).containsExactly(26L, 39L);
    }
  }

  @Test
  void aMissingFileIsNamed() {
    assertThatThrownBy(() -> FlightsFile.open(directory.resolve("none.parquet")))
        .isInstanceOf(CliException.class)
        .hasMessageContaining("none.parquet does not exist");
  }
}
