package io.sluice.coordinator.app;

import io.sluice.common.AgentRunner;
import io.sluice.common.TimeSource;
import io.sluice.coordinator.control.Catalog;
import io.sluice.coordinator.membership.TabletSessions;
import io.sluice.coordinator.raft.RaftMetadataLog;
import io.sluice.coordinator.tiering.TieringLoop;
import io.sluice.servicekit.LifecyclePhase;
import io.sluice.servicekit.ReadinessGate;
import io.sluice.servicekit.ServiceIdentity;
import io.sluice.servicekit.ServiceLifecycle;
import java.util.concurrent.atomic.AtomicReference;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The metadata log, what listens to it, and the order in which they start and stop. */
@Configuration(proxyBeanMethods = false)
final class MetadataConfiguration {
  private static final long SESSIONS_IDLE_MS = 200;

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
  Catalog catalog(RaftMetadataLog log, TimeSource time, SluiceProperties sluice) {
    return new Catalog(log, time, sluice.defaultReplicationFactor());
  }

  @Bean
  ServiceLifecycle metadataLifecycle(
      RaftMetadataLog log, TabletSessions sessions, TieringLoop tiering, ReadinessGate gate) {
    return new ServiceLifecycle(
        "metadata log",
        LifecyclePhase.ENGINE,
        () -> {
          log.addListener(sessions);
          log.addListener(tiering);
          log.addListener(new LeadershipGate(gate));
          log.start();
        },
        log::close);
  }

  /** The sessions end their streams before the gRPC server waits for them. */
  @Bean
  ServiceLifecycle sessionsLifecycle(TabletSessions sessions) {
    AtomicReference<AgentRunner> runner = new AtomicReference<>();
    return new ServiceLifecycle(
        "tablet sessions",
        LifecyclePhase.SERVING,
        () -> {
          AgentRunner started = AgentRunner.start(sessions, SESSIONS_IDLE_MS);
          sessions.wakeWith(started::wake);
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
