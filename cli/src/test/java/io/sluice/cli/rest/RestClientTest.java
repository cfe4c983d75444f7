package io.sluice.cli.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.CliException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RestClientTest {
  private static final String NO_LEADER =
      "{\"status\": 503, \"code\": \"NOT_COORDINATOR_LEADER\", \"detail\": \"nobody leads\"}";

  private static RestClient client(String... bases) {
    return new RestClient(List.of(bases), "coordinator-1", Duration.ofSeconds(10));
  }

  @Test
  void followsAFollowerToItsLeaderWithMethodAndBody() {
    try (FakeService leader = new FakeService().answers("/change", 200, "{\"done\": true}");
        FakeService follower = new FakeService().redirects("/change", leader.url() + "/change")) {
      assertThat(client(follower.url()).post("/change", Map.of("a", 1)).path("done").asBoolean())
          .isTrue();
      assertThat(leader.requests()).containsExactly("POST /change {\"a\":1}");
    }
  }

  @Test
  void passesOverAnInstanceThatIsAwayOrKnowsNoLeader() {
    try (FakeService without = new FakeService().answers("/x", 503, NO_LEADER);
        FakeService leader = new FakeService().answers("/x", 200, "{\"a\": 7}")) {
      RestClient client = client("http://127.0.0.1:1", without.url(), leader.url());
      assertThat(client.get("/x").path("a").asInt()).isEqualTo(7);
      assertThat(without.requests()).hasSize(1);
    }
  }

  @Test
  void oneInstanceIsNotWaitedFor() {
    assertThatThrownBy(() -> client("http://127.0.0.1:1").get("/x"))
        .isInstanceOf(CliException.class)
        .hasMessageContaining("No answer from coordinator-1");
    try (FakeService without = new FakeService().answers("/x", 503, NO_LEADER)) {
      assertThatThrownBy(() -> client(without.url()).get("/x"))
          .isInstanceOf(RestProblem.class)
          .hasMessageContaining("nobody leads");
    }
  }
}
