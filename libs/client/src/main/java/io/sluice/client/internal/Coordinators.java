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
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Requests to the metadata service. Asks the coordinator that answered last; after a failure the
 * one it names as leader, else the next of the list. Thread-safe.
 */
public final class Coordinators {
  private static final long ATTEMPT_SECONDS = 10;
  private static final String LEADER = "leader";

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
   * time-out has passed.
   *
   * @param what for messages, for example "Creating table demo.flights"
   */
  public <A> A call(String what, Function<MetadataServiceFutureStub, ListenableFuture<A>> request) {
    long deadline = time.nanoTime() + timeoutNanos;
    for (int failures = 1; ; failures++) {
      long left = deadline - time.nanoTime();
      String asked = current;
      try {
        return Waits.await(ask(request), left, what);
      } catch (SluiceException e) {
        long pause = Backoff.pauseNanos(failures);
        if (!e.code().retriable()) {
          throw e;
        }
        if (deadline - time.nanoTime() < pause) {
          throw new SluiceException(
              e.code(),
              what + " failed, last at coordinator " + asked + ": " + e.getMessage(),
              e.details(),
              e);
        }
        Waits.pause(pause, what);
      }
    }
  }

  /** Asks once, without blocking. The future fails with a {@link SluiceException}. */
  <A> CompletableFuture<A> ask(Function<MetadataServiceFutureStub, ListenableFuture<A>> request) {
    String asked = current;
    CompletableFuture<A> answer = new CompletableFuture<>();
    try {
      MetadataServiceFutureStub stub =
          MetadataServiceGrpc.newFutureStub(channels.control(asked))
              .withDeadlineAfter(ATTEMPT_SECONDS, TimeUnit.SECONDS);
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
    if (failure.code() == ErrorCode.NOT_COORDINATOR_LEADER && leader != null) {
      current = leader;
      return;
    }
    int at = configured.indexOf(failed);
    current = configured.get((at + 1) % configured.size());
  }
}
