package io.sluice.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.sql.SqlScript;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class DemoTablesScriptTest {
  @Test
  void theTablesCarryTheCommentsByWhichTheDemoKnowsThem() throws IOException {
    Path script = Path.of("..").resolve(TablesStep.SCRIPT);
    List<String> statements = SqlScript.statements(Files.readString(script));
    assertThat(statements).hasSize(3);
    assertThat(statements.get(1))
        .startsWith("CREATE TABLE " + FlightsTable.PATH)
        .contains("COMMENT '" + FlightsTable.OWN.comment() + "'")
        .contains("'table.datalake.freshness' = '10s'");
    assertThat(FlightsTable.COLUMNS).allMatch(statements.get(1)::contains);
    assertThat(statements.get(2))
        .startsWith("CREATE TABLE " + AirportsTable.PATH)
        .contains("COMMENT '" + AirportsTable.OWN.comment() + "'");
  }
}
