package io.sluice.cli.replicas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.CommandUnderTest;
import io.sluice.cli.options.UsageException;
import io.sluice.cli.rest.FakeService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

  private final CommandUnderTest command = new CommandUnderTest(new ClusterCommand());
  private final FakeService coordinator = command.coordinator();

  @AfterEach
  void close() {
    command.close();
  }

  private String run(String... words) throws Exception {
    return command.run(words);
  }

  @Test
  void saysThatAllIsWell() throws Exception {
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
  void namesTheBucketsThatAreIllAndWhatToDo() throws Exception {
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
  void showsServersWithWhatIsWantedOfThem() throws Exception {
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
  void showsThePlanBeginsItAndGivesItUp() throws Exception {
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
  void asksForWhatTheOperatorWants() throws Exception {
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
  void aLeaderThatKnowsOfNoRebalanceSaysSinceWhen() throws Exception {
    coordinator.answers(
        "/api/v1/rebalance", 200, IDLE.replace("}", ",\"leadsSinceMs\":1764480000000}"));
    assertThat(run("rebalance", "--status"))
        .contains("rebalance: none")
        .contains("since 2025-11-30T05:20:00Z, when this coordinator began to lead")
        .contains("rebalance --plan shows what is left");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "elect demo.t 2 --server 2|--accept-data-loss",
        "elect demo.t 2 --accept-data-loss|elect needs --server N, which is to lead",
        "elect demo.t 2 --server two|--server is 'two'; it must be a number",
        "move demo.t 2|--replicas",
        "move demo.t 2 --replicas 1,b|--replicas is 'b'; it must be a number",
        "move demo.t 2 --replicas 1,2,1|--replicas 1,2,1 names a server twice",
        "move demo.t 2 --plan|move does not take --plan",
        "move --replicas 1|move needs the table and the bucket's number",
        "move demo.t --replicas 1|move needs the number of the bucket of demo.t",
        "move demo.t two --replicas 1|BUCKET is 'two'; it must be a number",
        "drain|drain needs a server's id; ./sluice cluster servers lists them",
        "drain three|the server's id is 'three'; it must be a number",
        "drain 3 4|drain takes nothing behind '3', but there is '4'",
        "drain 3 --plan|drain does not take --plan",
        "drian 3|drain",
        "servers 3|servers takes nothing behind it, but there is '3'",
        "status --replicas 1|status does not take --replicas",
        "rebalance --plan --cancel|--plan and --cancel do not go together"
      })
  void losesNothingByMistake(String wordsAndReason) {
    String[] parts = wordsAndReason.split("\\|");
    assertThatThrownBy(() -> run(parts[0].split(" ")))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining(parts[1]);
    assertThat(coordinator.requests()).isEmpty();
  }
}
