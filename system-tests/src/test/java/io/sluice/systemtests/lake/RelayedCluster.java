package io.sluice.systemtests.lake;

import io.sluice.client.ClientConfig;
import io.sluice.client.Connection;
import io.sluice.systemtests.process.ClusterPlan;
import io.sluice.systemtests.process.ProcessCluster;
import io.sluice.systemtests.relay.GrpcRelay;
import io.sluice.systemtests.relay.Hook;
import io.sluice.systemtests.relay.Relayed;
import io.sluice.systemtests.relay.Trap;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A cluster of processes with a lake, one worker and short intervals, whose services talk to each
 * other through relays of this JVM.
 */
final class RelayedCluster implements AutoCloseable {
  private final Map<RoundStep.Link, GrpcRelay> relays = new EnumMap<>(RoundStep.Link.class);
  private final ProcessCluster cluster;
  private final Lake lake;

  RelayedCluster(Path home, String... settings) {
    cluster =
        ProcessCluster.start(
            home,
            ClusterPlan.ofTablets(1)
                .withLake(1)
                .withSettings(this::settings)
                .withSettings(started -> List.of(settings)));
    lake = new Lake(cluster.httpUrl("lake-1") + "/iceberg", cluster.coordinatorHttp());
  }

  /** Called once for each attempt to start, when the ports are known. */
  private List<String> settings(ProcessCluster starting) {
    closeRelays();
    String coordinator = starting.coordinators();
    return List.of(
        "coordinator.sluice.tiering.poll-interval=200ms",
        "coordinator.sluice.tiering.sweep-interval=300ms",
        "coordinator.sluice.tiering.worker-timeout=2s",
        "coordinator.sluice.tiering.lake-probe-interval=1s",
        "tiering.sluice.tiering.report-interval=300ms",
        "tiering.sluice.tiering.coordinator-timeout=2s",
        "tiering.sluice.tiering.lake="
            + open(RoundStep.Link.WORKER_TO_LAKE, starting.grpcAddress("lake-1")),
        "tiering.sluice.tiering.coordinators="
            + open(RoundStep.Link.WORKER_TO_COORDINATOR, coordinator),
        "lake.sluice.lake.compare-interval=1s",
        "lake.sluice.lake.coordinators=" + open(RoundStep.Link.LAKE_TO_COORDINATOR, coordinator));
  }

  private String open(RoundStep.Link link, String target) {
    GrpcRelay relay = new GrpcRelay(target);
    relays.put(link, relay);
    return relay.address();
  }

  ProcessCluster processes() {
    return cluster;
  }

  Lake lake() {
    return lake;
  }

  GrpcRelay relay(RoundStep.Link link) {
    GrpcRelay relay = relays.get(link);
    if (relay == null) {
      throw new AssertionError("No relay for " + link);
    }
    return relay;
  }

  Connection connect() {
    return Connection.open(ClientConfig.of(cluster.coordinators()));
  }

  /** Runs the action on the first message of the step; the message is held meanwhile. */
  Caught trap(RoundStep step, Hook action) {
    Trap trap = Trap.of(step::matches, action);
    return new Caught(trap, relay(step.link()).install(trap));
  }

  /** A trap in its place. */
  record Caught(Trap trap, GrpcRelay.Installed installed) implements AutoCloseable {
    Relayed await(String what, java.time.Duration timeout) {
      return trap.await(what, timeout);
    }

    @Override
    public void close() {
      installed.close();
    }
  }

  @Override
  public void close() {
    lake.close();
    cluster.close();
    closeRelays();
  }

  private void closeRelays() {
    relays.values().forEach(GrpcRelay::close);
    relays.clear();
  }
}
