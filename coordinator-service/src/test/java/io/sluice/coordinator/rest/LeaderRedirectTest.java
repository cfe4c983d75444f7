package io.sluice.coordinator.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.metadata.CoordinatorGroup;
import io.sluice.coordinator.metadata.CoordinatorGroup.Member;
import io.sluice.coordinator.metadata.CoordinatorGroup.Role;
import io.sluice.coordinator.metadata.CoordinatorMembers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class LeaderRedirectTest {
  private static final List<Member> MEMBERS =
      List.of(
          new Member("1", "10.0.0.1", 9133, 9123, 9180),
          new Member("2", "10.0.0.2", 9133, 9123, 9180),
          new Member("3", "10.0.0.3", 9133, 9123, 0));

  private static MockHttpServletResponse ask(String self, Role role, String leader) {
    CoordinatorGroup group = new CoordinatorGroup(self, role, leader, 4, 17, MEMBERS);
    CoordinatorMembers members =
        new CoordinatorMembers() {
          @Override
          public CoordinatorGroup group() {
            return group;
          }

          @Override
          public CompletableFuture<CoordinatorGroup> change(String leaving, Member joining) {
            throw new AssertionError();
          }
        };
    MockHttpServletRequest request =
        new MockHttpServletRequest("POST", "/api/v1/tables/demo/a%2Fb/alter");
    request.setQueryString("x=1&y=%20");
    MockHttpServletResponse response = new MockHttpServletResponse();
    boolean goesOn = new LeaderRedirect(members).preHandle(request, response, new Object());
    assertThat(goesOn).isEqualTo(response.getHeader("Location") == null);
    return response;
  }

  @Test
  void aFollowerSendsToTheSamePathAndQueryOfTheLeader() {
    MockHttpServletResponse response = ask("1", Role.FOLLOWER, "2");
    assertThat(response.getStatus()).isEqualTo(307);
    assertThat(response.getHeader("Location"))
        .isEqualTo("http://10.0.0.2:9180/api/v1/tables/demo/a%2Fb/alter?x=1&y=%20");
    assertThat(response.getHeader("Cache-Control")).isEqualTo("no-store");
  }

  @Test
  void theLeaderAnswersAndSoDoesOneThatCannotNameIt() {
    assertThat(ask("2", Role.LEADER, "2").getStatus()).isEqualTo(200);
    assertThat(ask("2", Role.CANDIDATE, "2").getStatus()).isEqualTo(200);
    assertThat(ask("1", Role.CANDIDATE, null).getStatus()).isEqualTo(200);
    assertThat(ask("1", Role.FOLLOWER, "3").getStatus()).isEqualTo(200);
    assertThat(ask("1", Role.FOLLOWER, "9").getStatus()).isEqualTo(200);
  }
}
