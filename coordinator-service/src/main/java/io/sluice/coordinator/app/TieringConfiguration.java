package io.sluice.coordinator.app;

import io.micrometer.core.instrument.MeterRegistry;
import io.sluice.common.AgentRunner;
import io.sluice.common.TimeSource;
import io.sluice.coordinator.grpc.TieringGrpcService;
import io.sluice.coordinator.raft.RaftMetadataLog;
import io.sluice.coordinator.rest.TieringController;
import io.sluice.coordinator.tiering.LakeRecords;
import io.sluice.coordinator.tiering.TieringLoop;
import io.sluice.servicekit.LifecyclePhase;
import io.sluice.servicekit.ServiceLifecycle;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The tiering queue, its services, and when its loop runs. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(TieringProperties.class)
final class TieringConfiguration {
  private static final long IDLE_MS = 100;

  @Bean(destroyMethod = "")
  TieringLoop tieringLoop(RaftMetadataLog log, TimeSource time, TieringProperties properties) {
    return new TieringLoop(log, time, properties.settings(), new SplittableRandom());
  }

  @Bean
  LakeRecords lakeRecords(RaftMetadataLog log, TieringLoop loop, TimeSource time) {
    return new LakeRecords(log, loop, time);
  }

  @Bean
  TieringGrpcService tieringGrpcService(TieringLoop loop, LakeRecords records) {
    return new TieringGrpcService(loop, records);
  }

  @Bean
  TieringController tieringController(LakeRecords records) {
    return new TieringController(records);
  }

  /** The loop ends the workers' streams before the gRPC server waits for them. */
  @Bean
  ServiceLifecycle tieringLifecycle(TieringLoop loop, MeterRegistry registry) {
    AtomicReference<AgentRunner> runner = new AtomicReference<>();
    return new ServiceLifecycle(
        "tiering queue",
        LifecyclePhase.SERVING,
        () -> {
          loop.publishTo(new TieringMetrics(registry, loop.published()));
          AgentRunner started = AgentRunner.start(loop, IDLE_MS);
          loop.wakeWith(started::wake);
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
