package io.sluice.coordinator.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The same code with three listed peers. */
class RaftGroupTest {
  private static final Duration SOON = Duration.ofSeconds(60);

  @TempDir Path home;

  @Test
  void followersNameTheLeaderAndAnotherOneLeadsWhenItStops() throws Exception {
    List<RaftSettings.Peer> peers = peers();
    List<RaftMetadataLog> logs = new ArrayList<>();
    try {
      for (RaftSettings.Peer peer : peers) {
        RaftMetadataLog log =
            new RaftMetadataLog(
                new RaftSettings(peer.id(), peers, home.resolve(peer.id()), 1_000_000));
        logs.add(log);
        log.start();
      }
      RaftMetadataLog leader = leaderOf(logs);
      leader.submit(new Command.CreateDatabase("demo", "", 1)).join();
      RaftMetadataLog follower = logs.stream().filter(log -> log != leader).findFirst().get();
      SluiceException refused = failure(follower);
      assertThat(refused.code()).isEqualTo(ErrorCode.NOT_COORDINATOR_LEADER);
      assertThat(refused.details())
          .containsEntry("leader", peers.get(logs.indexOf(leader)).clientAddress());

      logs.remove(leader);
      leader.close();
      RaftMetadataLog next = leaderOf(logs);
      MetadataImage image = next.readLatest().join();
      assertThat(image.state().databases().containsKey("demo")).isTrue();
      next.submit(new Command.CreateDatabase("after", "", 2)).join();
      Await.until(
          "every coordinator has applied it",
          SOON,
          () ->
              logs.stream()
                  .allMatch(log -> log.current().state().databases().containsKey("after")));
      assertThat(logs.get(0).current()).isEqualTo(logs.get(1).current());
    } finally {
      for (RaftMetadataLog log : logs) {
        log.close();
      }
    }
  }

  private static RaftMetadataLog leaderOf(List<RaftMetadataLog> logs) {
    Await.until("one of them leads", SOON, () -> logs.stream().anyMatch(RaftMetadataLog::leads));
    return logs.stream().filter(RaftMetadataLog::leads).findFirst().orElseThrow();
  }

  private static SluiceException failure(RaftMetadataLog log) {
    try {
      log.submit(new Command.InitWriter("w")).join();
    } catch (CompletionException e) {
      return (SluiceException) e.getCause();
    }
    throw new AssertionError("A follower accepted a command");
  }

  private static List<RaftSettings.Peer> peers() throws IOException {
    List<RaftSettings.Peer> peers = new ArrayList<>();
    List<ServerSocket> held = new ArrayList<>();
    for (int id = 1; id <= 3; id++) {
      ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
      held.add(socket);
      peers.add(
          new RaftSettings.Peer(String.valueOf(id), "127.0.0.1", socket.getLocalPort(), 9122 + id));
    }
    for (ServerSocket socket : held) {
      socket.close();
    }
    return peers;
  }
}
