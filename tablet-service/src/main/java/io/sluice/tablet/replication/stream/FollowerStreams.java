package io.sluice.tablet.replication.stream;

import io.grpc.MethodDescriptor;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.common.TableBucket;
import io.sluice.common.TimeSource;
import io.sluice.protocol.replication.ReceivedAnswer;
import io.sluice.protocol.replication.ReplicationMethods;
import io.sluice.protocol.replication.v1.FetchLane;
import io.sluice.protocol.replication.v1.FetchRequest;
import io.sluice.tablet.replication.Followers;
import io.sluice.tablet.replication.ReplicationSink;
import io.sluice.tablet.replication.ReplicationTimes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches for the replicas of this server that follow others: for each leader's server one stream
 * for what is in sync or nearly so, and one for what catches up, at a limited pace. One lock for
 * all streams: what is done under it takes microseconds, and nothing is stored or waited for.
 */
public final class FollowerStreams implements Followers, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FollowerStreams.class);
  private static final long TICK_MS = 50;

  /**
   * Until when a promise holds on this server's clock: longer than the lease on the leader's, whose
   * clock may run slower by up to 1 %.
   */
  private static final long PROMISE_NANOS =
      ReplicationTimes.LEASE_NANOS + ReplicationTimes.LEASE_NANOS / 100;

  private final StreamIdentity identity;
  private final PeerConnections connections;
  private final CatchUpThrottle throttle;
  private final StreamLimits limits;
  private final TimeSource clock;
  private final StreamStats stats;
  private final MethodDescriptor<FetchRequest, ReceivedAnswer> fetchMethod;
  private final ScheduledExecutorService timer;
  private final long startPromiseNanos;
  private final Object lock = new Object();
  private final Map<TableBucket, FollowedBucket> followed = new HashMap<>();
  private final Map<Leader, FetchStream> streams = new HashMap<>();
  // Promises for what is not followed any more.
  private final Map<TableBucket, Long> former = new HashMap<>();
  private boolean closed;

  private record Leader(int serverId, FetchLane lane) {}

  /**
   * @param connections closed with this
   * @param buffers memory of what is received
   */
  public FollowerStreams(
      StreamIdentity identity,
      PeerConnections connections,
      CatchUpThrottle throttle,
      StreamLimits limits,
      ByteBufAllocator buffers,
      TimeSource clock,
      StreamStats stats) {
    this.identity = identity;
    this.connections = connections;
    this.throttle = throttle;
    this.limits = limits;
    this.clock = clock;
    this.stats = stats;
    this.fetchMethod = ReplicationMethods.fetchClient(buffers);
    // The process before this one may have promised something a moment ago.
    this.startPromiseNanos = clock.nanoTime() + PROMISE_NANOS;
    this.timer =
        Executors.newSingleThreadScheduledExecutor(StreamThreads.named("replication-fetch-timer"));
    var unused = timer.scheduleWithFixedDelay(this::tick, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
    connections.addresses().onChange(this::serverChanged);
  }

  StreamIdentity identity() {
    return identity;
  }

  PeerConnections connections() {
    return connections;
  }

  StreamLimits limits() {
    return limits;
  }

  TimeSource clock() {
    return clock;
  }

  StreamStats stats() {
    return stats;
  }

  MethodDescriptor<FetchRequest, ReceivedAnswer> fetchMethod() {
    return fetchMethod;
  }

  Object lock() {
    return lock;
  }

  boolean closed() {
    return closed;
  }

  long promiseNanos() {
    return PROMISE_NANOS;
  }

  /** The later of two moments of a monotonic clock. */
  static long later(long a, long b) {
    return a - b > 0 ? a : b;
  }

  @Override
  public void follow(ReplicationSink sink, int leaderServerId, int leaderEpoch, boolean inSync) {
    if (leaderServerId == 0 || leaderServerId == identity.serverId()) {
      unfollow(sink.bucket());
      return;
    }
    synchronized (lock) {
      if (closed) {
        return;
      }
      FollowedBucket before = followed.get(sink.bucket());
      if (before != null
          && before.sink == sink
          && before.leaderServerId == leaderServerId
          && before.leaderEpoch == leaderEpoch) {
        before.inSync = inSync;
        chooseLane(before);
        return;
      }
      if (before != null) {
        leave(before);
      }
      FollowedBucket bucket =
          new FollowedBucket(
              sink, leaderServerId, leaderEpoch, inSync, promisedNanos(sink.bucket()));
      followed.put(bucket.bucket, bucket);
      former.remove(bucket.bucket);
      stream(bucket).join(bucket);
    }
  }

  private FetchStream stream(FollowedBucket bucket) {
    FetchLane lane =
        bucket.inSync || bucket.near ? FetchLane.FETCH_LANE_IN_SYNC : FetchLane.FETCH_LANE_CATCH_UP;
    return streams.computeIfAbsent(
        new Leader(bucket.leaderServerId, lane),
        leader -> new FetchStream(this, leader.serverId(), leader.lane()));
  }

  private void chooseLane(FollowedBucket bucket) {
    FetchStream now = bucket.stream;
    FetchStream wanted = stream(bucket);
    if (now != null && now != wanted) {
      LOG.debug("{} goes from the lane {} to {}", bucket.bucket, now.lane(), wanted.lane());
      now.leave(bucket);
      wanted.join(bucket);
    }
  }

  /** A replica has heard by how many records it is behind the leader's log end. */
  void seen(FollowedBucket bucket, long behind) {
    bucket.near = behind <= StreamLimits.NEAR_RECORDS;
    // In between it stays where it is; one that is to leave the in-sync set is told so.
    boolean farOff = !bucket.inSync && behind > StreamLimits.FAR_RECORDS;
    if (bucket.near || farOff) {
      chooseLane(bucket);
    }
  }

  @Override
  public void unfollow(TableBucket bucket) {
    synchronized (lock) {
      FollowedBucket before = followed.get(bucket);
      if (before != null) {
        drop(before);
      }
    }
  }

  /** The replica follows nobody, or somebody else, as it has said itself. */
  void drop(FollowedBucket bucket) {
    if (followed.remove(bucket.bucket, bucket)) {
      leave(bucket);
    }
  }

  private void leave(FollowedBucket bucket) {
    FetchStream now = bucket.stream;
    if (now != null) {
      now.leave(bucket);
    }
    former.merge(bucket.bucket, bucket.promisedNanos, FollowerStreams::later);
  }

  @Override
  public long promisedUntilNanos(TableBucket bucket) {
    synchronized (lock) {
      return promisedNanos(bucket);
    }
  }

  private long promisedNanos(TableBucket bucket) {
    long until = startPromiseNanos;
    Long earlier = former.get(bucket);
    if (earlier != null) {
      until = later(until, earlier);
    }
    FollowedBucket now = followed.get(bucket);
    if (now != null) {
      FetchStream stream = now.stream;
      until = later(until, stream == null ? now.promisedNanos : stream.promisedNanos(now));
    }
    return until;
  }

  /** Bytes to ask for on a lane. */
  int answerBytes(FetchLane lane) {
    return lane == FetchLane.FETCH_LANE_CATCH_UP
        ? throttle.answerBytes(limits.answerBytes())
        : limits.answerBytes();
  }

  /** How long to pause after an answer. */
  long pauseNanos(FetchLane lane, int bytes) {
    return lane == FetchLane.FETCH_LANE_CATCH_UP ? throttle.take(bytes) : 0;
  }

  /** Does something under the lock on the timer's thread, soon. */
  void soon(Runnable work) {
    later(0, work);
  }

  /** Does something under the lock on the timer's thread, after a while. */
  void later(long millis, Runnable work) {
    try {
      timer.schedule(() -> locked(work), millis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("Nothing is fetched any more: this server is stopping");
    }
  }

  private void locked(Runnable work) {
    synchronized (lock) {
      if (closed) {
        return;
      }
      try {
        work.run();
      } catch (RuntimeException | Error defect) {
        // One that got through would end the clock of all streams.
        LOG.error("Fetching failed", defect);
      }
    }
  }

  private void tick() {
    locked(
        () -> {
          long now = clock.nanoTime();
          for (FetchStream stream : List.copyOf(streams.values())) {
            stream.tick(now);
          }
          former.values().removeIf(until -> until - now < 0);
        });
  }

  private void serverChanged(int serverId) {
    soon(
        () -> {
          for (FetchStream stream : List.copyOf(streams.values())) {
            if (stream.serverId() == serverId) {
              stream.serverChanged();
            }
          }
        });
  }

  /** Streams to leaders that are open now. */
  public int openStreams() {
    synchronized (lock) {
      return (int) streams.values().stream().filter(FetchStream::isOpen).count();
    }
  }

  /** Buckets that are followed, on the lane for what is in sync or on the other one. */
  public int followed(boolean inSync) {
    FetchLane lane = inSync ? FetchLane.FETCH_LANE_IN_SYNC : FetchLane.FETCH_LANE_CATCH_UP;
    synchronized (lock) {
      return streams.values().stream()
          .filter(stream -> stream.lane() == lane)
          .mapToInt(FetchStream::size)
          .sum();
    }
  }

  /** Ends every stream and the connections. Twice is harmless. */
  @Override
  public void close() {
    List<FetchStream> open = new ArrayList<>();
    synchronized (lock) {
      closed = true;
      open.addAll(streams.values());
      open.forEach(stream -> stream.close("This server is stopping"));
    }
    timer.shutdownNow();
    connections.close();
  }
}
