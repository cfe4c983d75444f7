package io.sluice.coordinator.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.CoordinatorGroup;
import io.sluice.coordinator.metadata.CoordinatorGroup.Member;
import io.sluice.coordinator.metadata.CoordinatorGroup.Role;
import io.sluice.testkit.Await;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Taking a coordinator's place. */
@Timeout(180)
class GroupChangeTest {
  @TempDir Path home;

  private static Command createDatabase(String name) {
    return new Command.CreateDatabase(name, "", 1);
  }

  @Test
  void aNewCoordinatorTakesTheLostOnesPlace() throws Exception {
    try (RaftCluster cluster = new RaftCluster(home, 3, 1_000_000).startAll()) {
      cluster.submit(createDatabase("before"));
      String lost = cluster.followerId();
      cluster.stop(lost);
      Member fourth = RaftCluster.members(4, 1).get(0);
      RaftMetadataLog joining = cluster.startJoining(fourth);
      assertThat(joining.group().role()).isEqualTo(Role.JOINING);

      CoordinatorGroup changed = cluster.change(lost, fourth);
      assertThat(changed.member(lost)).isNull();
      assertThat(changed.member("4")).isEqualTo(fourth);
      assertThat(changed.members()).hasSize(3);
      cluster.awaitAgreement();

      // Asked again, as after a lost answer, it is done already.
      assertThat(cluster.change(lost, fourth).members()).hasSize(3);
      // Two of the new three decide, and the new one knows its place after a restart.
      cluster.stop("4");
      cluster.startJoining(fourth);
      String gone =
          List.of("1", "2", "3").stream().filter(id -> cluster.log(id) != null).findFirst().get();
      cluster.stop(gone);
      cluster.submit(createDatabase("after"));
      cluster.awaitAgreement();
      assertThat(joining.current().state().databases().containsKey("before")).isTrue();
    }
  }

  @Test
  void theLeaderItselfCanBeReplaced() throws Exception {
    try (RaftCluster cluster = new RaftCluster(home, 3, 1_000_000).startAll()) {
      Member fourth = RaftCluster.members(4, 1).get(0);
      cluster.startJoining(fourth);
      String leader = cluster.leaderId();
      cluster.change(leader, fourth);
      cluster.stop(leader);
      Await.until(
          "another one leads without it",
          RaftCluster.SOON,
          () -> cluster.leader().group().member(leader) == null);
      cluster.submit(createDatabase("after"));
      cluster.awaitAgreement();
    }
  }

  @Test
  void oneBecomesThreeAndTheFirstIsLost() throws Exception {
    try (RaftCluster cluster = new RaftCluster(home, 1, 1_000_000).startAll()) {
      cluster.submit(createDatabase("alone"));
      List<Member> others = RaftCluster.members(2, 2);
      for (Member other : others) {
        cluster.startJoining(other);
        assertThat(cluster.change(null, other).member(other.id())).isEqualTo(other);
      }
      cluster.submit(createDatabase("three"));
      cluster.awaitAgreement();

      cluster.stop("1");
      cluster.submit(createDatabase("two"));
      // It knows from its log that it is not alone, whatever its settings say.
      RaftMetadataLog first = cluster.start("1");
      cluster.awaitAgreement();
      assertThat(first.group().members()).hasSize(3);

      cluster.stop("2");
      cluster.submit(createDatabase("first_and_third"));
      cluster.awaitAgreement();
      assertThat(cluster.read().state().databases().containsKey("alone")).isTrue();
    }
  }

  @Test
  void refusesWhatMakesNoSense() {
    Member one = new Member("1", "h", 1, 2, 3);
    Member two = new Member("2", "h", 4, 5, 6);
    CoordinatorGroup group = new CoordinatorGroup("1", Role.LEADER, "1", 1, 1, List.of(one, two));
    assertRefused(group, "2", two, "under its own id");
    assertRefused(group, "9", null, "not a member");
    assertRefused(group, null, new Member("2", "other", 4, 5, 6), "is a member already");
    CoordinatorGroup alone = new CoordinatorGroup("1", Role.LEADER, "1", 1, 1, List.of(one));
    assertRefused(alone, "1", null, "the only member");
    assertThat(GroupChange.wanted(alone, null, two)).containsExactly(one, two);
    Member hidden = new Member("1", "h", 0, 2, 0);
    CoordinatorGroup unreachable =
        new CoordinatorGroup("1", Role.LEADER, "1", 1, 1, List.of(hidden));
    assertRefused(unreachable, null, two, "sluice.coordinator.peers=1=HOST:RAFT:GRPC:HTTP");
    assertThat(GroupChange.wanted(group, "1", new Member("3", "h", 7, 8, 9)))
        .extracting(Member::id)
        .containsExactly("2", "3");
  }

  private static void assertRefused(
      CoordinatorGroup group, String leaving, Member joining, String why) {
    assertThatThrownBy(() -> GroupChange.wanted(group, leaving, joining))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
        .hasMessageContaining(why);
  }
}
