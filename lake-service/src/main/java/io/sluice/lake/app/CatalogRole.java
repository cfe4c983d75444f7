package io.sluice.lake.app;

import io.sluice.common.AgentRunner;
import io.sluice.common.TimeSource;
import io.sluice.lake.catalog.CatalogStore;
import io.sluice.lake.commit.Committer;
import io.sluice.lake.commit.CoordinatorRecord;
import io.sluice.lake.commit.LakeRecord;
import io.sluice.lake.commit.RoundMessages;
import io.sluice.lake.grpc.LakeGrpcService;
import io.sluice.protocol.security.ClusterSecret;
import io.sluice.protocol.security.ClusterTokenClientInterceptor;
import io.sluice.servicekit.CoordinatorLink;
import io.sluice.servicekit.LifecyclePhase;
import io.sluice.servicekit.ReadinessGate;
import io.sluice.servicekit.ServiceIdentity;
import io.sluice.servicekit.ServiceLifecycle;
import java.util.concurrent.atomic.AtomicReference;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The catalog and the committer. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "sluice.lake.role", havingValue = "lake")
@EnableConfigurationProperties(LakeProperties.class)
@Import({CatalogRestConfiguration.class, MeasureConfiguration.class})
final class CatalogRole {
  private static final String CATALOG = "catalog";
  private static final long COMPARE_IDLE_MS = 250;

  @Bean
  ServiceIdentity serviceIdentity() {
    return ServiceIdentity.of("lake", "1", LakeApplication.class);
  }

  @Bean
  ReadinessGate readinessGate() {
    return ReadinessGate.of(CATALOG);
  }

  @Bean
  CatalogStore catalogStore(LakeProperties properties) {
    return CatalogStore.open(properties.catalogDir(), properties.warehouse());
  }

  @Bean
  CoordinatorLink coordinatorLink(
      LakeProperties properties, ClusterSecret secret, TimeSource time) {
    return new CoordinatorLink(
        properties.coordinators(),
        new ClusterTokenClientInterceptor(secret, time),
        time,
        properties.coordinatorTimeout());
  }

  @Bean
  LakeRecord lakeRecord(CoordinatorLink link) {
    return new CoordinatorRecord(link);
  }

  @Bean
  Committer committer(
      CatalogStore store, LakeRecord record, TimeSource time, LakeProperties properties) {
    Committer.Settings settings = Committer.Settings.DEFAULT;
    return new Committer(
        store.catalog(),
        record,
        time,
        new Committer.Settings(settings.patience(), settings.tell(), properties.compareInterval()));
  }

  @Bean
  LakeGrpcService lakeGrpcService(Committer committer, LakeProperties properties) {
    return new LakeGrpcService(
        new RoundMessages(committer.rounds()),
        committer.snapshots(),
        committer.drop(),
        properties.warehouse());
  }

  /** Ends before the catalog closes and before the link to the coordinators does. */
  @Bean
  ServiceLifecycle comparisonLifecycle(Committer committer, ReadinessGate gate) {
    AtomicReference<AgentRunner> runner = new AtomicReference<>();
    return new ServiceLifecycle(
        "comparison of lake and record",
        LifecyclePhase.MEMBERSHIP,
        () -> {
          AgentRunner started = AgentRunner.start(committer.comparison(), COMPARE_IDLE_MS);
          committer.wakeComparisonWith(started::wake);
          runner.set(started);
          gate.open(CATALOG);
        },
        () -> {
          gate.close(CATALOG, "this service is stopping");
          committer.close();
          AgentRunner started = runner.getAndSet(null);
          if (started != null) {
            started.close();
          }
        });
  }
}
