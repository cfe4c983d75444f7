package io.sluice.tablet.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.cluster.v1.ServerAddress;
import io.sluice.tablet.replication.stream.PeerAddresses.Peer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ServerDirectoryTest {
  private static ServerAddress server(int id, int port, String incarnation, boolean alive) {
    return ServerAddress.newBuilder()
        .setServerId(id)
        .setHost("tablet-" + id)
        .setFlightPort(port)
        .setIncarnation(incarnation)
        .setAlive(alive)
        .build();
  }

  @Test
  void knowsWhatTheCoordinatorSaysAndTellsOfChanges() {
    ServerDirectory directory = new ServerDirectory(List.of());
    List<Integer> changed = new ArrayList<>();
    directory.onChange(changed::add);
    assertThat(directory.peer(1)).isNull();
    directory.update(List.of(server(1, 9223, "a", true), server(2, 9224, "b", false)));
    assertThat(directory.peer(1)).isEqualTo(new Peer("tablet-1:9223", "a"));
    assertThat(directory.alive(1)).isTrue();
    assertThat(directory.alive(2)).isFalse();
    directory.update(List.of(server(1, 9223, "a", false), server(2, 9224, "c", true)));
    assertThat(directory.alive(1)).isFalse();
    // Whether a server is alive says nothing about where it is.
    assertThat(changed).containsExactly(1, 2, 2);
  }

  @Test
  void reachesThoseElsewhereThatAreSetElsewhere() {
    ServerDirectory directory = new ServerDirectory(List.of("2=127.0.0.1:7002", " 3 = proxy:1 "));
    assertThat(directory.peer(2)).isEqualTo(new Peer("127.0.0.1:7002", ""));
    directory.update(List.of(server(1, 9223, "a", true), server(2, 9224, "b", true)));
    assertThat(directory.peer(1)).isEqualTo(new Peer("tablet-1:9223", "a"));
    assertThat(directory.peer(2)).isEqualTo(new Peer("127.0.0.1:7002", "b"));
    assertThat(directory.peer(3)).isEqualTo(new Peer("proxy:1", ""));
  }

  @Test
  void namesThoseThatAreAliveToClientsAsTheyNameThemselves() {
    ServerDirectory directory = new ServerDirectory(List.of("1=proxy:1"));
    assertThat(directory.clientAddress(1)).isNull();
    directory.update(List.of(server(1, 9223, "a", true), server(2, 9224, "b", false)));
    assertThat(directory.clientAddress(1)).isEqualTo("tablet-1:9223");
    assertThat(directory.clientAddress(2)).isNull();
  }

  @Test
  void refusesEntriesThatNameNoServer() {
    for (String entry : List.of("127.0.0.1:7002", "x=127.0.0.1:7002", "0=a:1", "2=")) {
      assertThatThrownBy(() -> new ServerDirectory(List.of(entry)))
          .isInstanceOf(SluiceException.class)
          .extracting(e -> ((SluiceException) e).code())
          .isIn(ErrorCode.INVALID_OPTION, ErrorCode.INVALID_ARGUMENT);
    }
  }
}
