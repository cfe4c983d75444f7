package io.sluice.coordinator.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.coordinator.metadata.CoordinatorGroup.Member;
import java.nio.file.Path;
import java.util.List;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RaftSettingsTest {
  @Test
  void parsesAPeer() {
    Member peer = RaftSettings.parsePeer("2=10.0.0.7:9133:9123:9180");
    assertThat(peer).isEqualTo(new Member("2", "10.0.0.7", 9133, 9123, 9180));
    assertThat(peer.grpcAddress()).isEqualTo("10.0.0.7:9123");
    assertThat(peer.raftAddress()).isEqualTo("10.0.0.7:9133");
    assertThat(peer.httpAddress()).isEqualTo("10.0.0.7:9180");
    assertThat(RaftSettings.parsePeer("2=h:1:2").httpAddress()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "1",
        "=h:1:2",
        "1=h:1",
        "1=h:0:2",
        "1=h:70000:2",
        "1=h:x:2",
        "1=h:1:2:0",
        "1=h:1:2:3:4"
      })
  void refusesAnotherFormNamingTheRightOne(String text) {
    assertThatThrownBy(() -> RaftSettings.parsePeer(text))
        .hasMessageContaining("'" + text + "'")
        .hasMessageContaining("id=host:raftPort:grpcPort");
  }

  @Test
  void thisCoordinatorMustBeOneOfThePeers() {
    List<Member> peers = List.of(new Member("1", "h", 1, 2, 3));
    assertThatThrownBy(() -> new RaftSettings("3", peers, Path.of("x"), 100))
        .hasMessageContaining("sluice.coordinator.id is 3")
        .hasMessageContaining("[1]");
  }

  @Test
  void oneThatIsAloneIsAsPatientAsThoseWhoMayJoinIt() {
    RaftProperties alone = RaftServers.properties(RaftSettings.single("1", Path.of("x"), 9123));
    List<Member> peers = List.of(new Member("1", "h", 1, 2, 3), new Member("2", "h", 4, 5, 6));
    RaftProperties two = RaftServers.properties(new RaftSettings("1", peers, Path.of("x"), 100));
    assertThat(RaftServerConfigKeys.Rpc.timeoutMin(alone))
        .isEqualTo(RaftServerConfigKeys.Rpc.timeoutMin(two));
    assertThat(RaftServerConfigKeys.Rpc.timeoutMax(alone))
        .isEqualTo(RaftServerConfigKeys.Rpc.timeoutMax(two));
    // Its first election needs nobody.
    assertThat(RaftServerConfigKeys.Rpc.firstElectionTimeoutMax(alone))
        .isLessThan(RaftServerConfigKeys.Rpc.firstElectionTimeoutMin(two));
  }

  @Test
  void anIdIsGivenOnce() {
    List<Member> peers = List.of(new Member("1", "h", 1, 2, 3), new Member("1", "h", 4, 5, 6));
    assertThatThrownBy(() -> new RaftSettings("1", peers, Path.of("x"), 100))
        .hasMessageContaining("an id twice");
  }
}
