package io.sluice.lake.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import io.sluice.lake.commit.WorkerPart;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.lake.v1.CommitOutcome;
import io.sluice.protocol.lake.v1.CommitRoundResponse;
import io.sluice.protocol.lake.v1.GetLakeSnapshotRequest;
import io.sluice.protocol.lake.v1.LakeServiceGrpc;
import io.sluice.protocol.lake.v1.LakeSnapshot;
import io.sluice.protocol.lake.v1.PrepareRoundRequest;
import io.sluice.protocol.lake.v1.PrepareRoundResponse;
import io.sluice.protocol.security.ClusterSecret;
import io.sluice.protocol.security.ClusterTokenClientInterceptor;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.exceptions.BadRequestException;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.ForbiddenException;
import org.apache.iceberg.exceptions.NamespaceNotEmptyException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileAppender;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.rest.RESTCatalog;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** The service on its ports, with a coordinator played by the test and Iceberg's own client. */
final class LakeApplicationIT {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Schema SCHEMA =
      new Schema(
          Types.NestedField.required(1, "id", Types.LongType.get()),
          Types.NestedField.optional(2, "name", Types.StringType.get()));

  @TempDir private static Path directory;
  private static FakeCoordinator coordinator;
  private static ConfigurableApplicationContext lake;
  private static ManagedChannel channel;
  private static ManagedChannel stranger;
  private static RESTCatalog catalog;

  @BeforeAll
  static void start() throws IOException {
    Path secretFile = directory.resolve("secret");
    ClusterSecret secret = ClusterSecret.readOrCreate(secretFile);
    coordinator = new FakeCoordinator(secret);
    lake =
        SpringApplication.run(
            LakeApplication.class,
            "--sluice.lake.role=lake",
            "--sluice.lake.coordinators=" + coordinator.address(),
            "--sluice.lake.warehouse=" + directory.resolve("warehouse"),
            "--sluice.lake.catalog-dir=" + directory.resolve("catalog"),
            "--sluice.lake.compare-interval=200ms",
            "--sluice.lake.measure-interval=200ms",
            "--sluice.cluster.secret-file=" + secretFile,
            "--spring.grpc.server.port=0",
            "--server.port=0");
    int port =
        Integer.parseInt(lake.getEnvironment().getRequiredProperty("local.grpc.server.port"));
    channel =
        NettyChannelBuilder.forAddress("127.0.0.1", port)
            .usePlaintext()
            .intercept(new ClusterTokenClientInterceptor(secret, TimeSource.SYSTEM))
            .build();
    stranger = NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    catalog = new RESTCatalog();
    catalog.initialize("rest", Map.of("uri", http("/iceberg"), "warehouse", "sluice"));
  }

  @AfterAll
  static void stop() throws IOException {
    catalog.close();
    channel.shutdownNow();
    stranger.shutdownNow();
    lake.close();
    coordinator.close();
  }

  private static String http(String path) {
    return "http://127.0.0.1:"
        + lake.getEnvironment().getRequiredProperty("local.server.port")
        + path;
  }

  private static HttpResponse<String> call(String method, String path, String body)
      throws IOException, InterruptedException {
    HttpRequest.BodyPublisher publisher =
        body.isEmpty()
            ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.ofString(body);
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create(http(path))).method(method, publisher).build(),
            HttpResponse.BodyHandlers.ofString());
  }

  private static CommitRoundResponse tier(long tableId, int number, Map<Integer, Integer> rows)
      throws IOException {
    LakeServiceGrpc.LakeServiceBlockingStub service = LakeServiceGrpc.newBlockingStub(channel);
    String round = tableId + "-1-" + String.format("%08x", number);
    PrepareRoundResponse prepared =
        service.prepareRound(
            PrepareRoundRequest.newBuilder()
                .setTableId(tableId)
                .setEpoch(1)
                .setRoundId(round)
                .build());
    return service.commitRound(WorkerPart.write(prepared, round, 1, rows));
  }

  @Test
  void tiersOverGrpcAndIsReadByIcebergsClient() throws Exception {
    coordinator.record().create(11, "eleven", "flights", 2);
    assertThat(tier(11, 1, Map.of(0, 5, 1, 2)).getOutcome()).isEqualTo(CommitOutcome.COMMITTED);
    CommitRoundResponse second = tier(11, 2, Map.of(0, 1));

    LakeSnapshot snapshot =
        LakeServiceGrpc.newBlockingStub(channel)
            .getLakeSnapshot(GetLakeSnapshotRequest.newBuilder().setTableId(11).build());
    assertThat(snapshot.getSnapshotId()).isEqualTo(second.getSnapshotId());
    assertThat(snapshot.getFilesCount()).isEqualTo(3);
    assertThat(coordinator.record().recorded())
        .filteredOn(round -> round.getTableId() == 11)
        .hasSize(2);

    Table table = catalog.loadTable(TableIdentifier.of("eleven", "flights"));
    assertThat(read(table)).containsExactlyInAnyOrder(0L, 1L, 2L, 3L, 4L, 5L, 0L, 1L);
    assertThat(table.schema().findField("name").fieldId()).isEqualTo(7);
    assertThat(catalog.listTables(Namespace.of("eleven")))
        .containsExactly(TableIdentifier.of("eleven", "flights"));
  }

  @Test
  void anEmptyLakeTableReadsAsNoRows() throws IOException {
    coordinator.record().create(12, "air", "empty", 2);
    LakeServiceGrpc.newBlockingStub(channel)
        .prepareRound(
            PrepareRoundRequest.newBuilder()
                .setTableId(12)
                .setEpoch(1)
                .setRoundId("12-1-00000001")
                .build());
    assertThat(read(catalog.loadTable(TableIdentifier.of("air", "empty")))).isEmpty();
    assertThat(
            LakeServiceGrpc.newBlockingStub(channel)
                .getLakeSnapshot(GetLakeSnapshotRequest.newBuilder().setTableId(12).build())
                .getSnapshotId())
        .isEqualTo(-1);
  }

  @Test
  void aLostWarehouseIsAFailureOfTheStoreAndPasses() throws IOException {
    coordinator.record().create(18, "air", "mounted", 1);
    tier(18, 1, Map.of(0, 5));
    Path warehouse = directory.resolve("warehouse");
    Path away = directory.resolve("away");
    Files.move(warehouse, away);
    try {
      assertThatThrownBy(() -> tier(18, 2, Map.of(0, 1)))
          .isInstanceOfSatisfying(
              StatusRuntimeException.class,
              e -> {
                SluiceException cause = StatusMapping.fromStatus(e);
                assertThat(cause.code()).isEqualTo(ErrorCode.STORAGE_ERROR);
                assertThat(cause.getMessage()).contains("is its disk mounted");
              });
    } finally {
      Files.move(away, warehouse);
    }
    assertThat(tier(18, 3, Map.of(0, 1)).getOutcome()).isEqualTo(CommitOutcome.COMMITTED);
  }

  @Test
  void internalCallsNeedTheClusterToken() {
    assertThatThrownBy(
            () ->
                LakeServiceGrpc.newBlockingStub(stranger)
                    .getLakeSnapshot(GetLakeSnapshotRequest.newBuilder().setTableId(11).build()))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNAUTHENTICATED));
  }

  @Test
  void aManagedTableTakesTagsAndNothingElse() throws IOException {
    coordinator.record().create(13, "air", "managed", 1);
    tier(13, 1, Map.of(0, 5));
    TableIdentifier name = TableIdentifier.of("air", "managed");
    Table table = catalog.loadTable(name);
    long snapshot = table.currentSnapshot().snapshotId();
    table.manageSnapshots().createTag("kept", snapshot).commit();
    assertThat(catalog.loadTable(name).refs()).containsKey("kept");
    catalog.loadTable(name).manageSnapshots().removeTag("kept").commit();

    assertForbidden(() -> table.updateProperties().set("a", "b").commit(), "ALTER TABLE");
    assertForbidden(
        () -> table.updateSchema().addColumn("x", Types.LongType.get()).commit(), "ALTER TABLE");
    assertForbidden(
        () ->
            table
                .newDelete()
                .deleteFromRowFilter(org.apache.iceberg.expressions.Expressions.alwaysTrue())
                .commit(),
        "INSERT INTO");
    assertForbidden(() -> table.manageSnapshots().createBranch("b", snapshot).commit(), "managed");
    assertForbidden(() -> catalog.dropTable(name, true), "DROP TABLE air.managed PURGE");
    assertForbidden(() -> catalog.renameTable(name, TableIdentifier.of("air", "other")), "rename");
    String metadata = ((BaseTable) table).operations().current().metadataFileLocation();
    assertForbidden(
        () -> catalog.registerTable(TableIdentifier.of("air", "twin"), metadata), "managed");
    assertThat(read(catalog.loadTable(name))).hasSize(5);
  }

  @Test
  void theNameOfATableToComeIsReserved() {
    coordinator.record().create(14, "air", "coming", 1);
    if (!catalog.namespaceExists(Namespace.of("air"))) {
      catalog.createNamespace(Namespace.of("air"));
    }
    assertForbidden(
        () -> catalog.createTable(TableIdentifier.of("air", "coming"), SCHEMA), "belongs to");
  }

  @Test
  void aTableThatWasDroppedInSluiceIsFree() throws IOException {
    coordinator.record().create(15, "air", "left", 1);
    tier(15, 1, Map.of(0, 5));
    coordinator.record().drop(15);
    TableIdentifier name = TableIdentifier.of("air", "left");
    Table table = catalog.loadTable(name);
    table.updateProperties().set("a", "b").commit();
    assertForbidden(
        () -> table.updateProperties().set("sluice.table-id", "11").commit(), "Sluice's own");
    assertThat(read(catalog.loadTable(name))).hasSize(5);
    assertThat(catalog.dropTable(name, true)).isTrue();
    assertThat(directory.resolve("warehouse/air/left-15")).doesNotExist();
  }

  @Test
  void withoutACoordinatorTablesOfSluiceAreReadAndNotChanged() throws IOException {
    coordinator.record().create(16, "air", "alone", 1);
    tier(16, 1, Map.of(0, 5));
    Table table = catalog.loadTable(TableIdentifier.of("air", "alone"));
    coordinator.record().away(true);
    try {
      assertThat(read(catalog.loadTable(TableIdentifier.of("air", "alone")))).hasSize(5);
      assertThatThrownBy(() -> table.updateProperties().set("a", "b").commit())
          .hasMessageContaining("503")
          .hasMessageContaining("no coordinator says");
    } finally {
      coordinator.record().away(false);
    }
  }

  @Test
  void anUnmanagedTableIsWrittenByOthers() throws IOException {
    Namespace namespace = Namespace.of("mine", "deep");
    catalog.createNamespace(Namespace.of("mine"));
    catalog.createNamespace(namespace, new HashMap<>(Map.of("owner", "me")));
    assertThat(catalog.loadNamespaceMetadata(namespace)).containsEntry("owner", "me");
    catalog.setProperties(namespace, new HashMap<>(Map.of("owner", "you")));
    TableIdentifier name = TableIdentifier.of(namespace, "my täble +1");
    Table table = catalog.createTable(name, SCHEMA);
    table.newAppend().appendFile(file(table, 0, 10)).commit();
    table.newAppend().appendFile(file(table, 10, 12)).commit();
    assertThat(read(catalog.loadTable(name))).hasSize(12);

    // A second writer that did not see the first: Iceberg's client retries on 409.
    Table stale = catalog.loadTable(name);
    table.newAppend().appendFile(file(table, 12, 13)).commit();
    stale.newAppend().appendFile(file(stale, 13, 15)).commit();
    assertThat(read(catalog.loadTable(name))).hasSize(15);

    Table created =
        catalog
            .buildTable(TableIdentifier.of(namespace, "staged"), SCHEMA)
            .createTransaction()
            .table();
    assertThat(created.location()).startsWith("file://" + directory);
    assertThatThrownBy(() -> catalog.dropNamespace(namespace))
        .isInstanceOf(NamespaceNotEmptyException.class);
    TableIdentifier renamed = TableIdentifier.of(namespace, "renamed");
    catalog.renameTable(name, renamed);
    assertThat(catalog.tableExists(name)).isFalse();
    assertThat(read(catalog.loadTable(renamed))).hasSize(15);
    assertThat(catalog.dropTable(renamed, true)).isTrue();
    assertThatThrownBy(() -> catalog.loadTable(renamed)).isInstanceOf(NoSuchTableException.class);
    assertThat(catalog.dropNamespace(namespace)).isTrue();
  }

  @Test
  void aStaleRequirementIsAConflict() throws Exception {
    catalog.createNamespace(Namespace.of("conflict"));
    TableIdentifier name = TableIdentifier.of("conflict", "t");
    Table first = catalog.createTable(name, SCHEMA);
    Table second = catalog.loadTable(name);
    first.updateSchema().addColumn("x", Types.LongType.get()).commit();
    assertThatThrownBy(() -> second.updateSchema().addColumn("y", Types.LongType.get()).commit())
        .isInstanceOf(CommitFailedException.class);
  }

  @Test
  void answersErrorsInIcebergsForm() throws Exception {
    HttpResponse<String> missing = call("GET", "/iceberg/v1/namespaces/none/tables/t", "");
    assertThat(missing.statusCode()).isEqualTo(404);
    assertThat(missing.body())
        .contains("\"error\":{", "\"type\":\"NoSuchTableException\"", "\"code\":404");
    assertThat(call("GET", "/iceberg/v1/nothing", "").body()).contains("\"code\":404");
    assertThat(call("PUT", "/iceberg/v1/namespaces", "").statusCode()).isEqualTo(404);
    assertThat(call("POST", "/iceberg/v1/namespaces", "{").statusCode()).isEqualTo(400);
    assertThat(call("POST", "/iceberg/v1/namespaces", "{\"namespace\":[\"a.b\"]}").body())
        .contains("\"code\":400", "has a dot");
    assertThat(call("GET", "/iceberg/v1/namespaces?pageSize=x", "").statusCode()).isEqualTo(400);
    assertThat(call("HEAD", "/iceberg/v1/namespaces/none", "").statusCode()).isEqualTo(404);
    assertThat(
            call(
                    "POST",
                    "/iceberg/v1/namespaces/none/tables/t/metrics",
                    "{\"report-type\":\"scan-report\",\"table-name\":\"t\",\"snapshot-id\":1,"
                        + "\"filter\":true,\"schema-id\":0,\"projected-field-ids\":[],"
                        + "\"projected-field-names\":[],\"metrics\":{}}")
                .statusCode())
        .isEqualTo(204);
  }

  @Test
  void theConfigNamesItsEndpointsAndKnowsOneWarehouse() throws Exception {
    HttpResponse<String> config = call("GET", "/iceberg/v1/config", "");
    assertThat(config.statusCode()).isEqualTo(200);
    assertThat(config.body())
        .contains("\"defaults\":{}", "\"overrides\":{}", "POST /v1/{prefix}/tables/rename");
    assertThat(call("GET", "/iceberg/v1/config?warehouse=sluice", "").statusCode()).isEqualTo(200);
    HttpResponse<String> wrong = call("GET", "/iceberg/v1/config?warehouse=other", "");
    assertThat(wrong.statusCode()).isEqualTo(400);
    assertThat(wrong.body()).contains("\"code\":400", "'other' does not exist");
  }

  @Test
  void listsInPages() throws Exception {
    catalog.createNamespace(Namespace.of("pages"));
    for (int i = 0; i < 5; i++) {
      catalog.createTable(TableIdentifier.of("pages", "t" + i), SCHEMA);
    }
    HttpResponse<String> page =
        call("GET", "/iceberg/v1/namespaces/pages/tables?pageSize=2&pageToken=", "");
    assertThat(page.body()).contains("\"next-page-token\":\"2\"").contains("t0", "t1");
    try (RESTCatalog paged = new RESTCatalog()) {
      paged.initialize("paged", Map.of("uri", http("/iceberg"), "rest-page-size", "2"));
      assertThat(paged.listTables(Namespace.of("pages"))).hasSize(5);
    }
  }

  @Test
  void refusesLocationsOutsideOfTheWarehouse() {
    catalog.createNamespace(Namespace.of("outside"));
    assertThatThrownBy(
            () ->
                catalog
                    .buildTable(TableIdentifier.of("outside", "t"), SCHEMA)
                    .withLocation("file:///etc/lake")
                    .create())
        .isInstanceOf(BadRequestException.class)
        .hasMessageContaining("outside of the warehouse");
    assertThatThrownBy(
            () ->
                catalog
                    .buildTable(TableIdentifier.of("outside", "t"), SCHEMA)
                    .withLocation("file://" + directory + "/warehouse/air/flights-15/mine")
                    .create())
        .isInstanceOf(BadRequestException.class)
        .hasMessageContaining("directory of Sluice's table id 15");
  }

  @Test
  void isReadyAndMeasured() throws IOException {
    coordinator.record().create(17, "air", "measured", 1);
    tier(17, 1, Map.of(0, 5));
    Await.until(
        "ready",
        SOON,
        () -> call("GET", "/actuator/health/readiness", "").body().contains("\"catalog\":\"ok\""));
  }

  private interface Change {
    void run();
  }

  private static void assertForbidden(Change change, String words) {
    assertThatThrownBy(change::run)
        .isInstanceOf(ForbiddenException.class)
        .hasMessageContaining(words);
  }

  private static List<Long> read(Table table) throws IOException {
    List<Long> ids = new ArrayList<>();
    try (CloseableIterable<Record> records = IcebergGenerics.read(table).build()) {
      for (Record row : records) {
        ids.add((Long) row.getField("id"));
      }
    }
    return ids;
  }

  private static DataFile file(Table table, long from, long to) throws IOException {
    String location = table.locationProvider().newDataLocation(from + ".parquet");
    FileAppender<Record> appender =
        Parquet.write(table.io().newOutputFile(location))
            .schema(SCHEMA)
            .createWriterFunc(type -> GenericParquetWriter.create(SCHEMA, type))
            .build();
    try (appender) {
      for (long id = from; id < to; id++) {
        GenericRecord row = GenericRecord.create(SCHEMA);
        row.setField("id", id);
        appender.add(row);
      }
    }
    return DataFiles.builder(PartitionSpec.unpartitioned())
        .withPath(location)
        .withFormat("parquet")
        .withFileSizeInBytes(appender.length())
        .withMetrics(appender.metrics())
        .build();
  }
}
