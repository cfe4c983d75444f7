package io.sluice.coordinator.raft;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
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
import org.apache.ratis.protocol.exceptions.ResourceUnavailableException;
import org.apache.ratis.protocol.exceptions.ServerNotReadyException;
import org.apache.ratis.protocol.exceptions.StateMachineException;
import org.jspecify.annotations.Nullable;

/** Ratis' failures in our terms. */
final class RaftFailures {
  private static final int MAX_CAUSES = 16;

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
          ErrorCode.UNAVAILABLE, "The coordinator is starting or stopping; try again", cause);
    }
    return new SluiceException(ErrorCode.INTERNAL, "The metadata log failed: " + cause, cause);
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
    return cause instanceof LeaderNotReadyException
        || cause instanceof LeaderSteppingDownException
        || cause instanceof AlreadyClosedException
        || cause instanceof ServerNotReadyException
        || cause instanceof ReadIndexException
        || cause instanceof ReadException;
  }

  private static SluiceException notLeader(
      @Nullable RaftPeer leader, RaftSettings settings, Throwable cause) {
    String address = leader == null ? "" : clientAddress(leader, settings);
    return address.isEmpty()
        ? new SluiceException(
            ErrorCode.NOT_COORDINATOR_LEADER,
            "Coordinator " + settings.id() + " does not lead and knows no leader yet; try again",
            cause)
        : new SluiceException(
            ErrorCode.NOT_COORDINATOR_LEADER,
            "Coordinator " + settings.id() + " does not lead; ask " + address,
            Map.of("leader", address),
            cause);
  }

  private static String clientAddress(RaftPeer leader, RaftSettings settings) {
    return settings.peers().stream()
        .filter(peer -> peer.id().equals(leader.getId().toString()))
        .map(RaftSettings.Peer::clientAddress)
        .findFirst()
        .orElse("");
  }
}
