package io.sluice.tablet.replication.stream;

import io.grpc.Channel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallExecutorSupplier;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TimeSource;
import io.sluice.protocol.security.ClusterSecret;
import io.sluice.protocol.security.ClusterTokenClientInterceptor;
import io.sluice.protocol.security.ClusterTokenServerInterceptor;
import io.sluice.protocol.transport.BulkTransport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** A leader's server with its service, and a follower's with its streams. */
final class StreamHarness implements AutoCloseable {
  static final int LEADER = 1;
  static final int FOLLOWER = 2;
  static final StreamLimits LIMITS = new StreamLimits(64 << 10, 8 << 10, 500, 2, 5, 50, 2_000, 1);

  private static final ServerCallExecutorSupplier ON_TRANSPORT =
      new ServerCallExecutorSupplier() {
        @Override
        public <Q, A> Executor getExecutor(ServerCall<Q, A> call, Metadata headers) {
          return Runnable::run;
        }
      };
  private static final ClusterSecret SECRET = ClusterSecret.of(new byte[32]);

  final Map<TableBucket, FakeSource> sources = new ConcurrentHashMap<>();
  final Directory directory = new Directory();
  final StreamStats leaderStats = new StreamStats();
  final StreamStats followerStats = new StreamStats();
  private final StreamLimits limits;
  private final List<AutoCloseable> opened = new ArrayList<>();
  private final ExecutorService leaderShard = Executors.newSingleThreadExecutor();
  private final ExecutorService followerShard = Executors.newSingleThreadExecutor();
  private @Nullable FetchService service;
  private @Nullable Server server;

  /** Addresses that a test changes. */
  static final class Directory implements PeerAddresses {
    private final Map<Integer, Peer> peers = new ConcurrentHashMap<>();
    private final List<IntConsumer> listeners = new CopyOnWriteArrayList<>();

    void set(int serverId, String address, String incarnation) {
      peers.put(serverId, new Peer(address, incarnation));
      listeners.forEach(listener -> listener.accept(serverId));
    }

    @Override
    public @Nullable Peer peer(int serverId) {
      return peers.get(serverId);
    }

    @Override
    public void onChange(IntConsumer listener) {
      listeners.add(listener);
    }
  }

  StreamHarness() {
    this(LIMITS);
  }

  StreamHarness(StreamLimits limits) {
    this.limits = limits;
    opened.add(leaderShard::shutdownNow);
    opened.add(followerShard::shutdownNow);
  }

  /** Starts the leader's server, elsewhere than before, and tells its address. */
  void serve() throws IOException {
    FetchService made =
        new FetchService(
            this::source,
            (request, parts) -> parts.onCompleted(),
            limits,
            PooledByteBufAllocator.DEFAULT,
            TimeSource.SYSTEM,
            leaderStats);
    BulkTransport transport = BulkTransport.open("leader-io", 1);
    opened.add(transport);
    Server started =
        transport
            .use(NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0)))
            .callExecutor(ON_TRANSPORT)
            .intercept(ClusterTokenServerInterceptor.guardingAll(SECRET, TimeSource.SYSTEM))
            .addService(made)
            .build()
            .start();
    service = made;
    server = started;
    directory.set(LEADER, address(), "leader-" + started.getPort());
  }

  String address() {
    return "127.0.0.1:" + server.getPort();
  }

  /** Stops the leader's server as a crash would. */
  void kill() throws InterruptedException {
    server.shutdownNow();
    service.close();
    server.awaitTermination();
  }

  FetchService service() {
    return service;
  }

  private FakeSource source(TableBucket bucket) {
    FakeSource source = sources.get(bucket);
    if (source == null) {
      throw new SluiceException(ErrorCode.BUCKET_NOT_FOUND, "No bucket " + bucket);
    }
    return source;
  }

  FollowerStreams followers(long catchUpBytesPerSecond) {
    BulkTransport transport = BulkTransport.open("test-io", 1);
    opened.add(transport);
    PeerConnections connections =
        new PeerConnections(
            directory, transport, new ClusterTokenClientInterceptor(SECRET, TimeSource.SYSTEM));
    FollowerStreams followers =
        new FollowerStreams(
            new StreamIdentity(FOLLOWER, "follower-1"),
            connections,
            new CatchUpThrottle(catchUpBytesPerSecond, TimeSource.SYSTEM, followerStats),
            limits,
            PooledByteBufAllocator.DEFAULT,
            TimeSource.SYSTEM,
            followerStats);
    opened.add(followers);
    return followers;
  }

  FollowerStreams followers() {
    return followers(1 << 30);
  }

  /** A channel of a client of the test's own. */
  Channel channel() {
    var channel =
        NettyChannelBuilder.forTarget(address())
            .usePlaintext()
            .intercept(new ClusterTokenClientInterceptor(SECRET, TimeSource.SYSTEM))
            .build();
    opened.add(channel::shutdownNow);
    return channel;
  }

  static TableBucket bucket(int bucket) {
    return TableBucket.of(7, bucket);
  }

  /** A bucket that this server's leader has, with batches of so many bytes. */
  FakeSource leads(int bucket, int batchBytes) {
    FakeSource source = new FakeSource(bucket(bucket), new FakeLog(batchBytes), leaderShard);
    sources.put(bucket(bucket), source);
    return source;
  }

  FakeSink sink(int bucket, int batchBytes) {
    return new FakeSink(bucket(bucket), new FakeLog(batchBytes), followerShard);
  }

  ExecutorService followerShard() {
    return followerShard;
  }

  @Override
  public void close() throws Exception {
    // The server ends before the event loops it lives on.
    if (service != null) {
      service.close();
    }
    if (server != null) {
      server.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
    }
    for (int i = opened.size() - 1; i >= 0; i--) {
      opened.get(i).close();
    }
  }
}
