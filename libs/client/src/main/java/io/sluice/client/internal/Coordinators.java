package io.sluice.client.internal;

import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.MoreExecutors;
import io.sluice.common.ErrorCode;
import io.sluice.common.HostPort;
import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.metadata.v1.MetadataServiceGrpc;
import io.sluice.protocol.metadata.v1.MetadataServiceGrpc.MetadataServiceFutureStub;
import java.net.ConnectException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Requests to the metadata service. Asks the coordinator that answered last; after a failure the
 * one it names as leader, else the next of the list, at once; only when all have failed in a row it
 * pauses. Thread-safe.
 */
public final class Coordinators {
  /** Of one attempt where there is another coordinator to ask. */
  private static final long ATTEMPT_MS = 4_000;

  private static final long ONLY_ATTEMPT_MS = 10_000;
  private static final int MAX_CAUSES = 16;
  private static final String LEADER = "leader";
  private static final String OUTCOME = "outcome";
  private static final String UNKNOWN = "unknown";

  private final Channels channels;
  private final List<String> configured;
  private final long timeoutNanos;
  private final TimeSource time;
  private volatile String current;

  Coordinators(Channels channels, List<String> configured, Duration timeout, TimeSource time) {
    this.channels = channels;
    this.configured = List.copyOf(configured);
    this.timeoutNanos = timeout.toNanos();
    this.time = time;
    this.configured.forEach(address -> HostPort.parse("Server address", address));
    this.current = this.configured.get(0);
  }

  /**
   * Asks until there is an answer, a failure that another try cannot change, or the request
   * time-out has passed. For what may be done twice.
   *
   * @param what for messages, for example "Looking up table demo.flights"
   */
  public <A> A call(String what, Function<MetadataServiceFutureStub, ListenableFuture<A>> request) {
    return call(what, request, false);
  }

  /**
   * As {@link #call} for a change. When it fails in the end and an earlier try has no known
   * outcome, the failure says so and has the detail {@code outcome=unknown}: see {@link
   * #mayHaveBeenDone}.
   */
  public <A> A change(
      String what, Function<MetadataServiceFutureStub, ListenableFuture<A>> request) {
    return call(what, request, true);
  }

  private <A> A call(
      String what,
      Function<MetadataServiceFutureStub, ListenableFuture<A>> request,
      boolean changes) {
    long deadline = time.nanoTime() + timeoutNanos;
    boolean mayBeDone = false;
    int sincePause = 0;
    int pauses = 0;
    while (true) {
      String asked = current;
      try {
        return Waits.await(ask(request), deadline - time.nanoTime(), what);
      } catch (SluiceException e) {
        if (!e.code().retriable()) {
          throw mayBeDone ? afterUnknown(e) : e;
        }
        mayBeDone |= changes && mayHaveBeenDone(e);
        sincePause++;
        boolean another = !current.equals(asked) && sincePause <= configured.size();
        long pause = another ? 0 : Backoff.pauseNanos(++pauses, e);
        if (deadline - time.nanoTime() <= pause) {
          throw gaveUp(what, asked, e, mayBeDone);
        }
        if (pause > 0) {
          sincePause = 0;
          Waits.pause(pause, what);
        }
      }
    }
  }

  private static SluiceException gaveUp(
      String what, String asked, SluiceException last, boolean mayBeDone) {
    return new SluiceException(
        last.code(),
        what + " failed, last at coordinator " + asked + ": " + last.getMessage(),
        mayBeDone ? withUnknown(last) : last.details(),
        last);
  }

  /** Whether what was asked for may have been done although it failed. */
  public static boolean mayHaveBeenDone(SluiceException failure) {
    return UNKNOWN.equals(failure.details().get(OUTCOME))
        || failure.code() == ErrorCode.TIMEOUT
        || (failure.code() == ErrorCode.UNAVAILABLE && !isUnreachable(failure));
  }

  /** Whether there was no connection at all, so that nothing was sent. */
  private static boolean isUnreachable(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; i < MAX_CAUSES && cause != null; i++) {
      if (cause instanceof ConnectException) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  private static SluiceException afterUnknown(SluiceException failure) {
    return new SluiceException(
        failure.code(),
        failure.getMessage()
            + " (a coordinator was lost before it answered an earlier try of this request, which"
            + " may have been what did it)",
        withUnknown(failure),
        failure);
  }

  private static Map<String, String> withUnknown(SluiceException failure) {
    Map<String, String> details = new HashMap<>(failure.details());
    details.put(OUTCOME, UNKNOWN);
    return details;
  }

  /** Asks once, without blocking. The future fails with a {@link SluiceException}. */
  <A> CompletableFuture<A> ask(Function<MetadataServiceFutureStub, ListenableFuture<A>> request) {
    String asked = current;
    CompletableFuture<A> answer = new CompletableFuture<>();
    try {
      MetadataServiceFutureStub stub =
          MetadataServiceGrpc.newFutureStub(channels.control(asked))
              .withDeadlineAfter(
                  configured.size() > 1 ? ATTEMPT_MS : ONLY_ATTEMPT_MS, TimeUnit.MILLISECONDS);
      Futures.addCallback(
          request.apply(stub),
          new FutureCallback<A>() {
            @Override
            public void onSuccess(@Nullable A result) {
              answer.complete(Objects.requireNonNull(result));
            }

            @Override
            public void onFailure(Throwable cause) {
              SluiceException failure = StatusMapping.fromStatus(cause);
              moveOn(asked, failure);
              answer.completeExceptionally(failure);
            }
          },
          MoreExecutors.directExecutor());
    } catch (SluiceException e) {
      answer.completeExceptionally(e);
    }
    return answer;
  }

  private synchronized void moveOn(String failed, SluiceException failure) {
    if (!failure.code().retriable() || !current.equals(failed)) {
      return;
    }
    String leader = failure.details().get(LEADER);
    if (failure.code() == ErrorCode.NOT_COORDINATOR_LEADER && leader != null && !leader.isEmpty()) {
      current = leader;
      return;
    }
    if (failure.code() == ErrorCode.BACKPRESSURE) {
      return;
    }
    int at = configured.indexOf(failed);
    current = configured.get((at + 1) % configured.size());
  }
}
