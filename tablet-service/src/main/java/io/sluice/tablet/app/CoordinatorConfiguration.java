package io.sluice.tablet.app;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import io.sluice.protocol.security.ClusterSecret;
import io.sluice.protocol.security.ClusterTokenClientInterceptor;
import io.sluice.servicekit.LifecyclePhase;
import io.sluice.servicekit.ReadinessGate;
import io.sluice.servicekit.ServiceLifecycle;
import io.sluice.tablet.coordinator.AppliedSignal;
import io.sluice.tablet.coordinator.CoordinatorChannels;
import io.sluice.tablet.coordinator.IdGrantClient;
import io.sluice.tablet.coordinator.Metadata;
import io.sluice.tablet.coordinator.MetadataClient;
import io.sluice.tablet.coordinator.ReplicaAssignments;
import io.sluice.tablet.coordinator.ServerDirectory;
import io.sluice.tablet.replica.IdGrants;
import io.sluice.tablet.replica.ReplicaSet;
import io.sluice.tablet.replication.stream.StreamIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** The connection to the coordinators and the session that keeps this server registered. */
@Configuration(proxyBeanMethods = false)
final class CoordinatorConfiguration {
  private static final Logger LOG = LoggerFactory.getLogger(CoordinatorConfiguration.class);
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  @Bean
  AppliedSignal appliedSignal() {
    return new AppliedSignal();
  }

  @Bean
  CoordinatorChannels coordinatorChannels(
      TabletProperties properties, ClusterSecret secret, TimeSource time) {
    return new CoordinatorChannels(
        properties.coordinators(), new ClusterTokenClientInterceptor(secret, time));
  }

  @Bean
  Metadata metadataClient(
      CoordinatorChannels channels, TimeSource time, TabletProperties properties) {
    return new MetadataClient(channels, time, properties.metadataTimeout());
  }

  @Bean
  IdGrants idGrants(CoordinatorChannels channels, TabletProperties properties) {
    return new IdGrantClient(channels, properties.id(), properties.metadataTimeout());
  }

  @Bean
  SessionStarter sessionStarter(
      TabletProperties properties,
      CoordinatorChannels channels,
      ReplicaSet replicas,
      ServerDirectory servers,
      StreamIdentity stream,
      AppliedSignal applied,
      TimeSource time,
      ReadinessGate gate,
      Environment environment,
      ConfigurableApplicationContext application) {
    return new SessionStarter(
        properties,
        channels,
        new ReplicaAssignments(properties.id(), replicas, servers, applied),
        stream.incarnation(),
        time,
        gate,
        bootId(),
        environment,
        application::close);
  }

  /**
   * Starts when the ports are open and stops first: others take over what is led here while it is
   * still served, and then nobody is sent here any more.
   */
  @Bean
  ServiceLifecycle sessionLifecycle(SessionStarter starter) {
    return new ServiceLifecycle(
        "coordinator session", LifecyclePhase.SERVING, starter::start, starter::close);
  }

  @Bean
  MeterBinder sessionMeters(SessionStarter starter) {
    return registry ->
        Gauge.builder("sluice.session.connected", starter, each -> each.connected() ? 1 : 0)
            .description("1 while the coordinator knows this server")
            .register(registry);
  }

  private static String bootId() {
    try {
      return Files.readString(BOOT_ID).strip();
    } catch (IOException e) {
      // Other systems have none: the coordinator then takes every restart for a new boot.
      LOG.warn("No boot id at {}: {}", BOOT_ID, e.toString());
      return "";
    }
  }

  static int port(Environment environment, String actual, String configured) {
    String text = environment.getProperty(actual, environment.getProperty(configured, ""));
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new SluiceException(
          ErrorCode.INVALID_OPTION, configured + " is '" + text + "'; it must be a port number", e);
    }
  }
}
