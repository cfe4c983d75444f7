package io.sluice.cli.tiering;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.CommandUnderTest;
import io.sluice.cli.rest.FakeService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TieringCommandTest {
  private static final String TABLES =
      """
      {"total":2,"offset":0,"limit":100,"items":[
       {"tableId":7,"database":"demo","table":"flights","state":"TIERING","group":"TIERING",
        "freshnessMs":10000,"epoch":4,"worker":"tiering-1","phase":"WRITING","tierLagMs":12300,
        "late":false,"lastCommitMs":1000000,"failures":0,"failuresTotal":0,
        "lastRound":{"roundId":"7-3-aa","snapshotId":5,"rows":201500}},
       {"tableId":8,"database":"demo","table":"other","state":"FAILED","group":"FAILED",
        "freshnessMs":180000,"epoch":9,"worker":null,"phase":null,"tierLagMs":7300000,"late":true,
        "lastCommitMs":null,"failures":3,"failuresTotal":12,"lastRound":null,
        "lastFailure":{"cause":"disk full","scope":"WORKER","worker":"tiering-1","atMs":1}}]}
      """;

  private final CommandUnderTest command = new CommandUnderTest(new TieringCommand());
  private final FakeService coordinator = command.coordinator();

  @BeforeEach
  void answer() {
    coordinator
        .answers(
            "/api/v1/tiering",
            200,
            """
            {"nowMs":1012300,"counts":{"waiting":1,"ready":0,"tiering":1,"done":0,"failed":1,"held":0},
             "workersAlive":1,"workersExpected":2,"lakeBreakerOpen":true,"lakeFailure":"store is away"}
            """)
        .answers(
            "/api/v1/tiering/workers",
            200,
            """
            {"items":[{"workerId":"tiering-1","host":"127.0.0.1","state":"ALIVE","slots":2,
             "tables":1,"lastReportMs":1011300,"drainReason":null}]}
            """);
  }

  @AfterEach
  void close() {
    command.close();
  }

  @Test
  void showsCountsTablesAndWorkers() throws Exception {
    coordinator.answers("/api/v1/tiering/tables?limit=100", 200, TABLES);
    assertThat(command.run())
        .contains("waiting 1   ready 0   tiering 1   done 0   failed 1   held 0")
        .contains("workers 1 of 2")
        .contains("The lake fails: store is away")
        .containsPattern(
            "demo.flights +TIERING +12.3 s +10.0 s +tiering-1 +4 +201,500 rows +12.3 s ago +0 +WRITING")
        .containsPattern("demo.other +FAILED +2 h late +3 min +- +9 +- +- +12 +disk full")
        .containsPattern("tiering-1 +127.0.0.1 +ALIVE +2 +1 +1.00 s ago");
  }

  @Test
  void asksForWhatIsWanted() throws Exception {
    coordinator.answers(
        "/api/v1/tiering/tables?limit=5&database=a+b&group=FAILED", 200, "{\"items\":[]}");
    assertThat(command.run("--limit", "5", "--database", "a b", "--group", "failed"))
        .contains("No table of that kind");
  }
}
