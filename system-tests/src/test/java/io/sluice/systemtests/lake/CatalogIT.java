package io.sluice.systemtests.lake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.RESTException;
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

  /** A name works everywhere, or it is refused at once and leaves nothing. */
  @ParameterizedTest
  @ValueSource(
      strings = {"t", "my table", "x/y", "plus+plus", "umläut", "a.b", "percent%41", "..", "q?x=1"})
  void everyNameWorksOrIsRefused(String name) {
    Namespace namespace = Namespace.of("names");
    if (!catalog.namespaceExists(namespace)) {
      catalog.createNamespace(namespace);
    }
    TableIdentifier identifier = TableIdentifier.of(namespace, name);
    Throwable refusal = catchThrowable(() -> catalog.createTable(identifier, SCHEMA));
    if (refusal != null) {
      assertThat(refusal.getMessage()).as("%s", refusal).contains("name");
      assertThat(catalog.listTables(namespace)).doesNotContain(identifier);
      return;
    }
    assertThat(catalog.listTables(namespace)).contains(identifier);
    assertThat(catalog.tableExists(identifier)).isTrue();
    assertThat(catalog.loadTable(identifier).currentSnapshot()).isNull();
    assertThat(catalog.dropTable(identifier, true)).isTrue();
    assertThat(catalog.tableExists(identifier)).isFalse();
  }

  @Test
  void namespacesWithDotsAndLevelsAreToldApart() {
    List<Namespace> made = new java.util.ArrayList<>();
    for (Namespace namespace :
        List.of(Namespace.of("lv"), Namespace.of("lv", "b"), Namespace.of("lv.b"))) {
      Throwable refusal = catchThrowable(() -> catalog.createNamespace(namespace));
      if (refusal == null) {
        made.add(namespace);
        catalog.createTable(TableIdentifier.of(namespace, "t" + made.size()), SCHEMA);
      } else {
        assertThat(refusal.getMessage()).isNotBlank();
      }
    }
    assertThat(made).contains(Namespace.of("lv"));
    for (int i = 0; i < made.size(); i++) {
      TableIdentifier identifier = TableIdentifier.of(made.get(i), "t" + (i + 1));
      assertThat(catalog.listTables(made.get(i))).containsExactly(identifier);
      catalog.dropTable(identifier, true);
    }
  }

  /** A commit that could not be stored is never reported as done. */
  @Test
  void commitThatCannotBeStoredFails() throws IOException {
    Namespace namespace = Namespace.of("broken_store");
    catalog.createNamespace(namespace);
    TableIdentifier identifier = TableIdentifier.of(namespace, "t");
    Table table = catalog.createTable(identifier, SCHEMA, PartitionSpec.unpartitioned());
    table.newFastAppend().appendFile(file(table, 1)).commit();
    Path metadata = Path.of(URI.create(table.location() + "/metadata"));
    Path aside = metadata.resolveSibling("aside");
    Files.move(metadata, aside);
    Files.createFile(metadata);
    try {
      Throwable failure =
          catchThrowable(() -> table.updateProperties().set("lost", "true").commit());
      assertThat(failure)
          .isInstanceOfAny(
              RESTException.class, CommitFailedException.class, RuntimeException.class);
    } finally {
      Files.delete(metadata);
      Files.move(aside, metadata);
    }
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
    assertThat(
            catchThrowable(
                () -> second.updateSchema().addColumn("b", Types.LongType.get()).commit()))
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
