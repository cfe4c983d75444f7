package io.sluice.coordinator.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.tiering.v1.Assignment;
import io.sluice.protocol.tiering.v1.BucketOffset;
import io.sluice.protocol.tiering.v1.GetLakeStateRequest;
import io.sluice.protocol.tiering.v1.LakeState;
import io.sluice.protocol.tiering.v1.ListLakeStatesRequest;
import io.sluice.protocol.tiering.v1.RoundCommittedRequest;
import io.sluice.protocol.tiering.v1.RoundFinished;
import io.sluice.protocol.tiering.v1.SetHoldRequest;
import io.sluice.protocol.tiering.v1.TableProgress;
import io.sluice.protocol.tiering.v1.TieringServiceGrpc;
import io.sluice.protocol.tiering.v1.TieringServiceGrpc.TieringServiceBlockingStub;
import io.sluice.protocol.tiering.v1.WorkerOrder;
import io.sluice.protocol.tiering.v1.WorkerReport;
import io.sluice.testkit.Await;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The tiering queue of a real coordinator, with a worker and a committer played by the test. */
class TieringIT {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final String TABLES = "/api/v1/tiering/tables";
  private static final AtomicInteger DATABASES = new AtomicInteger();

  @TempDir static Path home;
  private static CoordinatorUnderTest coordinator;
  private static TieringServiceBlockingStub committer;

  /** Every test has a database and a worker of its own. */
  private final String database = "db" + DATABASES.incrementAndGet();

  private final String worker = "worker-" + database;

  private final List<WorkerUnderTest> streams = new ArrayList<>();

  @BeforeAll
  static void start() {
    open();
  }

  @BeforeEach
  void createDatabase() throws Exception {
    TabletUnderTest tablet =
        new TabletUnderTest(coordinator.internalChannel()).register(1, database);
    Await.until("the tablet has its image", SOON, () -> !tablet.received().isEmpty());
    post("/api/v1/databases", "{'name':'" + database + "'}");
  }

  private static void open() {
    coordinator = CoordinatorUnderTest.start(home);
    committer = TieringServiceGrpc.newBlockingStub(coordinator.internalChannel());
  }

  /**
   * The other tests share the coordinator: nothing may wait for a slot of a worker that is gone.
   */
  @AfterEach
  void dropDatabase() throws Exception {
    streams.forEach(WorkerUnderTest::close);
    coordinator.delete("/api/v1/databases/" + database + "?cascade=true");
  }

  @AfterAll
  static void stop() {
    coordinator.close();
  }

  @Test
  void aRoundRunsFromItsAssignmentToTheRecordAndSurvivesARestart() throws Exception {
    long table = create("t", "1s");
    WorkerUnderTest stream = connect();
    stream.report(report(worker).build());
    Assignment assigned = awaitAssignment(stream);
    assertThat(assigned.getDatabase()).isEqualTo(database);
    assertThat(assigned.getTable()).isEqualTo("t");
    assertThat(assigned.getFreshnessMs()).isEqualTo(1000);
    stream.report(
        report(worker)
            .addTables(
                TableProgress.newBuilder()
                    .setTableId(table)
                    .setEpoch(assigned.getEpoch())
                    .setRoundId("r1")
                    .setPhase("reading")
                    .setRows(3))
            .build());
    Await.until("the phase is shown", SOON, () -> "reading".equals(item("t", "phase")));
    assertThat(item("t", "worker")).isEqualTo(worker);

    RoundCommittedRequest round = round(table, assigned.getEpoch(), "r1", 0, 10);
    assertThat(committer.roundCommitted(round).getRecorded()).isTrue();
    assertThat(committer.roundCommitted(round).getRecorded()).as("idempotent").isFalse();
    LakeState state = state(table);
    assertThat(state.getSnapshotId()).isEqualTo(77);
    assertThat(state.getRoundId()).isEqualTo("r1");
    assertThat(state.getOffsets(0).getOffset()).isEqualTo(10);
    assertThat(state.getState()).isIn("TIERED", "SCHEDULED");
    post(TABLES + "/" + database + "/t/pause", "");
    stream.report(
        report(worker)
            .addFinished(
                RoundFinished.newBuilder()
                    .setTableId(table)
                    .setEpoch(assigned.getEpoch())
                    .setRoundId("r1")
                    .setSnapshotId(77)
                    .setDurationMs(42))
            .build());
    Await.until("it is let go", SOON, () -> "SCHEDULED".equals(item("t", "state")));
    JsonNode shown = json(coordinator.get(TABLES + "/" + database + "/t"));
    assertThat(shown.at("/lastRound/durationMs").asLong()).isEqualTo(42);
    assertThat(shown.at("/offsets/0/offset").asLong()).isEqualTo(10);
    assertThat(shown.get("hold").asString()).isEqualTo("paused");

    coordinator.close();
    Await.until("the stream ended", SOON, () -> stream.failure() != null || stream.completed());
    open();
    LakeState after = state(table);
    assertThat(after.getEpoch()).isEqualTo(state.getEpoch());
    assertThat(after.getOffsetsList()).isEqualTo(state.getOffsetsList());
    assertThat(after.getState()).isEqualTo("INITIALIZED");
    assertThat(after.getHold()).isEqualTo("paused");
    assertThat(committer.roundCommitted(round).getRecorded()).isFalse();
  }

  @Test
  void roundsThatDoNotFitTheChainAreRefusedNamingWhy() throws Exception {
    long table = create("t", "1 h");
    assertCode(
        ErrorCode.FENCED_ROUND,
        "Round r1 of table "
            + database
            + ".t is refused: its epoch 1 was never given; the newest is 0",
        () -> committer.roundCommitted(round(table, 1, "r1", 0, 10)));
    committer.roundCommitted(round(table, 0, "r1", 0, 10));
    assertCode(
        ErrorCode.FENCED_ROUND,
        "Round r2 of table "
            + database
            + ".t is refused: bucket 0 starts at 4, recorded is 10 after round r1",
        () -> committer.roundCommitted(round(table, 0, "r2", 4, 12)));
    assertCode(
        ErrorCode.INVALID_ARGUMENT,
        "ends before it starts",
        () -> committer.roundCommitted(round(table, 0, "r2", 10, 9)));
    assertCode(
        ErrorCode.INVALID_ARGUMENT,
        "negative",
        () -> committer.roundCommitted(round(table, 0, "r2", 10, -1)));
    assertCode(
        ErrorCode.TABLE_NOT_FOUND,
        "There is no table with id 99",
        () -> committer.roundCommitted(round(99, 0, "r2", 0, 1)));
    assertCode(ErrorCode.TABLE_NOT_FOUND, "There is no table with id 99", () -> state(99));
    assertCode(
        ErrorCode.INVALID_ARGUMENT,
        "'stopped' is no hold",
        () ->
            committer.setHold(
                SetHoldRequest.newBuilder().setTableId(table).setHold("stopped").build()));
  }

  @Test
  void theQueueIsForTheClusterAlone() {
    TieringServiceBlockingStub outside = TieringServiceGrpc.newBlockingStub(coordinator.channel());
    assertCode(
        ErrorCode.UNAUTHENTICATED,
        "",
        () -> outside.listLakeStates(ListLakeStatesRequest.getDefaultInstance()));
    WorkerUnderTest stream = new WorkerUnderTest(coordinator.channel());
    Await.until("it is refused", SOON, () -> stream.failure() != null);
    assertThat(stream.failure().code()).isEqualTo(ErrorCode.UNAUTHENTICATED);
  }

  @Test
  void aDroppedTableIsFencedAndGone() throws Exception {
    long table = create("t", "1s");
    WorkerUnderTest stream = connect();
    stream.report(report(worker).build());
    awaitAssignment(stream);
    assertThat(coordinator.delete("/api/v1/tables/" + database + "/t").statusCode()).isEqualTo(204);
    Await.until(
        "the worker is told",
        SOON,
        () -> stream.received().stream().anyMatch(WorkerOrder::hasFence));
    assertThat(coordinator.get(TABLES + "/" + database + "/t").statusCode()).isEqualTo(404);
    assertThat(committer.listLakeStates(ListLakeStatesRequest.getDefaultInstance()).getStatesList())
        .noneMatch(state -> state.getTableId() == table);
    assertCode(
        ErrorCode.TABLE_NOT_FOUND,
        "may have been dropped",
        () -> committer.roundCommitted(round(table, 1, "r1", 0, 10)));
    stream.close();
    Await.until("its stream ends in order", SOON, stream::completed);
    assertThat(workerShown().get("state").asString()).isEqualTo("LOST");
  }

  @Test
  void listsArePagedFilteredAndDocumented() throws Exception {
    create("alpha", "1 h");
    create("beta", "1 h");
    create("gamma", "1 h");
    JsonNode page =
        json(coordinator.get(TABLES + "?group=WAITING&search=" + database + ".&offset=1&limit=1"));
    assertThat(page.get("total").asInt()).isEqualTo(3);
    assertThat(page.at("/items/0/table").asString()).isEqualTo("beta");
    assertThat(json(coordinator.get(TABLES + "?group=failed")).get("total").asInt()).isZero();
    assertThat(json(coordinator.get(TABLES + "?database=no")).get("total").asInt()).isZero();
    HttpResponse<String> bad = coordinator.get(TABLES + "?group=none");
    assertThat(bad.statusCode()).isEqualTo(400);
    assertThat(bad.body()).contains("group is 'none'; it must be one of");
    assertThat(post(TABLES + "/" + database + "/none/pause", "").statusCode()).isEqualTo(404);

    JsonNode paused = json(post(TABLES + "/" + database + "/alpha/pause", ""));
    assertThat(paused.get("hold").asString()).isEqualTo("paused");
    JsonNode queue = json(coordinator.get("/api/v1/tiering"));
    assertThat(queue.at("/counts/held").asInt()).isPositive();
    assertThat(queue.at("/counts/waiting").asInt()).isGreaterThanOrEqualTo(3);
    assertThat(queue.get("pollIntervalMs").asLong()).isEqualTo(30_000);
    assertThat(json(post(TABLES + "/" + database + "/alpha/resume", "")).get("hold").asString())
        .isEmpty();

    WorkerUnderTest stream = connect();
    stream.report(report(worker).build());
    Await.until("the worker is listed", SOON, () -> workerShown() != null);
    JsonNode schemas = json(coordinator.get("/v3/api-docs")).get("components").get("schemas");
    assertDocumented(schemas, "TieringQueue", queue);
    assertDocumented(schemas, "TieringCounts", queue.get("counts"));
    assertDocumented(
        schemas, "TieringTable", json(coordinator.get(TABLES + "/" + database + "/alpha")));
    assertDocumented(schemas, "TieringTablePage", page);
    assertDocumented(schemas, "TieringWorker", workerShown());
  }

  @Test
  void metersComeAndGoWithTheirTables() throws Exception {
    create("t", "1 h");
    Await.until(
        "the table is measured",
        SOON,
        () ->
            metrics()
                .contains("sluice_tiering_table_freshness_seconds{database=\"" + database + "\""));
    assertThat(metrics())
        .contains("sluice_tiering_tables_pending ")
        .contains("sluice_tiering_tables_running ")
        .contains("sluice_tiering_workers_expected 1.0");
    coordinator.delete("/api/v1/tables/" + database + "/t");
    Await.until(
        "nothing is left of it", SOON, () -> !metrics().contains("database=\"" + database + "\""));
  }

  /** This test's worker as REST shows it, null when it does not. */
  private JsonNode workerShown() throws Exception {
    for (JsonNode shown : json(coordinator.get("/api/v1/tiering/workers")).get("items")) {
      if (shown.get("workerId").asString().equals(worker)) {
        return shown;
      }
    }
    return null;
  }

  private String metrics() throws Exception {
    return coordinator.get("/actuator/prometheus").body();
  }

  private static void assertDocumented(JsonNode schemas, String schema, JsonNode answer) {
    TreeSet<String> given = new TreeSet<>(answer.propertyNames());
    assertThat(new TreeSet<>(schemas.get(schema).get("properties").propertyNames()))
        .as(schema)
        .containsAll(given);
    schemas
        .get(schema)
        .get("required")
        .forEach(name -> assertThat(given).as(schema).contains(name.asString()));
  }

  private WorkerUnderTest connect() {
    WorkerUnderTest stream = new WorkerUnderTest(coordinator.internalChannel());
    streams.add(stream);
    return stream;
  }

  private static Assignment awaitAssignment(WorkerUnderTest stream) {
    Await.until(
        "an assignment", SOON, () -> stream.received().stream().anyMatch(WorkerOrder::hasAssign));
    return stream.received().stream()
        .filter(WorkerOrder::hasAssign)
        .findFirst()
        .orElseThrow()
        .getAssign();
  }

  private static WorkerReport.Builder report(String worker) {
    return WorkerReport.newBuilder()
        .setWorkerId(worker)
        .setIncarnation("i1")
        .setHost("127.0.0.1")
        .setVersion("test")
        .setSlots(2)
        .putLabels("zone", "a");
  }

  private static RoundCommittedRequest round(
      long table, long epoch, String id, long start, long end) {
    return RoundCommittedRequest.newBuilder()
        .setTableId(table)
        .setEpoch(epoch)
        .setRoundId(id)
        .setSnapshotId(77)
        .addStart(BucketOffset.newBuilder().setOffset(start))
        .addEnd(BucketOffset.newBuilder().setOffset(end))
        .setRows(end - start)
        .setBytes(100)
        .setFiles(1)
        .build();
  }

  private LakeState state(long table) {
    return committer.getLakeState(GetLakeStateRequest.newBuilder().setTableId(table).build());
  }

  private String item(String table, String field) throws Exception {
    JsonNode value = json(coordinator.get(TABLES + "/" + database + "/" + table)).get(field);
    return value == null ? null : value.asString();
  }

  private long create(String name, String freshness) throws Exception {
    HttpResponse<String> created =
        post(
            "/api/v1/tables",
            "{'database':'"
                + database
                + "','table':'"
                + name
                + "','columns':[{'name':'id','type':'BIGINT'}],'options':"
                + "{'table.datalake.enabled':'true','table.datalake.freshness':'"
                + freshness
                + "'}}");
    assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
    return json(created).get("tableId").asLong();
  }

  private HttpResponse<String> post(String path, String body) throws Exception {
    return coordinator.post(path, body.replace('\'', '"'));
  }

  private static JsonNode json(HttpResponse<String> answer) {
    return JSON.readTree(answer.body());
  }

  private static void assertCode(ErrorCode code, String message, ThrowingCallable call) {
    SluiceException failure = StatusMapping.fromStatus(catchThrowable(call));
    assertThat(failure.code()).isEqualTo(code);
    assertThat(failure).hasMessageContaining(message);
  }
}
