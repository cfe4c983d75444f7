package io.sluice.coordinator.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.exceptions.LeaderNotReadyException;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.protocol.exceptions.ReconfigurationInProgressException;
import org.apache.ratis.protocol.exceptions.ReconfigurationTimeoutException;
import org.apache.ratis.thirdparty.io.grpc.Status;
import org.junit.jupiter.api.Test;

class RaftFailuresTest {
  private static final RaftSettings SETTINGS = RaftSettings.single("1", Path.of("x"), 9123);
  private static final RaftGroupMemberId SELF =
      RaftGroupMemberId.valueOf(RaftPeerId.valueOf("1"), RaftServers.GROUP);

  private static NotLeaderException notLeader(RaftPeer leader) {
    return new NotLeaderException(SELF, leader, List.of());
  }

  private static RaftPeer peer() {
    return RaftPeer.newBuilder().setId("2").setAddress("h:9134").setClientAddress("h:9124").build();
  }

  private static ErrorCode codeOf(Throwable failure) {
    return RaftFailures.toSluice(new CompletionException(failure), SETTINGS).code();
  }

  @Test
  void oneThatDoesNotLeadNamesWhoDoes() {
    SluiceException named = RaftFailures.toSluice(notLeader(peer()), SETTINGS);
    assertThat(named.code()).isEqualTo(ErrorCode.NOT_COORDINATOR_LEADER);
    assertThat(named.details()).isEqualTo(Map.of("leader", "h:9124", "leader_id", "2"));
    SluiceException unknown = RaftFailures.toSluice(notLeader(null), SETTINGS);
    assertThat(unknown.details()).isEmpty();
    assertThat(unknown).hasMessageContaining("./sluice status").hasMessageContaining("try again");
  }

  @Test
  void whatBecomesOfACommandThatWasTakenIsNotKnownWhenTheLeadershipIsLost() {
    assertThat(RaftFailures.ofAccepted(notLeader(peer()), SETTINGS).details())
        .containsEntry("outcome", "unknown")
        .containsEntry("leader", "h:9124");
    assertThat(RaftFailures.ofAccepted(new TimeoutException(), SETTINGS).code())
        .isEqualTo(ErrorCode.TIMEOUT);
  }

  @Test
  void whatPassesMayBeTriedAgain() {
    assertThat(codeOf(new LeaderNotReadyException(SELF))).isEqualTo(ErrorCode.UNAVAILABLE);
    // A read at a follower whose leader has just died.
    assertThat(codeOf(Status.UNAVAILABLE.asRuntimeException())).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(codeOf(new ReconfigurationInProgressException("another")))
        .isEqualTo(ErrorCode.BACKPRESSURE);
    SluiceException silent =
        RaftFailures.toSluice(new ReconfigurationTimeoutException("no progress"), SETTINGS);
    assertThat(silent.code()).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(silent).hasMessageContaining("sluice.coordinator.join=true");
    assertThat(codeOf(new IllegalStateException("a defect"))).isEqualTo(ErrorCode.INTERNAL);
  }
}
