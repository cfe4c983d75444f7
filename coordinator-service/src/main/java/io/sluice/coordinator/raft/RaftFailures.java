package io.sluice.coordinator.raft;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.coordinator.metadata.CoordinatorGroup.Member;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.exceptions.AlreadyClosedException;
import org.apache.ratis.protocol.exceptions.LeaderNotReadyException;
import org.apache.ratis.protocol.exceptions.LeaderSteppingDownException;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.protocol.exceptions.ReadException;
import org.apache.ratis.protocol.exceptions.ReadIndexException;
import org.apache.ratis.protocol.exceptions.ReconfigurationInProgressException;
import org.apache.ratis.protocol.exceptions.ReconfigurationTimeoutException;
import org.apache.ratis.protocol.exceptions.ResourceUnavailableException;
import org.apache.ratis.protocol.exceptions.ServerNotReadyException;
import org.apache.ratis.protocol.exceptions.StateMachineException;
import org.apache.ratis.thirdparty.io.grpc.StatusRuntimeException;
import org.jspecify.annotations.Nullable;

/** Ratis' failures in our terms. */
final class RaftFailures {
  private static final int MAX_CAUSES = 16;
  private static final String OUTCOME = "outcome";
  private static final String UNKNOWN = "unknown";

  private RaftFailures() {}

  static SluiceException toSluice(@Nullable Throwable failure, RaftSettings settings) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (cause instanceof SluiceException sluice) {
      return sluice;
    }
    if (cause instanceof NotLeaderException notLeader) {
      return notLeader(notLeader.getSuggestedLeader(), settings, cause);
    }
    if (cause instanceof ReconfigurationInProgressException) {
      return new SluiceException(
          ErrorCode.BACKPRESSURE, "Another change of the coordinators is under way", cause);
    }
    if (cause instanceof ReconfigurationTimeoutException) {
      return new SluiceException(
          ErrorCode.UNAVAILABLE,
          "The coordinator that is to join did not answer, so the group stays as it was. It must run"
              + " with sluice.coordinator.join=true and be reached by the others at the host and raft"
              + " port that were given; then ask again",
          cause);
    }
    if (cause instanceof TimeoutException) {
      return new SluiceException(
          ErrorCode.TIMEOUT,
          "The coordinators did not answer in time; whether the change was made is not known",
          cause);
    }
    if (cause instanceof ResourceUnavailableException) {
      return new SluiceException(
          ErrorCode.BACKPRESSURE, "The coordinator has too much to do; try again", cause);
    }
    if (cause instanceof StateMachineException && cause.getCause() instanceof SluiceException own) {
      return own;
    }
    if (isUnavailable(cause)) {
      return new SluiceException(
          ErrorCode.UNAVAILABLE,
          "No coordinator leads as far as this one knows: it starts or stops, an election is under"
              + " way, or more than half of the coordinators are away (./sluice status); try again",
          cause);
    }
    return new SluiceException(ErrorCode.INTERNAL, "The metadata log failed: " + cause, cause);
  }

  /**
   * As {@link #toSluice} for a command that this coordinator had taken: when it lost the leadership
   * meanwhile, whether the command is in the log is not known.
   */
  static SluiceException ofAccepted(@Nullable Throwable failure, RaftSettings settings) {
    SluiceException reported = toSluice(failure, settings);
    if (reported.code() != ErrorCode.NOT_COORDINATOR_LEADER) {
      return reported;
    }
    Map<String, String> details = new HashMap<>(reported.details());
    details.put(OUTCOME, UNKNOWN);
    return new SluiceException(
        ErrorCode.NOT_COORDINATOR_LEADER,
        reported.getMessage() + "; whether the change was made is not known",
        details,
        reported);
  }

  /** Why the log cannot be opened: our own reason where there is one among the causes. */
  static SluiceException ofStart(Throwable failure, RaftSettings settings) {
    Throwable cause = failure;
    for (int i = 0; i < MAX_CAUSES && cause != null; i++) {
      if (cause instanceof SluiceException own) {
        return own;
      }
      cause = cause.getCause();
    }
    return new SluiceException(
        ErrorCode.STORAGE_ERROR,
        "The metadata log in " + settings.directory() + " cannot be opened: " + failure,
        failure);
  }

  private static boolean isUnavailable(@Nullable Throwable cause) {
    // The last one when a read asks a leader that is gone how far it is.
    return cause instanceof LeaderNotReadyException
        || cause instanceof LeaderSteppingDownException
        || cause instanceof AlreadyClosedException
        || cause instanceof ServerNotReadyException
        || cause instanceof ReadIndexException
        || cause instanceof ReadException
        || cause instanceof StatusRuntimeException;
  }

  private static SluiceException notLeader(
      @Nullable RaftPeer leader, RaftSettings settings, Throwable cause) {
    return notLeader(settings.id(), leader == null ? null : RaftServers.toMember(leader), cause);
  }

  /**
   * What a coordinator says that does not lead: the details {@code leader}, its address for
   * clients, and {@code leader_id}.
   *
   * @param leader the one that leads, null when that is not known
   */
  static SluiceException notLeader(
      String self, @Nullable Member leader, @Nullable Throwable cause) {
    return leader == null
        ? new SluiceException(
            ErrorCode.NOT_COORDINATOR_LEADER,
            "Coordinator "
                + self
                + " does not lead and knows no leader: an election is under way, or more than half of"
                + " the coordinators are away (./sluice status); try again",
            cause)
        : new SluiceException(
            ErrorCode.NOT_COORDINATOR_LEADER,
            "Coordinator " + self + " does not lead; ask " + leader.grpcAddress(),
            Map.of("leader", leader.grpcAddress(), "leader_id", leader.id()),
            cause);
  }
}
