package io.sluice.tiering.job;

import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.tiering.v1.FailureScope;
import io.sluice.tiering.job.RoundResult.Failed;
import io.sluice.tiering.job.RoundResult.Weight;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.util.Locale;
import org.apache.arrow.memory.OutOfMemoryException;
import org.jspecify.annotations.Nullable;

/**
 * Whose fault a failure is, which decides what the queue does: a table backs off alone, a worker is
 * drained, a lake stops all rounds until it answers again.
 *
 * <ul>
 *   <li>WORKER: no memory, no space on the disk, code that cannot be loaded
 *   <li>LAKE: lake-service away or its catalog or store failing, the store refusing our files
 *   <li>TABLE: everything else, which is the data, the schema, or a tablet of the table; a tablet
 *       or coordinator that is only away is an outage, which does not count toward quarantine
 * </ul>
 */
final class FailureScopes {
  private static final int MAX_CAUSES = 8;

  private FailureScopes() {}

  /** What an error of lake-service means for a round. */
  static Failed ofLake(ErrorCode code, @Nullable String message) {
    String cause = code + ": " + message;
    return switch (code) {
      case FENCED_ROUND -> new Failed(cause, FailureScope.FAILURE_TABLE, Weight.SUPERSEDED);
      case UNAVAILABLE,
          NOT_COORDINATOR_LEADER,
          TIMEOUT,
          BACKPRESSURE,
          CANCELLED,
          STORAGE_ERROR,
          DISK_FULL,
          UNAUTHENTICATED,
          PERMISSION_DENIED ->
          new Failed("lake-service: " + cause, FailureScope.FAILURE_LAKE, Weight.COUNTED);
      default -> new Failed("lake-service: " + cause, FailureScope.FAILURE_TABLE, Weight.COUNTED);
    };
  }

  /** What a failure while planning, reading or writing means. */
  static Failed of(Throwable failure) {
    Throwable current = failure;
    for (int i = 0; i < MAX_CAUSES && current != null && !ofServer(current); i++) {
      FailureScope scope = knownScope(current);
      if (scope != null) {
        return new Failed(describe(current), scope, Weight.COUNTED);
      }
      current = current.getCause();
    }
    return new Failed(
        describe(failure),
        FailureScope.FAILURE_TABLE,
        isOutage(failure) ? Weight.OUTAGE : Weight.COUNTED);
  }

  /**
   * Whether it is a server's answer, or that there was none. What lies below it is of the network:
   * an exception of input and output there says nothing about the lake's files.
   */
  private static boolean ofServer(Throwable failure) {
    return failure instanceof StatusRuntimeException
        || failure instanceof StatusException
        || failure instanceof SocketException;
  }

  /** A tablet or coordinator that is away, restarting or busy says so with a retriable code. */
  private static boolean isOutage(Throwable failure) {
    SluiceException found = SluiceException.findIn(failure);
    return found != null && found.code().retriable();
  }

  private static @Nullable FailureScope knownScope(Throwable failure) {
    if (failure instanceof Error || failure instanceof OutOfMemoryException) {
      return FailureScope.FAILURE_WORKER;
    }
    if (failure instanceof UncheckedIOException) {
      return null;
    }
    if (failure instanceof IOException) {
      String message = String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
      boolean full = message.contains("no space left") || message.contains("quota exceeded");
      return full ? FailureScope.FAILURE_WORKER : FailureScope.FAILURE_LAKE;
    }
    return null;
  }

  private static String describe(Throwable failure) {
    if (failure instanceof SluiceException sluice) {
      return sluice.code() + ": " + sluice.getMessage();
    }
    return failure.getMessage() == null
        ? failure.getClass().getSimpleName()
        : failure.getClass().getSimpleName() + ": " + failure.getMessage();
  }
}
