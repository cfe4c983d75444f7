package io.sluice.systemtests.local;

import io.sluice.client.ClientConfig;
import io.sluice.client.Connection;
import io.sluice.coordinator.app.CoordinatorApplication;
import io.sluice.tablet.app.TabletApplication;
import io.sluice.tablet.flight.TabletFlightService;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * One coordinator and some tablets, the real services, in this JVM on free ports. Started once and
 * shared: tests keep apart by the names of their databases.
 */
public final class LocalCluster implements AutoCloseable {
  private static final int TABLETS = 2;
  private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
  private static LocalCluster shared;

  private final LocalServices services = new LocalServices();
  private final List<ConfigurableApplicationContext> tablets = new ArrayList<>();
  private final List<Integer> flightPorts = new ArrayList<>();
  private final Path directory;
  private final Path secret;
  private final int coordinatorPort;
  private final int coordinatorHttpPort;

  private LocalCluster(Path directory) throws IOException {
    this.directory = directory;
    secret = directory.resolve("cluster-secret");
    byte[] random = new byte[32];
    new SecureRandom().nextBytes(random);
    Files.write(secret, random);
    List<Integer> ports = LocalServices.freePorts(2 + 2 * TABLETS);
    coordinatorPort = ports.get(0);
    coordinatorHttpPort = ports.get(1);
    services.start(
        CoordinatorApplication.class,
        "--spring.application.name=coordinator",
        "--spring.grpc.server.port=" + coordinatorPort,
        "--server.port=" + coordinatorHttpPort,
        "--sluice.home=" + directory,
        "--sluice.tiering.poll-interval=200ms",
        "--sluice.tiering.sweep-interval=500ms",
        "--sluice.tiering.worker-timeout=5s",
        "--sluice.tiering.lake-probe-interval=6s",
        "--sluice.cluster.secret-file=" + secret);
    for (int tablet = 1; tablet <= TABLETS; tablet++) {
      int flightPort = ports.get(2 * tablet);
      tablets.add(
          services.start(
              TabletApplication.class,
              "--spring.application.name=tablet-" + tablet,
              "--spring.grpc.server.port=" + flightPort,
              "--server.port=" + ports.get(2 * tablet + 1),
              "--sluice.tablet.id=" + tablet,
              "--sluice.tablet.data-dir=" + directory.resolve("tablet-" + tablet),
              "--sluice.tablet.coordinators=" + coordinators(),
              "--sluice.tablet.storage.retention-interval=200ms",
              "--sluice.cluster.secret-file=" + secret));
      flightPorts.add(flightPort);
    }
    try (Connection connection = connect()) {
      Await.until(
          TABLETS + " tablets are registered",
          START_TIMEOUT,
          () -> connection.admin().servers().stream().filter(s -> s.alive()).count() == TABLETS);
    }
  }

  /** The cluster of this JVM; it stops with the JVM. */
  public static synchronized LocalCluster shared() {
    if (shared == null) {
      try {
        LocalCluster cluster = new LocalCluster(Files.createTempDirectory("sluice-local"));
        Runtime.getRuntime().addShutdownHook(new Thread(cluster::close, "local-cluster-close"));
        shared = cluster;
      } catch (IOException e) {
        throw new IllegalStateException("Cannot start the local cluster", e);
      }
    }
    return shared;
  }

  /** A connection of the Java client. */
  public Connection connect() {
    return Connection.open(ClientConfig.of(coordinators()));
  }

  /** Address of the coordinator. */
  public String coordinators() {
    return "127.0.0.1:" + coordinatorPort;
  }

  /** Root of the coordinator's REST API. */
  public String restUrl() {
    return "http://127.0.0.1:" + coordinatorHttpPort;
  }

  /** Flight port of the tablet, from 1. */
  public int flightPort(int tablet) {
    return flightPorts.get(tablet - 1);
  }

  /** The services, for more of them that stop before these. */
  public LocalServices services() {
    return services;
  }

  /** A directory for the state of a service; gone when the cluster has stopped. */
  public Path directory(String name) {
    return directory.resolve(name);
  }

  /** The file with the secret that the services share. */
  public Path secret() {
    return secret;
  }

  /**
   * Arrow memory that the tablets use now, in bytes, without what they keep for the next upload.
   */
  public long tabletMemory() {
    return tablets.stream()
        .mapToLong(
            tablet ->
                tablet.getBean(BufferAllocator.class).getAllocatedMemory()
                    - tablet.getBean(TabletFlightService.class).idleBytes())
        .sum();
  }

  @Override
  public void close() {
    services.close();
    try {
      deleteRecursively(directory);
    } catch (IOException e) {
      throw new IllegalStateException("Cannot remove " + directory, e);
    }
  }

  private static void deleteRecursively(Path root) throws IOException {
    try (var paths = Files.walk(root)) {
      for (Path path : paths.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
