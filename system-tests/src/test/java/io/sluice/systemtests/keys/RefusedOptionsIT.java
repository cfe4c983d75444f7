package io.sluice.systemtests.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.CommandContext;
import io.sluice.cli.Settings;
import io.sluice.cli.table.CreateCommand;
import io.sluice.cli.terminal.Terminal;
import io.sluice.client.Connection;
import io.sluice.client.TableSpec;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.common.TimeSource;
import io.sluice.systemtests.lake.LakeCluster;
import io.sluice.systemtests.lake.SqlClient;
import io.sluice.systemtests.local.LocalCluster;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.Location;
import org.apache.arrow.memory.RootAllocator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rules of rows that cannot be are refused on every way to a table, saying what can be. */
final class RefusedOptionsIT {
  private static final String DATABASE = "refused";
  private static final LocalCluster CLUSTER = LocalCluster.shared();

  @BeforeAll
  static void createDatabase() {
    try (Connection connection = CLUSTER.connect()) {
      connection.admin().createDatabase(DATABASE, true);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "table.merge-engine=newest;first_row, versioned or aggregation",
        "table.merge-engine=aggregation,fields.v.agg=avg;sum, product, min, max, last_value,",
        "table.merge-engine=aggregation,fields.v.agg=bool_or;product, min, max, last_value,",
        "table.merge-engine=aggregation,fields.k.agg=sum;is in the primary key",
        "table.merge-engine=aggregation,fields.w.agg=sum;does not have",
        "table.merge-engine=aggregation,table.changelog.image=wal;it must be full",
        "fields.v.agg=sum;is only for table.merge-engine = aggregation",
        "table.merge-engine=versioned;needs table.merge-engine.versioned.ver-column",
        "table.merge-engine=first_row,table.delete.behavior=allow;ignore or disable",
        "table.delete.behavior=soft;allow, ignore or disable",
        "table.changelog.image=before;full or wal",
        "auto-increment.fields=s;ids are INT or BIGINT",
        "table.kv.format=indexed;compacted",
        "table.kv.ttl=5 moons;table.kv.ttl"
      })
  void isSaidEverywhere(String options, String message) throws Exception {
    Map<String, String> set = new LinkedHashMap<>();
    for (String option : options.split(",")) {
      set.put(option.substring(0, option.indexOf('=')), option.substring(option.indexOf('=') + 1));
    }
    assertThat(sql(set)).as("SQL").contains(message);
    assertThat(rest(set)).as("REST").contains(message);
    assertThat(action(set)).as("Arrow Flight").contains(message);
    refusedByClient(message, () -> create(set));
    refusedByClient(message, () -> commandLine(options));
    try (Connection connection = CLUSTER.connect()) {
      assertThat(connection.admin().listTables(DATABASE)).isEmpty();
    }
  }

  private static void refusedByClient(String message, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_OPTION))
        .hasMessageContaining(message);
  }

  private static void create(Map<String, String> options) {
    TableSpec.Builder spec =
        TableSpec.of(DATABASE + ".java")
            .requiredColumn("k", "INT")
            .column("v", "BIGINT")
            .column("s", "STRING")
            .primaryKey("k");
    options.forEach(spec::option);
    try (Connection connection = CLUSTER.connect()) {
      connection.admin().createTable(spec.build());
    }
  }

  private static void commandLine(String options) throws Exception {
    Properties properties = new Properties();
    properties.setProperty("sluice.coordinators", CLUSTER.coordinators());
    CreateCommand command = new CreateCommand();
    List<String> words =
        List.of(
            new TablePath(DATABASE, "cli").toString(),
            "k INT",
            "v BIGINT",
            "s STRING",
            "--primary-key",
            "k",
            "--set",
            options);
    command.run(
        command.commandLine().parse(words),
        new CommandContext(
            Terminal.ofProcess(Map.of()), Settings.of(properties), TimeSource.SYSTEM));
  }

  private static String sql(Map<String, String> options) {
    List<String> with = new ArrayList<>();
    options.forEach((key, value) -> with.add("'" + key + "' = '" + value + "'"));
    SqlClient.Answer answer =
        LakeCluster.shared()
            .sql()
            .ask(
                "CREATE TABLE refused.by_sql (k INT, v BIGINT, s STRING, PRIMARY KEY (k) NOT ENFORCED)"
                    + " WITH ("
                    + String.join(", ", with)
                    + ")");
    assertThat(answer.code()).as("%s", answer).isEqualTo("INVALID_OPTION");
    return answer.detail();
  }

  private static String rest(Map<String, String> options) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(CLUSTER.restUrl() + "/api/v1/tables"))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(json("rest", "nullable\": false", options)))
            .build();
    HttpResponse<String> answer =
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as("%s", answer.body()).isEqualTo(400);
    assertThat(answer.body()).contains("INVALID_OPTION");
    return answer.body();
  }

  private static String action(Map<String, String> options) throws Exception {
    byte[] body = json("flight", "notNull\": true", options).getBytes(StandardCharsets.UTF_8);
    try (RootAllocator allocator = new RootAllocator();
        FlightClient client =
            FlightClient.builder(
                    allocator, Location.forGrpcInsecure("127.0.0.1", CLUSTER.flightPort(1)))
                .build()) {
      client.doAction(new Action("create-table", body)).forEachRemaining(any -> {});
      throw new AssertionError("The table was made with " + options);
    } catch (FlightRuntimeException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private static String json(String table, String required, Map<String, String> options) {
    List<String> pairs = new ArrayList<>();
    options.forEach((key, value) -> pairs.add("\"" + key + "\": \"" + value + "\""));
    return """
        {"database": "refused", "table": "%s", "primaryKey": ["k"],
         "columns": [{"name": "k", "type": "INT", "%s},
                     {"name": "v", "type": "BIGINT"}, {"name": "s", "type": "STRING"}],
         "options": {%s}}
        """
        .formatted(table, required, String.join(", ", pairs));
  }
}
