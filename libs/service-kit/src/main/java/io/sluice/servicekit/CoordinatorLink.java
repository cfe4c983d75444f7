package io.sluice.servicekit;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import io.sluice.common.ErrorCode;
import io.sluice.common.HostPort;
import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import io.sluice.protocol.error.StatusMapping;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The connection of a service to the coordinators: asks the one that answered last, follows the
 * leader that it names, else goes on with the next of the list. Connects on first use, so a service
 * starts without a coordinator. Thread-safe; the blocking calls are not for event loops.
 *
 * <pre>{@code
 * LakeState state = link.read(channel -> TieringServiceGrpc.newBlockingStub(channel).getLakeState(request));
 * }</pre>
 */
public final class CoordinatorLink implements AutoCloseable {
  private static final String LEADER_DETAIL = "leader";
  private static final long KEEP_ALIVE_SECONDS = 20;
  private static final long KEEP_ALIVE_TIMEOUT_SECONDS = 5;
  private static final int MAX_MESSAGE_BYTES = 64 << 20;
  private static final int CONNECT_TIMEOUT_MS = 3_000;
  private static final long ATTEMPT_NANOS = 4_000_000_000L;
  private static final long FIRST_PAUSE_NANOS = 20_000_000;
  private static final long LONGEST_PAUSE_NANOS = 160_000_000;
  private static final int MAX_DOUBLINGS = 5;

  private final List<String> configured;
  private final ClientInterceptor token;
  private final TimeSource clock;
  private final Duration timeout;
  private final Map<String, ManagedChannel> channels = new LinkedHashMap<>();
  private String current;
  private boolean closed;

  /**
   * A coordinator to talk to, for calls that outlive one request.
   *
   * @param address {@code host:port}
   * @param channel carries the cluster token, has no deadline
   */
  public record Target(String address, Channel channel) {}

  /**
   * @param coordinators addresses, {@code host:port} each; INVALID_ARGUMENT when one is malformed
   * @param token adds the cluster token to every call
   * @param timeout bound of one call with all its attempts
   */
  public CoordinatorLink(
      List<String> coordinators, ClientInterceptor token, TimeSource clock, Duration timeout) {
    this.configured = List.copyOf(coordinators);
    this.token = token;
    this.clock = clock;
    this.timeout = timeout;
    if (configured.isEmpty()) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT, "No coordinator is configured; name at least one host:port");
    }
    configured.forEach(CoordinatorLink::checkAddress);
    this.current = configured.get(0);
  }

  /**
   * Asks, and asks another coordinator at once when one is away or does not lead; while none leads,
   * again after short pauses until the time is over. For requests that may be executed twice. Fails
   * with the coordinator's error, UNAVAILABLE or TIMEOUT; at once when the only one is away.
   *
   * @param request makes a blocking call on the channel, which bounds it by the time that is left
   */
  public <T> T read(Function<Channel, T> request) {
    return read(timeout, request);
  }

  /** As {@link #read(Function)} within a time of its own. */
  public <T> T read(Duration within, Function<Channel, T> request) {
    long deadline = clock.nanoTime() + within.toNanos();
    int sincePause = 0;
    int pauses = 0;
    while (true) {
      Target target = target();
      try {
        long left = Math.max(1, deadline - clock.nanoTime());
        return request.apply(
            ClientInterceptors.intercept(target.channel(), new Deadline(attemptNanos(left))));
      } catch (RuntimeException e) {
        SluiceException failure = StatusMapping.fromStatus(e);
        if (!moveOn(target.address(), failure)) {
          throw failure;
        }
        // Each coordinator once, and once more for a leader that was named on the way; then an
        // election is waited for.
        boolean atOnce = ++sincePause <= configured.size() && !isCurrent(target);
        long pause = atOnce ? 0 : pauseNanos(++pauses);
        if (deadline - clock.nanoTime() <= pause) {
          throw failure;
        }
        if (!atOnce) {
          sincePause = 0;
          pause(pause, failure);
        }
      }
    }
  }

  /** A coordinator that stands still must not take all the time where there are others. */
  private long attemptNanos(long left) {
    return configured.size() > 1 ? Math.min(left, ATTEMPT_NANOS) : left;
  }

  private static long pauseNanos(int pauses) {
    return Math.min(FIRST_PAUSE_NANOS << Math.min(pauses - 1, MAX_DOUBLINGS), LONGEST_PAUSE_NANOS);
  }

  private static void pause(long nanos, SluiceException failure) {
    try {
      TimeUnit.NANOSECONDS.sleep(nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      failure.addSuppressed(e);
      throw failure;
    }
  }

  private synchronized boolean isCurrent(Target target) {
    return current.equals(target.address());
  }

  /** The coordinator to open a stream to now. Tell {@link #failed} when it ends with an error. */
  public Target target() {
    synchronized (this) {
      if (closed) {
        throw new SluiceException(ErrorCode.UNAVAILABLE, "This service is stopping");
      }
      ManagedChannel channel = channels.computeIfAbsent(current, this::open);
      if (channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE) {
        // Its own pauses grow to minutes; ours decide.
        channel.resetConnectBackoff();
      }
      return new Target(current, channel);
    }
  }

  /** Chooses whom to ask next after a stream to that coordinator failed. */
  public void failed(Target target, Throwable failure) {
    moveOn(target.address(), StatusMapping.fromStatus(failure));
  }

  /** Chooses another coordinator; false when asking again would not help. */
  private boolean moveOn(String address, SluiceException failure) {
    if (failure.code() == ErrorCode.NOT_COORDINATOR_LEADER) {
      String leader = failure.details().get(LEADER_DETAIL);
      if (leader != null && !leader.isEmpty()) {
        follow(leader);
      } else {
        advance(address);
      }
      return true;
    }
    if (failure.code() == ErrorCode.UNAVAILABLE || failure.code() == ErrorCode.TIMEOUT) {
      advance(address);
      return configured.size() > 1;
    }
    return false;
  }

  private synchronized void follow(String leader) {
    checkAddress(leader);
    current = leader;
  }

  /** The next coordinator, unless somebody chose another one since. */
  private synchronized void advance(String failed) {
    if (!current.equals(failed)) {
      return;
    }
    int at = configured.indexOf(failed);
    current = configured.get((at + 1) % configured.size());
  }

  @Override
  public void close() {
    List<ManagedChannel> open;
    synchronized (this) {
      closed = true;
      open = new ArrayList<>(channels.values());
      channels.clear();
    }
    open.forEach(ManagedChannel::shutdownNow);
  }

  private ManagedChannel open(String address) {
    return NettyChannelBuilder.forTarget(address)
        .usePlaintext()
        .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MS)
        .intercept(token)
        .maxInboundMessageSize(MAX_MESSAGE_BYTES)
        .keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
        .keepAliveTimeout(KEEP_ALIVE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .build();
  }

  private static void checkAddress(String address) {
    var unused = HostPort.parse("Coordinator address", address);
  }

  /** Bounds calls by a time from now. */
  private record Deadline(long nanos) implements ClientInterceptor {
    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(
        MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
      return next.newCall(method, options.withDeadlineAfter(nanos, TimeUnit.NANOSECONDS));
    }
  }
}
