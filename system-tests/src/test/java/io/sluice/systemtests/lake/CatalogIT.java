package io.sluice.systemtests.lake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.UpdateProperties;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.BadRequestException;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.ServiceFailureException;
import org.apache.iceberg.rest.RESTCatalog;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The REST catalog as strict clients see it: configuration, names, and commits that fail. */
final class CatalogIT {
  private static final Schema SCHEMA =
      new Schema(Types.NestedField.required(1, "id", Types.IntegerType.get()));

  private final LakeCluster cluster = LakeCluster.shared();
  private final HttpClient http = HttpClient.newHttpClient();
  private Lake lake;
  private RESTCatalog catalog;

  @BeforeEach
  void connect() {
    lake = cluster.lake();
    catalog = lake.catalog();
  }

  @AfterEach
  void disconnect() {
    lake.close();
  }

  @Test
  void configurationAlwaysHasBothMaps() throws Exception {
    HttpResponse<String> response = get("/v1/config");
    assertThat(response.statusCode()).isEqualTo(200);
    JsonNode config = JsonMapper.builder().build().readTree(response.body());
    assertThat(config.get("defaults").isObject()).as(response.body()).isTrue();
    assertThat(config.get("overrides").isObject()).as(response.body()).isTrue();
  }

  @Test
  void missingTablesAreErrorsInIcebergsForm() throws Exception {
    HttpResponse<String> response = get("/v1/namespaces/nowhere/tables/nothing");
    assertThat(response.statusCode()).isEqualTo(404);
    JsonNode error = JsonMapper.builder().build().readTree(response.body()).get("error");
    assertThat(error.get("code").asInt()).isEqualTo(404);
    assertThat(error.get("type").asString()).startsWith("NoSuch");
    assertThat(error.get("message").asString()).contains("nowhere");
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(URI.create(cluster.icebergUri() + path)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private HttpResponse<String> post(String path, String body)
      throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(URI.create(cluster.icebergUri() + path))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private Namespace namespace(String name) {
    Namespace namespace = Namespace.of(name);
    if (!catalog.namespaceExists(namespace)) {
      catalog.createNamespace(namespace);
    }
    return namespace;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"t", "my table", "plus+plus", "umläut", "a.b", "percent%41", "q?x=1", "a&b#c"})
  void aNameThatIsTakenWorksEverywhere(String name) {
    Namespace namespace = namespace("taken");
    TableIdentifier identifier = TableIdentifier.of(namespace, name);
    catalog.createTable(identifier, SCHEMA);
    assertThat(catalog.listTables(namespace)).contains(identifier);
    assertThat(catalog.tableExists(identifier)).isTrue();
    assertThat(catalog.loadTable(identifier).currentSnapshot()).isNull();
    assertThat(catalog.dropTable(identifier, true)).isTrue();
    assertThat(catalog.tableExists(identifier)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"x/y", "back\\slash", ".", "..", " t"})
  void aNameThatCouldNotBeAddressedIsRefusedAndLeavesNothing(String name) {
    Namespace namespace = namespace("refused");
    TableIdentifier identifier = TableIdentifier.of(namespace, name);
    assertThatThrownBy(() -> catalog.createTable(identifier, SCHEMA))
        .isInstanceOf(BadRequestException.class)
        .hasMessageContaining("Table name '" + name + "' is not allowed");
    assertThat(catalog.listTables(namespace)).isEmpty();
  }

  @Test
  void namespacesWithDotsAndLevelsAreToldApart() {
    List<Namespace> made = List.of(Namespace.of("lv"), Namespace.of("lv", "b"));
    for (int i = 0; i < made.size(); i++) {
      catalog.createNamespace(made.get(i));
      catalog.createTable(TableIdentifier.of(made.get(i), "t" + i), SCHEMA);
    }
    assertThatThrownBy(() -> catalog.createNamespace(Namespace.of("lv.b")))
        .isInstanceOf(BadRequestException.class)
        .hasMessageContaining("Namespace level 'lv.b' has a dot");
    assertThat(catalog.listNamespaces(Namespace.of("lv"))).containsExactly(Namespace.of("lv", "b"));
    for (int i = 0; i < made.size(); i++) {
      TableIdentifier identifier = TableIdentifier.of(made.get(i), "t" + i);
      assertThat(catalog.listTables(made.get(i))).containsExactly(identifier);
      catalog.dropTable(identifier, true);
    }
  }

  /** A commit on a table whose metadata cannot be read is never reported as done, or as lost. */
  @Test
  void commitOnMetadataThatCannotBeReadFails() throws Exception {
    Table table = tableWithARow("broken_read");
    Path metadata = Path.of(URI.create(table.location() + "/metadata"));
    Path aside = metadata.resolveSibling("aside");
    Files.move(metadata, aside);
    Files.createFile(metadata);
    try {
      assertCommitFails(table, Map.of("lost", "true"), ServiceFailureException.class);
    } finally {
      Files.delete(metadata);
      Files.move(aside, metadata);
    }
    assertGoesOn("broken_read");
  }

  /** Nor is one whose metadata cannot be written. */
  @Test
  void commitThatCannotBeStoredFails() throws Exception {
    Table table = tableWithARow("broken_store");
    String blocked = table.location() + "/blocked";
    Files.createFile(Path.of(URI.create(blocked)));
    assertCommitFails(
        table,
        Map.of("lost", "true", "write.metadata.path", blocked),
        CommitStateUnknownException.class);
    assertGoesOn("broken_store");
  }

  private Table tableWithARow(String database) {
    TableIdentifier identifier = TableIdentifier.of(namespace(database), "t");
    Table table = catalog.createTable(identifier, SCHEMA, PartitionSpec.unpartitioned());
    table.newFastAppend().appendFile(file(table, 1)).commit();
    return table;
  }

  /** The status says whose fault it is: a conflict, or a refusal, would be the client's. */
  private void assertCommitFails(
      Table table, Map<String, String> properties, Class<? extends RuntimeException> failure)
      throws Exception {
    UpdateProperties update = table.updateProperties();
    properties.forEach(update::set);
    assertThatThrownBy(update::commit).isInstanceOf(failure);
    Map<String, Object> request =
        Map.of(
            "requirements",
            List.of(),
            "updates",
            List.of(Map.of("action", "set-properties", "updates", properties)));
    String[] name = table.name().split("\\.");
    HttpResponse<String> response =
        post(
            "/v1/namespaces/" + name[name.length - 2] + "/tables/" + name[name.length - 1],
            JsonMapper.builder().build().writeValueAsString(request));
    assertThat(response.statusCode()).as(response.body()).isGreaterThanOrEqualTo(500);
  }

  private void assertGoesOn(String database) {
    TableIdentifier identifier = TableIdentifier.of(Namespace.of(database), "t");
    Table loaded = catalog.loadTable(identifier);
    assertThat(loaded.properties()).doesNotContainKey("lost");
    loaded.newFastAppend().appendFile(file(loaded, 2)).commit();
    assertThat(catalog.loadTable(identifier).currentSnapshot().summary())
        .containsEntry("total-records", "3");
    catalog.dropTable(identifier, true);
  }

  @Test
  void aCommitOnAnOldStateLoses() {
    Namespace namespace = Namespace.of("conflicts");
    catalog.createNamespace(namespace);
    TableIdentifier identifier = TableIdentifier.of(namespace, "t");
    Table first = catalog.createTable(identifier, SCHEMA);
    Table second = catalog.loadTable(identifier);
    first.updateSchema().addColumn("a", Types.LongType.get()).commit();
    assertThatThrownBy(() -> second.updateSchema().addColumn("b", Types.LongType.get()).commit())
        .isInstanceOf(CommitFailedException.class);
    assertThat(catalog.loadTable(identifier).schema().findField("b")).isNull();
    catalog.dropTable(identifier, true);
  }

  /** The catalog does not read data files when they are added. */
  private static DataFile file(Table table, long rows) {
    return DataFiles.builder(table.spec())
        .withPath(table.locationProvider().newDataLocation("rows-" + rows + ".parquet"))
        .withFileSizeInBytes(100)
        .withRecordCount(rows)
        .build();
  }
}
