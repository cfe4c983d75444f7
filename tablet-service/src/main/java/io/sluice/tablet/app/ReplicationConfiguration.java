package io.sluice.tablet.app;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.common.TimeSource;
import io.sluice.protocol.security.ClusterSecret;
import io.sluice.protocol.security.ClusterTokenClientInterceptor;
import io.sluice.protocol.transport.BulkTransport;
import io.sluice.servicekit.LifecyclePhase;
import io.sluice.servicekit.ServiceLifecycle;
import io.sluice.tablet.coordinator.CoordinatorChannels;
import io.sluice.tablet.coordinator.IsrClient;
import io.sluice.tablet.coordinator.ServerDirectory;
import io.sluice.tablet.coordinator.SessionTimings;
import io.sluice.tablet.replica.KvHost;
import io.sluice.tablet.replica.ReplicaSet;
import io.sluice.tablet.replication.checkpoint.CheckpointFetcher;
import io.sluice.tablet.replication.checkpoint.CheckpointSource;
import io.sluice.tablet.replication.stream.CatchUpThrottle;
import io.sluice.tablet.replication.stream.FetchService;
import io.sluice.tablet.replication.stream.FollowerStreams;
import io.sluice.tablet.replication.stream.PeerConnections;
import io.sluice.tablet.replication.stream.StreamIdentity;
import io.sluice.tablet.replication.stream.StreamLimits;
import io.sluice.tablet.replication.stream.StreamStats;
import java.time.Duration;
import java.util.UUID;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The streams between leaders and followers, both ends, and the way of proposals. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(ReplicationProperties.class)
final class ReplicationConfiguration {
  /** Short: while a coordinator that is gone is waited for, no other is asked. */
  private static final Duration PROPOSAL_TIMEOUT = Duration.ofSeconds(3);

  @Bean
  StreamIdentity streamIdentity(TabletProperties properties) {
    return new StreamIdentity(properties.id(), UUID.randomUUID().toString());
  }

  @Bean
  ServerDirectory serverDirectory(ReplicationProperties properties) {
    return new ServerDirectory(properties.peerAddresses());
  }

  @Bean
  StreamStats streamStats() {
    return new StreamStats();
  }

  @Bean
  StreamLimits streamLimits(ReplicationProperties properties) {
    return StreamLimits.DEFAULT.withReadThreads(properties.readThreads());
  }

  @Bean
  CatchUpThrottle catchUpThrottle(
      ReplicationProperties properties, TimeSource time, StreamStats stats) {
    return new CatchUpThrottle(properties.catchUpBytesPerSecond().toBytes(), time, stats);
  }

  @Bean
  PeerConnections peerConnections(
      ServerDirectory servers, BulkTransport transport, ClusterSecret secret, TimeSource time) {
    return new PeerConnections(servers, transport, new ClusterTokenClientInterceptor(secret, time));
  }

  @Bean
  FollowerStreams followerStreams(
      StreamIdentity identity,
      PeerConnections connections,
      CatchUpThrottle throttle,
      StreamLimits limits,
      TimeSource time,
      StreamStats stats) {
    return new FollowerStreams(
        identity, connections, throttle, limits, PooledByteBufAllocator.DEFAULT, time, stats);
  }

  @Bean
  IsrClient isrProposals(CoordinatorChannels channels, TabletProperties properties) {
    return new IsrClient(channels, properties.id(), PROPOSAL_TIMEOUT, SessionTimings.DEFAULT);
  }

  @Bean
  CheckpointSource checkpointSource(KvHost kv) {
    return new CheckpointSource(kv::copyRows);
  }

  @Bean
  CheckpointFetcher checkpointFetcher(
      TabletProperties properties,
      PeerConnections connections,
      CatchUpThrottle throttle,
      KvHost kv) {
    CheckpointFetcher fetcher =
        new CheckpointFetcher(properties.id(), connections::bulk, throttle::pace);
    kv.checkpoints(fetcher);
    return fetcher;
  }

  @Bean
  FetchService fetchService(
      ReplicaSet replicas,
      CheckpointSource checkpoints,
      StreamLimits limits,
      TimeSource time,
      StreamStats stats) {
    return new FetchService(
        replicas::source, checkpoints::send, limits, PooledByteBufAllocator.DEFAULT, time, stats);
  }

  /**
   * Ends the streams of both directions before the gRPC server waits for them, and after the
   * session has handed over what is led here.
   */
  @Bean
  ServiceLifecycle streamLifecycle(
      FetchService service,
      FollowerStreams followers,
      CheckpointSource checkpoints,
      CheckpointFetcher fetcher,
      IsrClient proposals) {
    return new ServiceLifecycle(
        "replication",
        LifecyclePhase.SERVING,
        () -> {},
        () -> {
          service.close();
          followers.close();
          fetcher.close();
          checkpoints.close();
          proposals.close();
        });
  }

  @Bean
  MeterBinder streamMeters(StreamStats stats, FetchService service, FollowerStreams followers) {
    return registry -> {
      FunctionCounter.builder("sluice.replication.fetches", stats, StreamStats::fetches)
          .description("Fetches of followers that were answered")
          .register(registry);
      FunctionCounter.builder("sluice.replication.sent", stats, StreamStats::bytesOut)
          .baseUnit("bytes")
          .description("Answers to followers")
          .register(registry);
      FunctionCounter.builder("sluice.replication.received", stats, StreamStats::bytesIn)
          .baseUnit("bytes")
          .description("Answers of leaders")
          .register(registry);
      FunctionCounter.builder("sluice.replication.throttled", stats, StreamStats::throttledBytes)
          .baseUnit("bytes")
          .description("Bytes after which catching up had to pause")
          .register(registry);
      FunctionCounter.builder("sluice.replication.reconnects", stats, StreamStats::reconnects)
          .description("Streams to leaders that broke or could not be opened")
          .register(registry);
      FunctionCounter.builder("sluice.replication.refusals", stats, StreamStats::refusals)
          .description("Buckets that a leader refused to let this server follow")
          .register(registry);
      Gauge.builder("sluice.replication.streams.out", service, FetchService::openSessions)
          .description("Streams of followers that this server answers")
          .register(registry);
      Gauge.builder("sluice.replication.streams.in", followers, FollowerStreams::openStreams)
          .description("Streams on which this server fetches from leaders")
          .register(registry);
      Gauge.builder("sluice.replication.following", followers, each -> each.followed(true))
          .tag("lane", "in-sync")
          .description("Buckets that this server follows")
          .register(registry);
      Gauge.builder("sluice.replication.following", followers, each -> each.followed(false))
          .tag("lane", "catch-up")
          .description("Buckets that this server follows")
          .register(registry);
    };
  }
}
