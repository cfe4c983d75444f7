package io.sluice.tablet.coordinator;

import io.grpc.stub.StreamObserver;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.protocol.cluster.v1.AlterIsrRequest;
import io.sluice.protocol.cluster.v1.AlterIsrResponse;
import io.sluice.protocol.cluster.v1.ClusterServiceGrpc;
import io.sluice.protocol.cluster.v1.IsrChange;
import io.sluice.protocol.cluster.v1.IsrDecision;
import io.sluice.protocol.cluster.v1.IsrMember;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.tablet.replication.IsrProposals;
import io.sluice.tablet.replication.IsrTracker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Takes proposals to the coordinator, one call at a time: what is proposed while one is on its way
 * travels with the next. A call that is not answered is made again, there or at the coordinator
 * that leads by then, until it is: deciding twice does no harm, since the second time the version
 * is not the newest. Thread-safe.
 */
public final class IsrClient implements IsrProposals, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(IsrClient.class);
  private static final int MAX_CHANGES = 1_000;

  private final CoordinatorChannels channels;
  private final int serverId;
  private final Duration timeout;
  private final SessionTimings timings;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread made = new Thread(task, "in-sync-proposals");
            made.setDaemon(true);
            return made;
          });
  // Guarded by this.
  private final Deque<Ask> waiting = new ArrayDeque<>();
  private boolean asking;
  // Of the one call.
  private long backOffMs;
  private boolean failing;

  /** A proposal and who waits for its outcome. */
  private record Ask(TableBucket bucket, IsrTracker.Proposal proposal, Consumer<Decision> then) {}

  /**
   * @param serverId this server, which leads the buckets that ask
   * @param timeout bound of one call
   * @param timings pauses between calls that fail
   */
  public IsrClient(
      CoordinatorChannels channels, int serverId, Duration timeout, SessionTimings timings) {
    this.channels = channels;
    this.serverId = serverId;
    this.timeout = timeout;
    this.timings = timings;
    this.backOffMs = timings.minBackOffMs();
  }

  @Override
  public void ask(TableBucket bucket, IsrTracker.Proposal proposal, Consumer<Decision> then) {
    synchronized (this) {
      waiting.add(new Ask(bucket, proposal, then));
      if (asking) {
        return;
      }
      asking = true;
    }
    callAfter(0);
  }

  private void callAfter(long millis) {
    try {
      thread.schedule(this::call, millis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("Nothing is proposed any more: this server is stopping");
    }
  }

  private void call() {
    List<Ask> asks = new ArrayList<>();
    synchronized (this) {
      while (asks.size() < MAX_CHANGES && !waiting.isEmpty()) {
        asks.add(waiting.remove());
      }
      asking = !asks.isEmpty();
    }
    if (asks.isEmpty()) {
      return;
    }
    AlterIsrRequest.Builder request = AlterIsrRequest.newBuilder().setServerId(serverId);
    asks.forEach(ask -> request.addChanges(change(ask)));
    Answer answer = new Answer(channels.current(), asks);
    try {
      ClusterServiceGrpc.newStub(channels.channel(answer.address))
          .withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS)
          .alterIsr(request.build(), answer);
    } catch (RuntimeException e) {
      answer.onError(e);
    }
  }

  private static IsrChange change(Ask ask) {
    IsrChange.Builder change =
        IsrChange.newBuilder()
            .setBucket(ReplicaAssignments.toProto(ask.bucket()))
            .setLeaderEpoch(ask.proposal().leaderEpoch())
            .setIsrVersion(ask.proposal().isrVersion());
    for (IsrTracker.Member member : ask.proposal().members()) {
      change.addIsr(
          IsrMember.newBuilder()
              .setServerId(member.serverId())
              .setIncarnation(member.incarnation()));
    }
    return change.build();
  }

  private void answered(String address, List<Ask> asks, AlterIsrResponse response) {
    if (response.getDecisionsCount() != asks.size()) {
      failed(
          address,
          asks,
          new SluiceException(
              ErrorCode.INTERNAL,
              asks.size() + " changes were answered by " + response.getDecisionsCount()));
      return;
    }
    backOffMs = timings.minBackOffMs();
    failing = false;
    for (int i = 0; i < asks.size(); i++) {
      Ask ask = asks.get(i);
      try {
        ask.then().accept(decision(ask.bucket(), response.getDecisions(i)));
      } catch (RuntimeException defect) {
        LOG.error("The decision about {} was not taken in", ask.bucket(), defect);
      }
    }
    callAfter(0);
  }

  private static Decision decision(TableBucket bucket, IsrDecision decision) {
    SluiceException refusal = null;
    if (!decision.getCode().isEmpty()) {
      refusal = new SluiceException(code(decision.getCode()), decision.getMessage());
      LOG.debug("The in-sync set of {} stays: {} {}", bucket, refusal.code(), refusal.getMessage());
    }
    BucketState now =
        decision.hasState()
            ? new BucketState(
                decision.getState().getLeaderServerId(),
                decision.getState().getLeaderEpoch(),
                decision.getState().getReplicasList(),
                decision.getState().getIsrList(),
                decision.getState().getIsrVersion(),
                decision.getState().getMinInsync())
            : null;
    return new Decision(refusal, now);
  }

  private static ErrorCode code(String name) {
    for (ErrorCode code : ErrorCode.values()) {
      if (code.name().equals(name)) {
        return code;
      }
    }
    // A newer coordinator's reason: it is a refusal all the same.
    return ErrorCode.STALE_ISR;
  }

  /** The outcome is unknown: all is asked again, before what has come since. */
  private void failed(String address, List<Ask> asks, SluiceException why) {
    synchronized (this) {
      for (int i = asks.size() - 1; i >= 0; i--) {
        waiting.addFirst(asks.get(i));
      }
    }
    // Once, however many coordinators are asked until one answers.
    LOG.atLevel(failing ? Level.DEBUG : Level.WARN)
        .log("Coordinator {} did not decide on in-sync sets: {}", address, why.getMessage());
    failing = true;
    channels.moveOn(address, why);
    callAfter(backOffMs);
    backOffMs = timings.nextBackOffMs(backOffMs);
  }

  /** Asks no more; whoever waits hears nothing. */
  @Override
  public void close() {
    thread.shutdownNow();
  }

  /** The one answer to a call. */
  private final class Answer implements StreamObserver<AlterIsrResponse> {
    private final String address;
    private final List<Ask> asks;
    private final AtomicBoolean done = new AtomicBoolean();

    Answer(String address, List<Ask> asks) {
      this.address = address;
      this.asks = asks;
    }

    @Override
    public void onNext(AlterIsrResponse response) {
      end(response, null);
    }

    @Override
    public void onError(Throwable failure) {
      end(null, StatusMapping.fromStatus(failure));
    }

    @Override
    public void onCompleted() {
      end(null, new SluiceException(ErrorCode.UNAVAILABLE, "The call ended without an answer"));
    }

    /** Goes on in the client's own thread. */
    private void end(@Nullable AlterIsrResponse response, @Nullable SluiceException failure) {
      if (!done.compareAndSet(false, true)) {
        return;
      }
      try {
        thread.execute(
            () -> {
              if (response != null) {
                answered(address, asks, response);
              } else if (failure != null) {
                failed(address, asks, failure);
              }
            });
      } catch (RejectedExecutionException e) {
        LOG.debug("The decision of {} came after the stop", address);
      }
    }
  }
}
