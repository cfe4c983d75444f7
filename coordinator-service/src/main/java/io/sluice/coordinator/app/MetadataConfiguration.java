package io.sluice.coordinator.app;

import io.sluice.common.Agent;
import io.sluice.common.AgentRunner;
import io.sluice.common.TimeSource;
import io.sluice.coordinator.balance.Balancer;
import io.sluice.coordinator.balance.ReplicaOperations;
import io.sluice.coordinator.control.AutoPartitionAgent;
import io.sluice.coordinator.control.Catalog;
import io.sluice.coordinator.membership.TabletSessions;
import io.sluice.coordinator.raft.RaftMetadataLog;
import io.sluice.coordinator.tiering.TieringLoop;
import io.sluice.servicekit.LifecyclePhase;
import io.sluice.servicekit.ReadinessGate;
import io.sluice.servicekit.ServiceIdentity;
import io.sluice.servicekit.ServiceLifecycle;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The metadata log, what listens to it, and the order in which they start and stop. */
@Configuration(proxyBeanMethods = false)
final class MetadataConfiguration {
  private static final long SESSIONS_IDLE_MS = 200;
  private static final long PARTITIONS_IDLE_MS = 500;
  private static final long BALANCER_IDLE_MS = 500;

  @Bean
  ServiceIdentity serviceIdentity(CoordinatorProperties properties) {
    return ServiceIdentity.of("coordinator", properties.id(), CoordinatorApplication.class);
  }

  @Bean
  ReadinessGate readinessGate() {
    return ReadinessGate.of(LeadershipGate.METADATA);
  }

  @Bean(destroyMethod = "")
  RaftMetadataLog metadataLog(
      SluiceProperties sluice,
      CoordinatorProperties properties,
      @Value("${spring.grpc.server.port:9123}") int grpcPort) {
    return new RaftMetadataLog(properties.raftSettings(sluice.home(), grpcPort));
  }

  @Bean
  TabletSessions tabletSessions(
      RaftMetadataLog log, TimeSource time, CoordinatorProperties properties) {
    return new TabletSessions(log, time, properties.sessionTimeout());
  }

  @Bean
  Catalog catalog(
      RaftMetadataLog log, TimeSource time, SluiceProperties sluice, TabletSessions sessions) {
    return new Catalog(log, time, sluice.defaultReplicationFactor(), sessions::diskUsedBytes);
  }

  @Bean(destroyMethod = "")
  AutoPartitionAgent autoPartitionAgent(
      RaftMetadataLog log,
      TimeSource time,
      CoordinatorProperties properties,
      TabletSessions sessions) {
    return new AutoPartitionAgent(
        log, time, properties.autoPartitionInterval(), sessions::diskUsedBytes);
  }

  @Bean(destroyMethod = "")
  Balancer balancer(RaftMetadataLog log, TimeSource time, CoordinatorProperties properties) {
    return new Balancer(log, time, properties.concurrentMoves());
  }

  @Bean
  ReplicationCounts replicationCounts() {
    return new ReplicationCounts();
  }

  @Bean
  ReplicaOperations replicaOperations(
      RaftMetadataLog log, Balancer balancer, TabletSessions sessions) {
    return new ReplicaOperations(log, balancer, sessions::diskUsedBytes, sessions::isOffline);
  }

  @Bean
  ServiceLifecycle metadataLifecycle(
      RaftMetadataLog log,
      TabletSessions sessions,
      TieringLoop tiering,
      AutoPartitionAgent partitions,
      Balancer balancer,
      ReplicationCounts counts,
      ReadinessGate gate) {
    return new ServiceLifecycle(
        "metadata log",
        LifecyclePhase.ENGINE,
        () -> {
          log.addListener(sessions);
          log.addListener(tiering);
          log.addListener(partitions);
          log.addListener(balancer);
          log.addListener(counts);
          log.addListener(new LeadershipGate(gate));
          log.start();
        },
        log::close);
  }

  /** The sessions end their streams before the gRPC server waits for them. */
  @Bean
  ServiceLifecycle sessionsLifecycle(TabletSessions sessions) {
    return agent("tablet sessions", sessions, SESSIONS_IDLE_MS, sessions::wakeWith);
  }

  @Bean
  ServiceLifecycle autoPartitionLifecycle(AutoPartitionAgent partitions) {
    return agent("auto-partitioning", partitions, PARTITIONS_IDLE_MS, partitions::wakeWith);
  }

  @Bean
  ServiceLifecycle balancerLifecycle(Balancer balancer) {
    return agent("balancer", balancer, BALANCER_IDLE_MS, balancer::wakeWith);
  }

  private static ServiceLifecycle agent(
      String name, Agent agent, long idleMs, Consumer<Runnable> wakeWith) {
    AtomicReference<AgentRunner> runner = new AtomicReference<>();
    return new ServiceLifecycle(
        name,
        LifecyclePhase.SERVING,
        () -> {
          AgentRunner started = AgentRunner.start(agent, idleMs);
          wakeWith.accept(started::wake);
          runner.set(started);
        },
        () -> {
          AgentRunner started = runner.getAndSet(null);
          if (started != null) {
            started.close();
          }
        });
  }
}
