package io.sluice.tablet.replication.stream;

import io.grpc.BindableService;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import io.sluice.protocol.flight.OutboundFrame;
import io.sluice.protocol.replication.ReplicationMethods;
import io.sluice.protocol.replication.v1.FetchLane;
import io.sluice.protocol.replication.v1.FetchRequest;
import io.sluice.protocol.replication.v1.KvCheckpointPart;
import io.sluice.protocol.replication.v1.KvCheckpointRequest;
import io.sluice.protocol.replication.v1.ReplicationServiceGrpc;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The internal service from which other servers' replicas follow this one's. Owns its threads and
 * sessions, one session for each follower and lane; {@link #close} twice is harmless.
 */
public final class FetchService implements BindableService, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FetchService.class);
  private static final long TICK_MS = 50;
  private static final long CLOSE_SECONDS = 5;

  private final FetchContext context;
  private final Checkpoints checkpoints;
  private final ExecutorService readers;
  private final ScheduledExecutorService timer;
  private final Set<FetchSession> sessions = ConcurrentHashMap.newKeySet();
  private final Map<Follower, FetchSession> identified = new ConcurrentHashMap<>();
  private volatile boolean closed;

  private record Follower(int serverId, FetchLane lane) {}

  /** Sends the rows of a primary-key bucket. */
  @FunctionalInterface
  public interface Checkpoints {
    /** Answers {@code FetchKvCheckpoint}; on a thread of the gRPC server that may block. */
    void send(KvCheckpointRequest request, StreamObserver<KvCheckpointPart> parts);
  }

  /**
   * @param buffers memory of answers
   */
  public FetchService(
      ReplicationSources sources,
      Checkpoints checkpoints,
      StreamLimits limits,
      ByteBufAllocator buffers,
      TimeSource clock,
      StreamStats stats) {
    this.checkpoints = checkpoints;
    this.readers =
        Executors.newFixedThreadPool(limits.ioThreads(), StreamThreads.named("replication-read"));
    this.timer =
        Executors.newSingleThreadScheduledExecutor(StreamThreads.named("replication-answer-timer"));
    this.context = new FetchContext(sources, limits, buffers, readers, timer, clock, stats);
    var unused = timer.scheduleWithFixedDelay(this::tick, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
  }

  @Override
  public ServerServiceDefinition bindService() {
    ServiceDescriptor service =
        ServiceDescriptor.newBuilder(ReplicationServiceGrpc.SERVICE_NAME)
            .setSchemaDescriptor(
                ReplicationServiceGrpc.getServiceDescriptor().getSchemaDescriptor())
            .addMethod(ReplicationMethods.fetchServer())
            .addMethod(ReplicationServiceGrpc.getFetchKvCheckpointMethod())
            .build();
    ServerCallHandler<FetchRequest, OutboundFrame> fetch = this::open;
    return ServerServiceDefinition.builder(service)
        .addMethod(ReplicationMethods.fetchServer(), fetch)
        .addMethod(
            ReplicationServiceGrpc.getFetchKvCheckpointMethod(),
            ServerCalls.asyncServerStreamingCall(checkpoints::send))
        .build();
  }

  private ServerCall.Listener<FetchRequest> open(
      ServerCall<FetchRequest, OutboundFrame> call, Metadata headers) {
    FetchSession session = new FetchSession(call, context, this::identified, this::ended);
    sessions.add(session);
    call.sendHeaders(new Metadata());
    call.request(1);
    if (closed) {
      session.end(stopping());
    }
    return session;
  }

  /** A follower has one stream of a lane: when it opens another, the one before is dead. */
  private void identified(FetchSession session) {
    LOG.debug("Server {} follows on the lane {}", session.followerId(), session.lane());
    FetchSession before =
        identified.put(new Follower(session.followerId(), session.lane()), session);
    if (before != null) {
      before.end(new SluiceException(ErrorCode.CANCELLED, "The follower opened another stream"));
    }
  }

  private void ended(FetchSession session) {
    sessions.remove(session);
    identified.remove(new Follower(session.followerId(), session.lane()), session);
  }

  private void tick() {
    long now = context.clock().nanoTime();
    for (FetchSession session : sessions) {
      try {
        session.tick(now);
      } catch (RuntimeException | Error defect) {
        // One that got through would end the clock of all sessions.
        LOG.error("The session of server {} failed", session.followerId(), defect);
      }
    }
  }

  /** Streams of followers open now. */
  public int openSessions() {
    return sessions.size();
  }

  /** Ends every stream; followers will look elsewhere. */
  @Override
  public void close() {
    closed = true;
    sessions.forEach(session -> session.end(stopping()));
    timer.shutdownNow();
    readers.shutdown();
    try {
      if (!readers.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("Threads that read for followers still run after {} s", CLOSE_SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static SluiceException stopping() {
    return new SluiceException(ErrorCode.UNAVAILABLE, "This server is stopping");
  }
}
