package io.sluice.tablet.coordinator;

import io.grpc.ManagedChannel;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import io.sluice.protocol.cluster.v1.ClusterServiceGrpc;
import io.sluice.protocol.cluster.v1.CoordinatorMessage;
import io.sluice.protocol.cluster.v1.Heartbeat;
import io.sluice.protocol.cluster.v1.Leaving;
import io.sluice.protocol.cluster.v1.RegisterTablet;
import io.sluice.protocol.cluster.v1.TabletMessage;
import io.sluice.protocol.error.StatusMapping;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps this server registered. One thread owns everything here:
 *
 * <pre>
 * AWAY --connect, register--> JOINING --first image or delta--> REGISTERED
 * JOINING, REGISTERED --stream ends, state cannot be applied--> AWAY (back-off, next coordinator)
 * REGISTERED --heartbeats are not answered--> AWAY (next coordinator)
 * JOINING, REGISTERED --another process has registered under this id--> REPLACED
 * REGISTERED --leave--> LEAVING (still registered) --nothing left to hand over--> close
 * any --close--> CLOSED
 * </pre>
 *
 * <p>Appends and scans do not depend on it: while it is away the replicas keep their roles. A
 * server that was replaced must not register again, or the two would take the buckets from each
 * other for ever and rows would be stored now here, now there; it has to stop.
 */
public final class CoordinatorSession implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CoordinatorSession.class);
  private static final long STOP_TIMEOUT_MS = 5_000;

  /** A new leader is followed at once so often in a row: two may name each other. */
  private static final int MAX_REDIRECTS = 3;

  /** The first image may take so many times as long as anything else in the end. */
  private static final int MAX_PATIENCE = 8;

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** What reaches the session's thread: a message, or the end of the stream, or a wake-up. */
  private record Event(
      @Nullable Stream stream, @Nullable CoordinatorMessage message, @Nullable Throwable end) {}

  private final CoordinatorChannels channels;
  private final TabletIdentity identity;
  private final AssignedState state;
  private final TimeSource clock;
  private final SessionTimings timings;
  private final Runnable onApplied;
  private final Runnable onReplaced;
  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
  private final Thread thread;
  private volatile boolean closed;
  private volatile boolean connected;
  private volatile boolean registeredOnce;
  private final CompletableFuture<Boolean> left = new CompletableFuture<>();
  private volatile boolean leaving;
  // Of the session's thread.
  private final SessionReports reports;
  private long joinPatienceNanos;
  private long heardNanos;
  private long changedNanos;
  private boolean handingOver;

  /**
   * A session that does nothing until {@link #start}.
   *
   * @param onApplied run by the session's thread after each message of the coordinator was applied
   * @param onReplaced run by the session's thread, as the last thing it does, when another process
   *     has registered under this server's id; must not wait for {@link #close}
   */
  public CoordinatorSession(
      CoordinatorChannels channels,
      TabletIdentity identity,
      AssignedState state,
      TimeSource clock,
      SessionTimings timings,
      Runnable onApplied,
      Runnable onReplaced) {
    this.channels = channels;
    this.identity = identity;
    this.state = state;
    this.clock = clock;
    this.timings = timings;
    this.onApplied = onApplied;
    this.onReplaced = onReplaced;
    this.reports = new SessionReports(clock, timings.silenceNanos());
    this.joinPatienceNanos = timings.silenceNanos();
    this.thread = new Thread(this::run, "coordinator-session");
    this.thread.setDaemon(true);
  }

  /** Starts the session's thread; call it once, when the server's ports are open. */
  public void start() {
    thread.start();
  }

  /** Whether the coordinator knows this server right now. */
  public boolean connected() {
    return connected;
  }

  /** Whether the state of this cluster was received since the process started. */
  public boolean registeredOnce() {
    return registeredOnce;
  }

  /**
   * Says that this server is about to stop, and waits until it leads nothing any more that another
   * server could lead. It goes on serving meanwhile.
   *
   * @return whether all was handed over; at once false when no coordinator knows this server
   */
  public boolean leave(Duration timeout) {
    if (!connected || closed) {
      return false;
    }
    leaving = true;
    events.add(new Event(null, null, null));
    try {
      return left.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException | ExecutionException e) {
      LOG.warn("Stops although others could lead what it leads: not handed over in {}", timeout);
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    events.add(new Event(null, null, null));
    try {
      if (thread.isAlive()) {
        thread.join(STOP_TIMEOUT_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    long backOffMs = timings.minBackOffMs();
    int redirects = 0;
    while (!closed) {
      String address = channels.current();
      boolean joined = false;
      SluiceException end;
      try {
        end = new SluiceException(ErrorCode.UNAVAILABLE, "Stream closed by the coordinator");
        joined = serve(address);
      } catch (SessionEnded ended) {
        joined = ended.joined;
        end = ended.reason;
      } catch (RuntimeException e) {
        end = StatusMapping.fromStatus(e);
      }
      connected = false;
      if (closed) {
        return;
      }
      if (end.code() == ErrorCode.FENCED_LEADER_EPOCH) {
        LOG.error(
            "This server stops: another process uses its id. Coordinator {} says: {}; give each"
                + " tablet its own sluice.tablet.id",
            address,
            end.getMessage());
        onReplaced.run();
        return;
      }
      reports.ended(address, joined, end);
      if (leaving && clock.nanoTime() - changedNanos > timings.silenceNanos()) {
        // No coordinator is there that could have anybody take over.
        left.complete(false);
      }
      boolean redirected = channels.moveOn(address, end);
      redirects = redirected ? redirects + 1 : 0;
      if (redirected && redirects <= MAX_REDIRECTS) {
        continue;
      }
      backOffMs = joined ? timings.minBackOffMs() : timings.nextBackOffMs(backOffMs);
      pause(backOffMs);
    }
  }

  /** Runs one stream until it ends, which is always an exception unless this session is closed. */
  private boolean serve(String address) {
    Stream stream = new Stream();
    ManagedChannel channel = channels.channel(address);
    // The pauses are this session's own; gRPC's grow to minutes.
    channel.resetConnectBackoff();
    ClusterServiceGrpc.newStub(channel).tabletSession(stream);
    boolean joined = false;
    boolean answersHeartbeats = false;
    long sayLeavingNanos = clock.nanoTime();
    try {
      stream.send(TabletMessage.newBuilder().setRegister(registration()).build());
      heardNanos = clock.nanoTime();
      long nextHeartbeat = heardNanos + timings.heartbeatNanos();
      while (!closed) {
        Event event = poll(Math.min(nextHeartbeat - clock.nanoTime(), LOOK_NANOS));
        if (event != null && event.stream() == stream) {
          if (event.end() != null) {
            throw new SessionEnded(joined, StatusMapping.fromStatus(event.end()));
          }
          if (event.message() != null) {
            heardNanos = clock.nanoTime();
            answersHeartbeats |= event.message().hasAlive();
            if (!event.message().hasAlive()) {
              apply(event.message());
              changedNanos = clock.nanoTime();
              joined = joined(address, joined);
              onApplied.run();
              // What was just applied is reported at once: the coordinator may wait for it.
              nextHeartbeat = clock.nanoTime();
            }
            stream.request();
          }
        }
        checkSilence(address, joined, answersHeartbeats);
        if (leaving && joined) {
          sayLeavingNanos = handOver(stream, sayLeavingNanos);
        }
        if (clock.nanoTime() - nextHeartbeat >= 0) {
          stream.send(TabletMessage.newBuilder().setHeartbeat(heartbeat()).build());
          nextHeartbeat = clock.nanoTime() + timings.heartbeatNanos();
        }
      }
      return joined;
    } finally {
      stream.end(closed);
    }
  }

  /**
   * Gives up on a coordinator that does not answer heartbeats, if it is one that does, or does not
   * send the first image. It may be paused or cut off while another one leads; that it takes its
   * time for a large image is allowed for by more patience each time.
   */
  private void checkSilence(String address, boolean joined, boolean answersHeartbeats) {
    boolean waits = joined ? answersHeartbeats : channels.size() > 1;
    long patience = joined ? timings.silenceNanos() : joinPatienceNanos;
    if (!waits || clock.nanoTime() - heardNanos < patience) {
      return;
    }
    if (!joined) {
      joinPatienceNanos = Math.min(2 * patience, MAX_PATIENCE * timings.silenceNanos());
    }
    channels.renew(address);
    throw new SessionEnded(
        joined,
        new SluiceException(
            ErrorCode.UNAVAILABLE,
            "Nothing heard for " + TimeUnit.NANOSECONDS.toMillis(patience) + " ms"));
  }

  /**
   * Says that this server leaves, again and again: another replica may come into sync meanwhile.
   * Then sees whether it may.
   *
   * @param sayNanos when it is to be said; returns when the next time is
   */
  private long handOver(Stream stream, long sayNanos) {
    long now = clock.nanoTime();
    if (!handingOver) {
      handingOver = true;
      changedNanos = now;
    }
    if (!state.leadsForOthers()) {
      left.complete(true);
    } else if (now - changedNanos > timings.silenceNanos()) {
      // The others leave too, so that nobody is left to take over.
      left.complete(false);
    }
    if (now - sayNanos < 0) {
      return sayNanos;
    }
    stream.send(TabletMessage.newBuilder().setLeaving(Leaving.getDefaultInstance()).build());
    return now + timings.heartbeatNanos();
  }

  private boolean joined(String address, boolean before) {
    if (!before) {
      LOG.info(
          "Server {} registered with coordinator {}, state index {}",
          identity.serverId(),
          address,
          state.appliedIndex());
      reports.registered();
    }
    connected = true;
    registeredOnce = true;
    joinPatienceNanos = timings.silenceNanos();
    return true;
  }

  private void apply(CoordinatorMessage message) {
    switch (message.getMessageCase()) {
      case IMAGE -> state.apply(message.getImage());
      case DELTA -> state.apply(message.getDelta());
      case ALIVE -> throw new IllegalStateException("Nothing is to be applied");
      case MESSAGE_NOT_SET ->
          LOG.warn("The coordinator sent a message of a kind that this version does not know");
    }
  }

  private RegisterTablet registration() {
    return RegisterTablet.newBuilder()
        .setServerId(identity.serverId())
        .setHost(identity.host())
        .setFlightPort(identity.flightPort())
        .setHttpPort(identity.httpPort())
        .setRack(identity.rack())
        .setIncarnation(identity.incarnation())
        .setBootId(identity.bootId())
        .setCleanStop(state.cleanStop())
        .setClusterId(state.clusterId())
        .setLastIndex(state.appliedIndex())
        .addAllDirectories(state.directories())
        .build();
  }

  private Heartbeat heartbeat() {
    return Heartbeat.newBuilder()
        .setAppliedIndex(state.appliedIndex())
        .addAllOffline(state.offline())
        .setDiskUsedBytes(state.diskUsedBytes())
        .build();
  }

  private void pause(long millis) {
    long until = clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (!closed && until - clock.nanoTime() > 0) {
      // Events of the stream that ended are dropped here.
      poll(until - clock.nanoTime());
    }
  }

  private @Nullable Event poll(long nanos) {
    try {
      return events.poll(Math.max(0, nanos), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      closed = true;
      Thread.currentThread().interrupt();
      return null;
    }
  }

  /** The stream ended for a reason that the next attempt depends on. */
  private static final class SessionEnded extends RuntimeException {
    private static final long serialVersionUID = 1L;
    final boolean joined;
    final SluiceException reason;

    SessionEnded(boolean joined, SluiceException reason) {
      super(reason.getMessage(), reason);
      this.joined = joined;
      this.reason = reason;
    }
  }

  /** One call's observer; hands everything to the session's thread, one message at a time. */
  private final class Stream implements ClientResponseObserver<TabletMessage, CoordinatorMessage> {
    private @Nullable ClientCallStreamObserver<TabletMessage> requests;

    @Override
    public void beforeStart(ClientCallStreamObserver<TabletMessage> requestStream) {
      requests = requestStream;
      requestStream.disableAutoRequestWithInitial(1);
    }

    @Override
    public void onNext(CoordinatorMessage message) {
      events.add(new Event(this, message, null));
    }

    @Override
    public void onError(Throwable failure) {
      events.add(new Event(this, null, failure));
    }

    @Override
    public void onCompleted() {
      onError(new SluiceException(ErrorCode.UNAVAILABLE, "The coordinator ended the session"));
    }

    void send(TabletMessage message) {
      started().onNext(message);
    }

    void request() {
      started().request(1);
    }

    void end(boolean inOrder) {
      if (inOrder) {
        started().onCompleted();
      } else {
        started().cancel("This session starts anew", null);
      }
    }

    private ClientCallStreamObserver<TabletMessage> started() {
      if (requests == null) {
        throw new IllegalStateException("The call has not been started");
      }
      return requests;
    }
  }
}
