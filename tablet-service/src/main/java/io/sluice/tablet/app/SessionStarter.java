package io.sluice.tablet.app;

import io.sluice.common.TimeSource;
import io.sluice.servicekit.ReadinessGate;
import io.sluice.tablet.coordinator.AssignedState;
import io.sluice.tablet.coordinator.CoordinatorChannels;
import io.sluice.tablet.coordinator.CoordinatorSession;
import io.sluice.tablet.coordinator.SessionTimings;
import io.sluice.tablet.coordinator.TabletIdentity;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.env.Environment;

/** Starts the session once the ports that it announces are known. */
final class SessionStarter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SessionStarter.class);

  /** How long a stop waits for others to take over what is led here. */
  private static final Duration HAND_OVER = Duration.ofSeconds(10);

  private final TabletProperties properties;
  private final CoordinatorChannels channels;
  private final AssignedState state;
  private final String incarnation;
  private final TimeSource time;
  private final ReadinessGate gate;
  private final String bootId;
  private final Environment environment;
  private final Runnable stopServer;
  private volatile @Nullable CoordinatorSession session;

  SessionStarter(
      TabletProperties properties,
      CoordinatorChannels channels,
      AssignedState state,
      String incarnation,
      TimeSource time,
      ReadinessGate gate,
      String bootId,
      Environment environment,
      Runnable stopServer) {
    this.properties = properties;
    this.channels = channels;
    this.state = state;
    this.incarnation = incarnation;
    this.time = time;
    this.gate = gate;
    this.bootId = bootId;
    this.environment = environment;
    this.stopServer = stopServer;
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
            incarnation,
            bootId);
    CoordinatorSession started =
        new CoordinatorSession(
            channels,
            identity,
            state,
            time,
            SessionTimings.DEFAULT,
            () -> gate.open(StorageConfiguration.REGISTERED),
            this::replaced);
    session = started;
    started.start();
  }

  private void replaced() {
    gate.close(StorageConfiguration.REGISTERED, "another process uses this server's id");
    // The stop waits for the session's thread, which is this one.
    new Thread(stopServer, "stop-replaced-server").start();
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
      boolean handedOver = started.leave(HAND_OVER);
      LOG.debug("What was led here is led elsewhere: {}", handedOver);
      started.close();
    }
  }
}
