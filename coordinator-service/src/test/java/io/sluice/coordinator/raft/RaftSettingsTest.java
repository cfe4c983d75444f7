package io.sluice.coordinator.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RaftSettingsTest {
  @Test
  void parsesAPeer() {
    RaftSettings.Peer peer = RaftSettings.parsePeer("2=10.0.0.7:9133:9123");
    assertThat(peer).isEqualTo(new RaftSettings.Peer("2", "10.0.0.7", 9133, 9123));
    assertThat(peer.clientAddress()).isEqualTo("10.0.0.7:9123");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "1", "=h:1:2", "1=h:1", "1=h:0:2", "1=h:70000:2", "1=h:x:2", "1=h:1:2:3"})
  void refusesAnotherFormNamingTheRightOne(String text) {
    assertThatThrownBy(() -> RaftSettings.parsePeer(text))
        .hasMessageContaining("'" + text + "'")
        .hasMessageContaining("id=host:raftPort:grpcPort");
  }

  @Test
  void thisCoordinatorMustBeOneOfThePeers() {
    List<RaftSettings.Peer> peers = List.of(new RaftSettings.Peer("1", "h", 1, 2));
    assertThatThrownBy(() -> new RaftSettings("3", peers, Path.of("x"), 100))
        .hasMessageContaining("sluice.coordinator.id is 3")
        .hasMessageContaining("[1]");
  }
}
