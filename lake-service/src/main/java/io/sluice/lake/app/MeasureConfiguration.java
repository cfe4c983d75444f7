package io.sluice.lake.app;

import io.micrometer.core.instrument.MeterRegistry;
import io.sluice.client.ClientConfig;
import io.sluice.client.Connection;
import io.sluice.common.AgentRunner;
import io.sluice.common.TimeSource;
import io.sluice.lake.catalog.CatalogStore;
import io.sluice.lake.commit.Committer;
import io.sluice.lake.commit.MeasureLoop;
import io.sluice.lake.commit.ScannedUntieredRows;
import io.sluice.servicekit.LifecyclePhase;
import io.sluice.servicekit.ServiceLifecycle;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Metrics of the lake tables. */
@Configuration(proxyBeanMethods = false)
final class MeasureConfiguration {
  private static final long IDLE_MS = 500;
  // A measure under way ends within this when the service stops.
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(2);

  @Bean
  Connection clientConnection(LakeProperties properties) {
    return Connection.open(
        ClientConfig.of(String.join(",", properties.coordinators()))
            .withRequestTimeout(REQUEST_TIMEOUT));
  }

  @Bean
  ServiceLifecycle measureLifecycle(
      CatalogStore store,
      Committer committer,
      Connection connection,
      TimeSource time,
      LakeProperties properties,
      MeterRegistry registry) {
    LakeMeters meters = new LakeMeters(registry);
    MeasureLoop loop =
        committer.measures(
            store.catalog(),
            new ScannedUntieredRows(connection),
            time,
            properties.measureInterval(),
            meters::update);
    AtomicReference<AgentRunner> runner = new AtomicReference<>();
    return new ServiceLifecycle(
        "measures of the lake tables",
        LifecyclePhase.MEMBERSHIP,
        () -> runner.set(AgentRunner.start(loop, IDLE_MS)),
        () -> {
          AgentRunner started = runner.getAndSet(null);
          if (started != null) {
            started.close();
          }
        });
  }
}
