package io.sluice.coordinator.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.grpc.StatusRuntimeException;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.SchemaChange;
import io.sluice.protocol.cluster.v1.AlterIsrRequest;
import io.sluice.protocol.cluster.v1.BucketId;
import io.sluice.protocol.cluster.v1.ClusterServiceGrpc;
import io.sluice.protocol.cluster.v1.ClusterServiceGrpc.ClusterServiceBlockingStub;
import io.sluice.protocol.cluster.v1.GrantIdsRequest;
import io.sluice.protocol.cluster.v1.GrantIdsResponse;
import io.sluice.protocol.cluster.v1.IsrChange;
import io.sluice.protocol.cluster.v1.IsrDecision;
import io.sluice.protocol.cluster.v1.IsrMember;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.metadata.SchemaChanges;
import io.sluice.protocol.metadata.v1.AlterTableRequest;
import io.sluice.protocol.metadata.v1.ColumnDef;
import io.sluice.protocol.metadata.v1.CreateDatabaseRequest;
import io.sluice.protocol.metadata.v1.CreatePartitionRequest;
import io.sluice.protocol.metadata.v1.CreateTableRequest;
import io.sluice.protocol.metadata.v1.DropDatabaseRequest;
import io.sluice.protocol.metadata.v1.DropPartitionRequest;
import io.sluice.protocol.metadata.v1.DropTableRequest;
import io.sluice.protocol.metadata.v1.GetTableRequest;
import io.sluice.protocol.metadata.v1.InitWriterRequest;
import io.sluice.protocol.metadata.v1.ListDatabasesRequest;
import io.sluice.protocol.metadata.v1.ListServersRequest;
import io.sluice.protocol.metadata.v1.ListTablesRequest;
import io.sluice.protocol.metadata.v1.MetadataServiceGrpc;
import io.sluice.protocol.metadata.v1.MetadataServiceGrpc.MetadataServiceBlockingStub;
import io.sluice.protocol.metadata.v1.PartitionInfo;
import io.sluice.protocol.metadata.v1.ServerInfo;
import io.sluice.protocol.metadata.v1.TableInfo;
import io.sluice.testkit.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The gRPC services of a real coordinator. */
class CoordinatorIT {
  private static final Duration SOON = Duration.ofSeconds(20);

  @TempDir static Path home;
  private static CoordinatorUnderTest coordinator;
  private static MetadataServiceBlockingStub metadata;
  private static TabletUnderTest tablet;

  @BeforeAll
  static void start() {
    coordinator = CoordinatorUnderTest.start(home);
    metadata = MetadataServiceGrpc.newBlockingStub(coordinator.channel());
    tablet = new TabletUnderTest(coordinator.internalChannel()).register(1, "first");
    Await.until("the tablet has its image", SOON, () -> !tablet.received().isEmpty());
    metadata.createDatabase(CreateDatabaseRequest.newBuilder().setName("demo").build());
  }

  @AfterAll
  static void stop() {
    coordinator.close();
  }

  @Test
  void aTableIsCreatedDescribedListedAndDropped() {
    TableInfo created = create("flights", Map.of("bucket.num", "3", "bucket.key", "id"));
    assertThat(created.getBucketsList()).hasSize(3);
    assertThat(created.getBuckets(0).getLeader().getFlightPort()).isEqualTo(9223);
    assertThat(created.getBuckets(2).getLeaderEpoch()).isPositive();
    assertThat(created.getSchema().getColumns(1).getId()).isEqualTo(2);
    assertThat(get("flights")).isEqualTo(created);
    assertThat(
            metadata.getTable(
                GetTableRequest.newBuilder().setTableId(created.getTableId()).build()))
        .isEqualTo(created);
    Await.until(
        "the tablet hears of it",
        SOON,
        () ->
            tablet.received().stream()
                .anyMatch(
                    message ->
                        message.getDelta().getTablesList().stream()
                            .anyMatch(table -> table.getTableId() == created.getTableId())));
    assertThat(
            metadata
                .listTables(ListTablesRequest.newBuilder().setDatabase("demo").build())
                .getTablesList())
        .contains(created);
    assertThat(
            metadata
                .dropTable(
                    DropTableRequest.newBuilder().setDatabase("demo").setTable("flights").build())
                .getDropped())
        .isTrue();
    Await.until(
        "the tablet hears that it is gone",
        SOON,
        () ->
            tablet.received().stream()
                .anyMatch(
                    message ->
                        message.getDelta().getDroppedTablesList().contains(created.getTableId())));
    assertCode(
        ErrorCode.TABLE_NOT_FOUND, "Table demo.flights does not exist", () -> get("flights"));
  }

  @Test
  void anAlteredTableIsSentToItsTablet() {
    TableInfo created = create("altered", Map.of());
    TableInfo altered =
        metadata.alterTable(
            AlterTableRequest.newBuilder()
                .setDatabase("demo")
                .setTable("altered")
                .setTableId(created.getTableId())
                .addChanges(
                    SchemaChanges.toProto(
                        new SchemaChange.Add(
                            List.of(),
                            "age",
                            new DataType.IntegerType(32),
                            false,
                            "",
                            "18",
                            new SchemaChange.Position.After("id"))))
                .build());
    assertThat(altered.getSchema().getSchemaId()).isEqualTo(2);
    assertThat(altered.getSchema().getColumns(1).getId()).isEqualTo(3);
    assertThat(altered.getSchema().getColumns(1).getInitialDefault()).isEqualTo("18");
    assertThat(get("altered")).isEqualTo(altered);
    Await.until(
        "the tablet hears of it",
        SOON,
        () ->
            tablet.received().stream()
                .flatMap(message -> message.getDelta().getTablesList().stream())
                .anyMatch(
                    table ->
                        table.getTableId() == created.getTableId()
                            && table.getSchemasCount() == 2));
    assertCode(
        ErrorCode.INVALID_ALTER,
        "Table demo.altered cannot be altered: ",
        () ->
            metadata.alterTable(
                AlterTableRequest.newBuilder().setDatabase("demo").setTable("altered").build()));
  }

  @Test
  void partitionsAreSentToTheirTabletAndTakenAway() {
    TableInfo table =
        metadata.createTable(
            request("parts", Map.of("bucket.num", "2")).toBuilder()
                .addPartitionKeys("name")
                .build());
    assertThat(table.getBucketsList()).isEmpty();
    assertThat(table.getBucketCount()).isEqualTo(2);
    PartitionInfo partition =
        metadata.createPartition(
            CreatePartitionRequest.newBuilder()
                .setDatabase("demo")
                .setTable("parts")
                .addValues("x")
                .build());
    TableInfo filled = get("parts");
    assertThat(filled.getPartitionsList()).containsExactly(partition);
    assertThat(filled.getPartitionKeysList()).containsExactly("name");
    assertThat(filled.getBucketsList())
        .hasSize(2)
        .allMatch(bucket -> bucket.getPartitionId() == partition.getPartitionId());
    DropPartitionRequest drop =
        DropPartitionRequest.newBuilder()
            .setDatabase("demo")
            .setTable("parts")
            .addValues("x")
            .setIgnoreIfMissing(true)
            .build();
    assertThat(metadata.dropPartition(drop).getDropped()).isTrue();
    assertThat(metadata.dropPartition(drop).getDropped()).isFalse();
    Await.until(
        "the tablet hears that its replicas are gone",
        SOON,
        () ->
            tablet.received().stream()
                    .flatMap(message -> message.getDelta().getRemovedReplicasList().stream())
                    .filter(bucket -> bucket.getPartitionId() == partition.getPartitionId())
                    .count()
                == 2);
    assertThat(get("parts").getBucketsList()).isEmpty();
  }

  @Test
  void badDefinitionsAreClearErrorsAndTheServerGoesOn() {
    assertCode(
        ErrorCode.INVALID_OPTION,
        "bucket.num is 0; it must be between 1 and 4096",
        () -> create("bad", Map.of("bucket.num", "0")));
    assertCode(
        ErrorCode.INVALID_OPTION,
        "bucket.num is 5000; it must be between 1 and 4096",
        () -> create("bad", Map.of("bucket.num", "5000")));
    assertCode(
        ErrorCode.INVALID_OPTION,
        "Option table.replication.factr is unknown; did you mean table.replication.factor?",
        () -> create("bad", Map.of("table.replication.factr", "1")));
    assertCode(
        ErrorCode.UNSUPPORTED,
        "Option table.kv.format-version is known but not in this build; leave it out",
        () -> create("bad", Map.of("table.kv.format-version", "1")));
    assertCode(
        ErrorCode.INVALID_OPTION,
        "Table demo.bad: Option table.kv.ttl is only for tables with a primary key",
        () -> create("bad", Map.of("table.kv.ttl", "7d")));
    assertCode(
        ErrorCode.INVALID_NAME,
        "Table name '' must have 1 to 200 characters out of letters, digits, '_' and '-'",
        () -> create("", Map.of()));
    assertCode(
        ErrorCode.INVALID_SCHEMA,
        "Column 'id' is defined twice",
        () ->
            metadata.createTable(
                CreateTableRequest.newBuilder()
                    .setDatabase("demo")
                    .setTable("bad")
                    .addColumns(column("id", "INT"))
                    .addColumns(column("id", "INT"))
                    .build()));
    assertCode(
        ErrorCode.INVALID_SCHEMA,
        "Column 'id':",
        () ->
            metadata.createTable(
                CreateTableRequest.newBuilder()
                    .setDatabase("demo")
                    .setTable("bad")
                    .addColumns(column("id", "INTTT"))
                    .build()));
    assertThat(create("good", Map.of()).getBucketCount()).isEqualTo(1);
  }

  @Test
  void existingThingsAreErrorsUnlessTheyWillDo() {
    TableInfo table = create("twice", Map.of());
    assertCode(ErrorCode.TABLE_EXISTS, "Table demo.twice exists", () -> create("twice", Map.of()));
    assertThat(
            metadata.createTable(
                request("twice", Map.of()).toBuilder().setIgnoreIfExists(true).build()))
        .isEqualTo(table);
    assertCode(
        ErrorCode.DATABASE_EXISTS,
        "Database demo exists",
        () -> metadata.createDatabase(CreateDatabaseRequest.newBuilder().setName("demo").build()));
    assertThat(
            metadata
                .createDatabase(
                    CreateDatabaseRequest.newBuilder()
                        .setName("demo")
                        .setIgnoreIfExists(true)
                        .build())
                .getName())
        .isEqualTo("demo");
    assertCode(
        ErrorCode.DATABASE_NOT_EMPTY,
        "Database demo holds",
        () -> metadata.dropDatabase(DropDatabaseRequest.newBuilder().setName("demo").build()));
    assertThat(
            metadata
                .dropDatabase(
                    DropDatabaseRequest.newBuilder()
                        .setName("none")
                        .setIgnoreIfMissing(true)
                        .build())
                .getDropped())
        .isFalse();
    assertThat(metadata.listDatabases(ListDatabasesRequest.getDefaultInstance()).getDatabasesList())
        .anyMatch(database -> database.getName().equals("demo") && database.getTableCount() > 0);
  }

  @Test
  void namedWritersGetTheNextEpochAndTabletsHearOfIt() {
    InitWriterRequest named = InitWriterRequest.newBuilder().setName("loader").build();
    var first = metadata.initWriter(named);
    var second = metadata.initWriter(named);
    assertThat(second.getWriterId()).isEqualTo(first.getWriterId());
    assertThat(second.getWriterEpoch()).isEqualTo(first.getWriterEpoch() + 1);
    assertThat(metadata.initWriter(InitWriterRequest.getDefaultInstance()).getWriterId())
        .isNotEqualTo(first.getWriterId());
    Await.until(
        "the tablet hears of the epoch",
        SOON,
        () ->
            tablet.received().stream()
                .flatMap(message -> message.getDelta().getWritersList().stream())
                .anyMatch(
                    writer ->
                        writer.getWriterId() == second.getWriterId()
                            && writer.getWriterEpoch() == second.getWriterEpoch()));
  }

  @Test
  void aSessionIsReplacedByANewerIncarnationAndEndsWithItsTablet() {
    TabletUnderTest old = new TabletUnderTest(coordinator.internalChannel()).register(7, "old");
    Await.until("the old one is registered", SOON, () -> !old.received().isEmpty());
    TabletUnderTest young = new TabletUnderTest(coordinator.internalChannel()).register(7, "young");
    Await.until("the old one is told", SOON, () -> old.failure() != null);
    assertThat(old.failure()).hasMessageContaining("replaced by a newer registration");
    assertThat(server(7).getIncarnation()).isEqualTo("young");
    young.heartbeat();
    young.close();
    Await.until("the stream ends in order", SOON, young::completed);
    Await.until("its session ends", SOON, () -> !server(7).getAlive());
  }

  @Test
  void theClusterServiceAsksForTheToken() {
    TabletUnderTest stranger = new TabletUnderTest(coordinator.channel());
    Await.until("the stream is refused", SOON, () -> stranger.failure() != null);
    assertThat(stranger.failure().code()).isEqualTo(ErrorCode.UNAUTHENTICATED);
  }

  @Test
  void theLeaderOfABucketIsGrantedIdsOverTheClusterServiceAlone() {
    TableInfo table =
        metadata.createTable(
            request("users", Map.of("auto-increment.fields", "id")).toBuilder()
                .setColumns(1, column("name", "STRING").toBuilder().setNotNull(true))
                .addPrimaryKey("name")
                .build());
    GrantIdsRequest leader =
        GrantIdsRequest.newBuilder()
            .setBucket(BucketId.newBuilder().setTableId(table.getTableId()))
            .setServerId(table.getBuckets(0).getLeaderServerId())
            .setLeaderEpoch(table.getBuckets(0).getLeaderEpoch())
            .setCount(128)
            .build();
    ClusterServiceBlockingStub cluster =
        ClusterServiceGrpc.newBlockingStub(coordinator.internalChannel());
    assertThat(cluster.grantIds(leader))
        .isEqualTo(GrantIdsResponse.newBuilder().setFirst(1).setCount(128).build());
    assertThat(cluster.grantIds(leader).getFirst()).isEqualTo(129);
    assertCode(
        ErrorCode.NOT_LEADER,
        "does not lead bucket",
        () -> cluster.grantIds(leader.toBuilder().setLeaderEpoch(99).build()));
    assertCode(
        ErrorCode.INVALID_ARGUMENT,
        "has a negative part",
        () ->
            cluster.grantIds(
                leader.toBuilder()
                    .setBucket(leader.getBucket().toBuilder().setBucket(-1))
                    .build()));
    assertCode(
        ErrorCode.UNAUTHENTICATED,
        "",
        () -> ClusterServiceGrpc.newBlockingStub(coordinator.channel()).grantIds(leader));
  }

  @Test
  void inSyncSetsAreDecidedForTheLeaderThatAsks() {
    TableInfo table = create("in_sync", Map.of());
    AlterIsrRequest request =
        AlterIsrRequest.newBuilder()
            .setServerId(table.getBuckets(0).getLeaderServerId())
            .addChanges(
                IsrChange.newBuilder()
                    .setBucket(BucketId.newBuilder().setTableId(table.getTableId()))
                    .setLeaderEpoch(table.getBuckets(0).getLeaderEpoch())
                    .addIsr(IsrMember.newBuilder().setServerId(1)))
            .build();
    ClusterServiceBlockingStub cluster =
        ClusterServiceGrpc.newBlockingStub(coordinator.internalChannel());
    IsrDecision decision = cluster.alterIsr(request).getDecisions(0);
    assertThat(decision.getCode()).isEmpty();
    assertThat(decision.getState().getIsrVersion()).isEqualTo(1);
    assertThat(decision.getState().getMinInsync()).isEqualTo(1);
    assertThat(cluster.alterIsr(request).getDecisions(0).getCode()).isEqualTo("STALE_ISR");
    assertCode(
        ErrorCode.UNAUTHENTICATED,
        "",
        () -> ClusterServiceGrpc.newBlockingStub(coordinator.channel()).alterIsr(request));
  }

  private static ServerInfo server(int id) {
    return metadata.listServers(ListServersRequest.getDefaultInstance()).getServersList().stream()
        .filter(server -> server.getServerId() == id)
        .findFirst()
        .orElseThrow();
  }

  private static TableInfo create(String name, Map<String, String> options) {
    return metadata.createTable(request(name, options));
  }

  private static CreateTableRequest request(String name, Map<String, String> options) {
    return CreateTableRequest.newBuilder()
        .setDatabase("demo")
        .setTable(name)
        .addColumns(column("id", "BIGINT").toBuilder().setNotNull(true))
        .addColumns(column("name", "STRING"))
        .putAllOptions(options)
        .build();
  }

  private static ColumnDef column(String name, String type) {
    return ColumnDef.newBuilder().setName(name).setType(type).build();
  }

  private static TableInfo get(String name) {
    return metadata.getTable(
        GetTableRequest.newBuilder().setDatabase("demo").setTable(name).build());
  }

  private static void assertCode(ErrorCode code, String message, Callable<?> call) {
    Throwable thrown = catchThrowable(call::call);
    assertThat(thrown).isInstanceOf(StatusRuntimeException.class);
    SluiceException failure = StatusMapping.fromStatus(thrown);
    assertThat(failure).hasMessageContaining(message);
    assertThat(failure.code()).isEqualTo(code);
  }
}
