package io.sluice.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.CliException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AirportsFileTest {
  @TempDir Path directory;

  @Test
  void readsQuotedNamesAndLettersThatLookLikeNull() throws IOException, SQLException {
    Path file = directory.resolve("it's.csv");
    Files.writeString(
        file,
        """
        iata,name,city,state,country,latitude,longitude
        00M,"Sub, Airport",NA,NA,USA,31.95376472,-89.23450472
        ORD,Chicago O'Hare,Chicago,IL,USA,41.979595,-87.90446417
        """);
    assertThat(new AirportsFile(file).read())
        .containsExactly(
            new Airport("00M", "Sub, Airport", "NA", "NA", "USA", 31.95376472, -89.23450472),
            new Airport("ORD", "Chicago O'Hare", "Chicago", "IL", "USA", 41.979595, -87.90446417));
  }

  @Test
  void aMissingFileIsNamed() {
    assertThatThrownBy(() -> new AirportsFile(directory.resolve("none.csv")).read())
        .isInstanceOf(CliException.class)
        .hasMessageContaining("none.csv does not exist");
  }
}
