package io.sluice.cli.replicas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.CommandContext;
import io.sluice.cli.Settings;
import io.sluice.cli.options.UsageException;
import io.sluice.cli.rest.FakeService;
import io.sluice.cli.terminal.CapturedTerminal;
import io.sluice.testkit.MovedClock;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClusterCommandTest {
  private static final String RUNNING =
      """
      {"state":"RUNNING","total":40,"waiting":26,"moving":[{},{}],"done":11,"failed":1,
       "lastFailure":"server 9 is away","startedMs":1}
      """;
  private static final String IDLE =
      """
      {"state":"IDLE","total":0,"waiting":0,"moving":[],"done":0,"failed":0,"lastFailure":"",
       "startedMs":0}
      """;

  private final CapturedTerminal captured = CapturedTerminal.plain();
  private final FakeService coordinator = new FakeService();

  @AfterEach
  void close() {
    coordinator.close();
  }

  private String run(String... words) {
    Properties properties = new Properties();
    properties.setProperty("sluice.rest", coordinator.url());
    ClusterCommand command = new ClusterCommand();
    int code =
        command.run(
            command.commandLine().parse(List.of(words)),
            new CommandContext(captured.terminal(), Settings.of(properties), new MovedClock(0)));
    assertThat(code).isZero();
    return captured.output();
  }

  @Test
  void saysThatAllIsWell() {
    coordinator
        .answers(
            "/api/v1/replication",
            200,
            """
            {"buckets":1200,"offline":0,"underMinInsync":0,"underReplicated":0,"moving":0}
            """)
        .answers("/api/v1/rebalance", 200, IDLE);
    assertThat(run())
        .contains("buckets 1,200   offline 0")
        .contains("rebalance: none")
        .contains("Every bucket has its leader and all its replicas in sync.");
  }

  @Test
  void namesTheBucketsThatAreIllAndWhatToDo() {
    coordinator
        .answers(
            "/api/v1/replication",
            200,
            """
            {"buckets":120,"offline":1,"underMinInsync":0,"underReplicated":31,"moving":0}
            """)
        .answers("/api/v1/rebalance", 200, RUNNING)
        .answers(
            "/api/v1/replication/buckets?state=offline&limit=20",
            200,
            """
            {"items":[{"database":"demo","table":"t","tableId":7,"bucket":{"partitionId":0,
             "bucket":3,"leader":null,"replicas":[1,2,3],"isr":[2],"target":[]}}],"total":1}
            """)
        .answers(
            "/api/v1/replication/buckets?state=under-replicated&limit=20",
            200,
            """
            {"items":[{"database":"demo","table":"p","tableId":8,"bucket":{"partitionId":5,
             "bucket":0,"leader":1,"replicas":[1,2,3],"isr":[1,3],"target":[1,4]}}],"total":31}
            """);
    assertThat(run("status"))
        .contains("rebalance: under way, 11 of 40 buckets moved, 2 moving, 26 waiting, 1 not moved")
        .contains("server 9 is away")
        .containsPattern("demo.t +3 +- +2 +1,2,3 +-")
        .contains("elect TABLE BUCKET --server N --accept-data-loss")
        .containsPattern("demo.p +partition 5, 0 +1 +1,3 +1,2,3 +1,4")
        .contains("... and 30 more")
        .doesNotContain("Every bucket has its leader");
  }

  @Test
  void showsServersWithWhatIsWantedOfThem() {
    coordinator.answers(
        "/api/v1/servers?limit=1000",
        200,
        """
        {"items":[
         {"serverId":1,"host":"h1","flightPort":9223,"rack":"a","alive":true,"state":"ACTIVE",
          "leaving":false,"leaderCount":12,"replicaCount":1300},
         {"serverId":2,"host":"h2","flightPort":9224,"rack":"","alive":true,"state":"DRAINING",
          "leaving":false,"leaderCount":0,"replicaCount":3},
         {"serverId":3,"host":"h3","flightPort":9225,"rack":"","alive":false,"state":"DRAINING",
          "leaving":false,"leaderCount":0,"replicaCount":0},
         {"serverId":4,"host":"h4","flightPort":9226,"rack":"","alive":true,"state":"ACTIVE",
          "leaving":true,"leaderCount":0,"replicaCount":9}]}
        """);
    assertThat(run("servers"))
        .containsPattern("1 +h1:9223 +a +alive +12 +1,300")
        .containsPattern("2 +h2:9224 +- +draining +0 +3")
        .containsPattern("3 +h3:9225 +- +AWAY, drained +0 +0")
        .containsPattern("4 +h4:9226 +- +stopping +0 +9");
  }

  @Test
  void showsThePlanBeginsItAndGivesItUp() {
    coordinator
        .answers(
            "/api/v1/rebalance/plan",
            200,
            """
            {"changes":2,"copies":1,"steps":[
             {"table":"demo.t","tableId":7,"partitionId":0,"bucket":4,"from":[1,2],"to":[3,2],
              "copiesTo":[3]},
             {"table":"demo.t","tableId":7,"partitionId":0,"bucket":5,"from":[1,2],"to":[2,1],
              "copiesTo":[]}]}
            """)
        .answers("/api/v1/rebalance", 202, RUNNING)
        .answers("/api/v1/servers/3/drain", 202, RUNNING);
    assertThat(run("rebalance", "--plan"))
        .contains("2 buckets would change, 1 replicas would be copied")
        .containsPattern("demo.t +4 +1,2 +3,2 +3")
        .containsPattern("demo.t +5 +1,2 +2,1 +-");
    assertThat(run("rebalance")).contains("40 buckets are to be moved");
    run("rebalance", "--cancel");
    run("rebalance", "--status");
    assertThat(run("drain", "3")).contains("Server 3 drains");
    assertThat(coordinator.requests())
        .containsExactly(
            "GET /api/v1/rebalance/plan",
            "POST /api/v1/rebalance {}",
            "DELETE /api/v1/rebalance",
            "GET /api/v1/rebalance",
            "POST /api/v1/servers/3/drain {}");
  }

  @Test
  void asksForWhatTheOperatorWants() {
    coordinator
        .answers("/api/v1/servers/3/activate", 204, "")
        .answers("/api/v1/servers/3/decommission", 204, "")
        .answers("/api/v1/elections/preferred", 200, "{\"buckets\":7}")
        .answers("/api/v1/tables/demo/t/buckets/2/reassign", 202, "")
        .answers("/api/v1/tables/demo/t/buckets/2/reassign?partitionId=5", 204, "")
        .answers("/api/v1/tables/demo/t/buckets/2/elect-unclean", 204, "");
    run("activate", "3");
    assertThat(run("decommission", "3")).contains("stop its process");
    assertThat(run("elect-preferred")).contains("7 buckets were not led");
    run("move", "demo.t", "2", "--replicas", "1,2,4");
    run("move", "demo.t", "2", "--partition-id", "5", "--cancel");
    run("elect", "demo.t", "2", "--server", "2", "--accept-data-loss");
    assertThat(coordinator.requests())
        .contains(
            "POST /api/v1/tables/demo/t/buckets/2/reassign {\"replicas\":[1,2,4]}",
            "DELETE /api/v1/tables/demo/t/buckets/2/reassign?partitionId=5")
        .anyMatch(request -> request.contains("\"acceptDataLoss\":true"));
  }

  @Test
  void losesNothingByMistake() {
    assertThatThrownBy(() -> run("elect", "demo.t", "2", "--server", "2"))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("--accept-data-loss");
    assertThatThrownBy(() -> run("move", "demo.t", "2"))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("--replicas");
    assertThatThrownBy(() -> run("drain", "three"))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("must be a number");
    assertThatThrownBy(() -> run("drian", "3"))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("drain");
    assertThat(coordinator.requests()).isEmpty();
  }
}
