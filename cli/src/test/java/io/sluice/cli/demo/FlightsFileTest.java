package io.sluice.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.CliException;
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
  void aMissingFileIsNamed() {
    assertThatThrownBy(() -> FlightsFile.open(directory.resolve("none.parquet")))
        .isInstanceOf(CliException.class)
        .hasMessageContaining("none.parquet does not exist");
  }
}
