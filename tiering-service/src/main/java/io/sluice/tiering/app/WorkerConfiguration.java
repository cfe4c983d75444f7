package io.sluice.tiering.app;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.sluice.common.TimeSource;
import io.sluice.protocol.security.ClusterSecret;
import io.sluice.protocol.security.ClusterTokenClientInterceptor;
import io.sluice.servicekit.CoordinatorLink;
import io.sluice.servicekit.LifecyclePhase;
import io.sluice.servicekit.ReadinessGate;
import io.sluice.servicekit.ServiceIdentity;
import io.sluice.servicekit.ServiceLifecycle;
import io.sluice.tiering.commit.Committer;
import io.sluice.tiering.commit.Lake;
import io.sluice.tiering.job.CoordinatorContact;
import io.sluice.tiering.job.CoordinatorSession;
import io.sluice.tiering.job.RoundObserver;
import io.sluice.tiering.job.RoundPlanner;
import io.sluice.tiering.job.SessionTimings;
import io.sluice.tiering.job.Worker;
import io.sluice.tiering.job.WorkerIdentity;
import io.sluice.tiering.job.WorkerParts;
import io.sluice.tiering.read.LogSource;
import io.sluice.tiering.rest.RoundsController;
import io.sluice.tiering.write.WriteSettings;
import java.util.UUID;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The worker, its session with the coordinator, and their order of start and stop. */
@Configuration(proxyBeanMethods = false)
final class WorkerConfiguration {
  private static final String RUNNING = "running";

  @Bean
  ServiceIdentity serviceIdentity(TieringProperties properties) {
    // The name of a worker is usually that of its service already.
    String id = properties.workerId().replaceFirst("^tiering-", "");
    return ServiceIdentity.of("tiering", id, TieringApplication.class);
  }

  @Bean
  ReadinessGate readinessGate() {
    return ReadinessGate.of(RUNNING);
  }

  @Bean
  RoundObserver roundObserver(MeterRegistry registry) {
    return new RoundMeters(registry);
  }

  @Bean
  CoordinatorContact coordinatorContact(TieringProperties properties, TimeSource time) {
    return new CoordinatorContact(time, properties.coordinatorTimeout());
  }

  @Bean(destroyMethod = "")
  Worker worker(
      TieringProperties properties,
      LogSource source,
      Lake lake,
      CoordinatorContact contact,
      RoundObserver observer,
      TimeSource time) {
    long slotBytes = Math.max(1, properties.writeBytes().toBytes() / properties.slots());
    Committer.Timings defaults = Committer.Timings.DEFAULT;
    Committer committer =
        new Committer(
            lake,
            time,
            new Committer.Timings(
                defaults.minPauseMs(),
                defaults.maxPauseMs(),
                properties.resolveTimeout().toMillis()));
    return new Worker(
        new WorkerParts(
            source,
            lake,
            committer,
            new RoundPlanner(properties.round().maxBytes().toBytes()),
            new WriteSettings(properties.targetFileBytes().toBytes(), slotBytes, slotBytes),
            contact,
            observer,
            time),
        properties.slots());
  }

  @Bean
  CoordinatorLink coordinatorLink(
      TieringProperties properties, ClusterSecret secret, TimeSource time) {
    return new CoordinatorLink(
        properties.coordinators(),
        new ClusterTokenClientInterceptor(secret, time),
        time,
        properties.lakeTimeout());
  }

  @Bean(destroyMethod = "")
  CoordinatorSession coordinatorSession(
      TieringProperties properties,
      CoordinatorLink link,
      ServiceIdentity identity,
      Worker worker,
      CoordinatorContact contact,
      TimeSource time,
      ConfigurableApplicationContext application) {
    return new CoordinatorSession(
        new LinkedCoordinators(link),
        new WorkerIdentity(
            properties.workerId(),
            UUID.randomUUID().toString(),
            properties.host(),
            identity.version()),
        worker,
        contact,
        time,
        SessionTimings.reportingEvery(properties.reportInterval().toMillis()),
        // The stop waits for the session's thread, which is the one that says so.
        () -> new Thread(application::close, "stop-replaced-worker").start());
  }

  /** Stops first: what is not in its commit is dropped, and the coordinator told so. */
  @Bean
  ServiceLifecycle workerLifecycle(Worker worker, CoordinatorSession session, ReadinessGate gate) {
    return new ServiceLifecycle(
        "tiering worker",
        LifecyclePhase.SERVING,
        () -> {
          session.start();
          gate.open(RUNNING);
        },
        () -> {
          gate.close(RUNNING, "this worker is stopping");
          worker.close();
          session.close();
        });
  }

  @Bean
  MeterBinder workerMeters(Worker worker, CoordinatorSession session) {
    return registry -> {
      Gauge.builder("sluice.tiering.slots", worker, Worker::slots)
          .description("Rounds that this worker does at the same time")
          .register(registry);
      Gauge.builder("sluice.tiering.slots.used", worker, Worker::busy)
          .description("Rounds that are at work")
          .register(registry);
      Gauge.builder("sluice.session.connected", session, each -> each.connected() ? 1 : 0)
          .description("1 while the coordinator hears this worker")
          .register(registry);
    };
  }

  @Bean
  RoundsController roundsController(Worker worker, CoordinatorSession session) {
    return new RoundsController(worker, session);
  }
}
