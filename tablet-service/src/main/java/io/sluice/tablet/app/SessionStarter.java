package io.sluice.tablet.app;

import io.sluice.common.TimeSource;
import io.sluice.servicekit.ReadinessGate;
import io.sluice.tablet.coordinator.AssignedState;
import io.sluice.tablet.coordinator.CoordinatorChannels;
import io.sluice.tablet.coordinator.CoordinatorSession;
import io.sluice.tablet.coordinator.SessionTimings;
import io.sluice.tablet.coordinator.TabletIdentity;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;

/** Starts the session once the ports that it announces are known. */
final class SessionStarter implements AutoCloseable {
  private final TabletProperties properties;
  private final CoordinatorChannels channels;
  private final AssignedState state;
  private final TimeSource time;
  private final ReadinessGate gate;
  private final String bootId;
  private final Environment environment;
  private volatile @Nullable CoordinatorSession session;

  SessionStarter(
      TabletProperties properties,
      CoordinatorChannels channels,
      AssignedState state,
      TimeSource time,
      ReadinessGate gate,
      String bootId,
      Environment environment) {
    this.properties = properties;
    this.channels = channels;
    this.state = state;
    this.time = time;
    this.gate = gate;
    this.bootId = bootId;
    this.environment = environment;
  }

  void start() {
    TabletIdentity identity =
        new TabletIdentity(
            properties.id(),
            properties.host(),
            CoordinatorConfiguration.port(
                environment, "local.grpc.server.port", "spring.grpc.server.port"),
            CoordinatorConfiguration.port(environment, "local.server.port", "server.port"),
            properties.rack(),
            UUID.randomUUID().toString(),
            bootId);
    CoordinatorSession started =
        new CoordinatorSession(
            channels,
            identity,
            state,
            time,
            SessionTimings.DEFAULT,
            () -> gate.open(StorageConfiguration.REGISTERED));
    session = started;
    started.start();
  }

  boolean connected() {
    CoordinatorSession started = session;
    return started != null && started.connected();
  }

  @Override
  public void close() {
    CoordinatorSession started = session;
    if (started != null) {
      gate.close(StorageConfiguration.REGISTERED, "this server is stopping");
      started.close();
    }
  }
}
