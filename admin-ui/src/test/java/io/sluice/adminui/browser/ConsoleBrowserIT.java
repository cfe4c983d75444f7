package io.sluice.adminui.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.sluice.adminui.app.FakeService;
import io.sluice.adminui.app.RunningConsole;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.util.FileSystemUtils;

/** The built console in a real browser, against a coordinator whose data the test changes. */
final class ConsoleBrowserIT {
  private static final String ROWS = ".queue tbody tr[data-table]";

  private static Path folder;
  private static Chromium browser;
  private static FakeService coordinator;
  private static RunningConsole console;
  private FakeQueue queue;

  @BeforeAll
  static void start() throws IOException {
    Path program =
        Chromium.find()
            .orElseGet(
                () ->
                    abort(
                        "No Chromium on the path: the console is not tested in a browser."
                            + " apt-get install chromium, or set CHROMIUM to the program"));
    coordinator = FakeService.start();
    console = RunningConsole.start(coordinator.address(), coordinator.address());
    // Not a @TempDir: a helper process of Chromium may still write while that is removed.
    folder = Files.createTempDirectory(Path.of("target").toAbsolutePath(), "browser-");
    browser = Chromium.start(program, folder);
  }

  @AfterAll
  static void stop() {
    if (browser != null) {
      browser.close();
      console.close();
      coordinator.close();
      FileSystemUtils.deleteRecursively(folder.toFile());
    }
  }

  @BeforeEach
  void emptyQueue() {
    browser.size(1280, 800);
    queue = new FakeQueue(coordinator);
  }

  @AfterEach
  void nothingWentWrongInThePage() {
    assertThat(browser.errors()).isEmpty();
  }

  private void open(String address) {
    browser.open(console.address().resolve(address));
  }

  private static String row(String table) {
    return "[data-table='demo." + table + "']";
  }

  @Test
  void rowsAppearAndChangeWithoutReload() {
    queue.waiting("flights");
    open("/tiering");
    browser.awaitText(row("flights"), "SCHEDULED", "4 s", "/ 10 s", "4,096 rows", "1.21 MiB");
    browser.awaitText(".verdict", "The table is on time");
    browser.evaluate("window.sameDocument = true");

    queue.change(
        "flights",
        Map.of(
            "state", "TIERING",
            "group", "TIERING",
            "worker", "tiering-7",
            "phase", "WRITE",
            "roundRows", 123456,
            "roundBytes", 3 << 20));
    queue.waiting("arrived_later");

    browser.awaitText(row("flights"), "TIERING", "tiering-7", "write", "123,456 rows", "3.00 MiB");
    browser.awaitText(row("arrived_later"), "SCHEDULED");
    assertThat(browser.evaluate("window.sameDocument").asBoolean()).isTrue();
  }

  @Test
  void whatFailsComesFirstWithItsCauseAndItsMarkupIsText() {
    queue.waiting("a_healthy");
    queue.change(
        "z_broken",
        Map.of(
            "state",
            "FAILED",
            "group",
            "FAILED",
            "failures",
            3,
            "failuresTotal",
            5,
            "late",
            true,
            "tierLagMs",
            95_000,
            "lastFailure",
            Map.of(
                "cause", "<img src=x onerror=alert(1)> disk full",
                "scope", "TABLE",
                "worker", "tiering-1",
                "atMs", System.currentTimeMillis())));
    open("/tiering?open=demo.z_broken");
    browser.awaitText(".verdict", "1 failing of 2 tables", "demo.z_broken failed 3 times in a row");
    browser.awaitText(".verdict", "<img src=x onerror=alert(1)> disk full");
    browser.awaitText(ROWS, "z_broken", "1 min 35 s", "late", "3 in a row");
    browser.awaitText(".detail", "5283749128374651093", "50,117", "disk full", "tiering-1");
    browser.awaitText(".health", "1 failing");
    assertThat(browser.count("main img")).isZero();
  }

  @Test
  void filtersNarrowTheListAndStayInTheAddress() {
    queue.waiting("flights");
    queue.waiting("clicks");
    queue.change("orders", Map.of("state", "FAILED", "group", "FAILED", "failures", 1));
    open("/tiering");
    browser.awaitCount(ROWS, 3);
    browser.click(".summary button:nth-child(5)");
    browser.awaitCount(ROWS, 1);
    browser.awaitText(ROWS, "orders");
    assertThat(browser.evaluate("location.search").asString()).isEqualTo("?group=FAILED");
    browser.click(".summary button:nth-child(5)");
    browser.awaitCount(ROWS, 3);
    browser.click(".search input");
    browser.type("CLI");
    browser.awaitCount(ROWS, 1);
    browser.awaitText(ROWS, "clicks");

    open("/tiering?search=nothing");
    browser.awaitText("main", "No table matches");
  }

  @Test
  void pausingAsksFirstAndThenPosts() {
    queue.waiting("flights");
    open("/tiering");
    browser.click(row("flights") + " .cell-actions button");
    browser.awaitText("dialog", "Pause demo.flights?", "new rows stay in the log");
    assertThat(posts()).isZero();
    browser.click("dialog .primary");
    browser.awaitText(row("flights"), "paused", "Resume");
    browser.awaitText(".said", "demo.flights is paused");
    browser.awaitCount("dialog", 0);
    assertThat(posts()).isEqualTo(1);
  }

  private static long posts() {
    long posts = 0;
    for (FakeService.Request request : coordinator.requests()) {
      posts += request.target().equals("/api/v1/tiering/tables/demo/flights/pause") ? 1 : 0;
    }
    return posts;
  }

  @Test
  void theLastDataStaysUnderABannerWhileTheCoordinatorIsDown() throws IOException {
    queue.waiting("flights");
    open("/tiering");
    browser.awaitText(row("flights"), "SCHEDULED");
    coordinator.stop();
    try {
      browser.awaitText(".banner", "Not updated since", "coordinator at " + coordinator.address());
      browser.awaitText(".health", "Coordinator does not answer");
      browser.awaitText(row("flights"), "SCHEDULED");
      open("/tables");
      browser.awaitText("main", "Cannot show the tables", "UNAVAILABLE", "Retry now");
    } finally {
      coordinator.startAgain();
    }
    browser.awaitText("main", "There are no tables yet");
    browser.awaitText(".health", "Running");
  }

  @Test
  void statementsShowTheirRowsOrWhereTheyAreWrong() {
    coordinator.on(
        "POST /api/v1/sql",
        exchange ->
            FakeService.send(
                exchange,
                200,
                "application/json",
                "{\"kind\":\"rows\",\"message\":\"\",\"columns\":[{\"name\":\"id\",\"type\":\"BIGINT\"},"
                    + "{\"name\":\"note\",\"type\":\"STRING\"}],"
                    + "\"rows\":[[9007199254740993,null],[2,\"<b>x</b>\"]],\"rowCount\":2,\"truncated\":true,\"notices\":[\"lake"
                    + " only\"],\"elapsedMs\":12}"));
    open("/sql");
    browser.click("#statement");
    browser.type("SELECT id, note FROM demo.t");
    browser.click(".sql-editor .primary");
    browser.awaitText("main", "2 rows in 12 ms", "there are more", "lake only");
    browser.awaitText(".grid", "9007199254740993", "NULL", "<b>x</b>");

    coordinator.on(
        "POST /api/v1/sql",
        exchange ->
            FakeService.send(
                exchange,
                400,
                "application/problem+json",
                "{\"status\":400,\"code\":\"INVALID_SQL\",\"detail\":\"Unknown column note\","
                    + "\"line\":1,\"column\":12}"));
    browser.click(".sql-editor .primary");
    browser.awaitText(".failed", "Unknown column note", "INVALID_SQL", "line 1, column 12");
    browser.click(".failed button");
    assertThat(browser.evaluate("document.activeElement.selectionStart").asInt()).isEqualTo(11);

    open("/sql");
    browser.awaitText(".sql-editor select", "SELECT id, note FROM demo.t");
  }

  @Test
  void aPartitionedTableShowsItsPartitionsTypesAndDefaults() {
    FakeTables.serve(coordinator);
    open("/tables");
    browser.awaitText("main", "demo.sales", "Partitions");
    browser.click("main a[href='/tables/demo/sales']");
    browser.awaitText("main", "2 partitions by dt", "2 buckets each", "partition key");
    browser.awaitText("main", "dt=2024-01-01", "dt=2024-01-02", "1 of 2");
    browser.awaitText("main", "`age` INT", "default 20, 19 in older rows", "table.log.ttl");
  }

  @Test
  void aTableWithAPrimaryKeyShowsWhatBecomesOfItsRows() {
    FakeTables.serve(coordinator);
    coordinator.json(
        "POST /api/v1/sql",
        """
        {"kind": "rows", "columns": [{"name": "count_star()", "type": "BIGINT"}], "rows": [[1200]],
         "rowCount": 1, "truncated": false, "notices": [], "elapsedMs": 3}
        """);
    open("/tables/demo/uv_agg");
    browser.awaitText("main", "1,200 rows", "Rows of one key", "merged column by column");
    browser.awaitText("main", "change nothing", "has the row before and after each change");
    browser.awaitText("main", "Merge", "rbm32", "sum", "fields.pv.agg");
  }

  @Test
  void emptyListsSayWhatToDo() {
    open("/tiering");
    browser.awaitText(
        "main", "No table goes to the lake yet", "table.datalake.enabled", "./sluice sql");
    browser.click(".top nav a[href='/servers']");
    browser.awaitText("main", "No tablet server has registered yet", "./sluice up");
    browser.click(".top nav a[href='/tables']");
    browser.awaitText("main", "There are no tables yet", "CREATE TABLE");
  }

  @Test
  void aNarrowScreenShowsEverythingWithoutScrollingSideways() {
    queue.waiting("flights");
    queue.waiting("a_table_with_a_name_that_is_longer_than_any_narrow_screen_is_wide");
    browser.size(390, 800);
    open("/tiering");
    browser.awaitCount(ROWS, 2);
    Await.until(
        "nothing is wider than the screen",
        Duration.ofSeconds(10),
        () -> browser.evaluate("document.documentElement.scrollWidth").asInt() <= 390);
    browser.awaitText(row("flights"), "SCHEDULED", "4,096 rows", "Pause");
  }
}
