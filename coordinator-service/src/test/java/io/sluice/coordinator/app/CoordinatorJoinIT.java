package io.sluice.coordinator.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.CoordinatorGroup.Member;
import io.sluice.coordinator.raft.RaftCluster;
import io.sluice.testkit.Await;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A coordinator that takes the place of a lost one, as docs/operations.md describes it. */
@Timeout(180)
class CoordinatorJoinIT {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String REBALANCE = "/api/v1/rebalance";

  @TempDir Path three;

  @TempDir Path fourth;

  @Test
  void waitsToBeTakenInThenFollowsAndSendsToTheLeader() throws Exception {
    Member joining = RaftCluster.members(4, 1).get(0);
    String self = "4=127.0.0.1:" + joining.raftPort() + ":" + joining.grpcPort() + ":9183";
    try (RaftCluster others = new RaftCluster(three, 3, 1000).startAll();
        CoordinatorUnderTest coordinator =
            CoordinatorUnderTest.startWith(
                fourth,
                "--sluice.coordinator.id=4",
                "--sluice.coordinator.join=true",
                "--sluice.coordinator.peers=" + self)) {
      others.submit(new Command.CreateDatabase("before", "", 1));
      assertThat(coordinator.isReady()).isFalse();
      assertThat(group(coordinator).get("role").asString()).isEqualTo("JOINING");

      // Nobody leads as far as it knows: what only a leader knows is not answered with "none".
      for (HttpResponse<String> answer :
          List.of(
              coordinator.get(REBALANCE),
              coordinator.delete(REBALANCE),
              coordinator.get("/api/v1/replicas/offline"))) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
        assertThat(answer.body()).contains("NOT_COORDINATOR_LEADER").contains("./sluice status");
      }

      String lost = others.followerId();
      others.stop(lost);
      others.change(lost, joining);
      coordinator.awaitReady();
      Await.until(
          "it follows",
          RaftCluster.SOON,
          () -> group(coordinator).get("role").asString().equals("FOLLOWER"));
      assertThat(group(coordinator).get("members")).hasSize(3);

      HttpResponse<String> sent = coordinator.get("/api/v1/databases?limit=5");
      Member leader = others.member(others.leaderId());
      assertThat(sent.statusCode()).isEqualTo(307);
      assertThat(sent.headers().firstValue("Location"))
          .hasValue("http://" + leader.httpAddress() + "/api/v1/databases?limit=5");
    }
  }

  private static JsonNode group(CoordinatorUnderTest coordinator) throws Exception {
    return JSON.readTree(coordinator.get("/api/v1/coordinators").body());
  }
}
