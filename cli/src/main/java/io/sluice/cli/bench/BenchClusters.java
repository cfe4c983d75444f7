package io.sluice.cli.bench;

import io.sluice.cli.CliException;
import io.sluice.cli.cluster.Launcher;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

/**
 * Makes fresh clusters for benchmarks, each with a temporary home and ports of its own, so that a
 * cluster somebody uses is not touched.
 */
public final class BenchClusters {
  private static final int ATTEMPTS = 50;
  private static final int FIRST_BASE = 10_000;
  private static final int BASES = 200;
  private static final int BASE_STEP = 100;

  private final Path script;
  private final Random random;
  private final Consumer<String> notices;
  private final String tabletOptions;
  private final ClusterSize size;

  /**
   * @param script the launcher
   * @param random draws ports
   * @param notices receives what a person should know but need not stop for
   */
  BenchClusters(Path script, Random random, Consumer<String> notices) {
    this(script, random, notices, "", ClusterSize.SMALLEST);
  }

  private BenchClusters(
      Path script,
      Random random,
      Consumer<String> notices,
      String tabletOptions,
      ClusterSize size) {
    this.script = script;
    this.random = random;
    this.notices = notices;
    this.tabletOptions = tabletOptions;
    this.size = size;
  }

  /** Clusters like these whose tablet servers get more Java options, separated by blanks. */
  public BenchClusters withTabletOptions(String options) {
    return new BenchClusters(script, random, notices, options, size);
  }

  /** Clusters like these with so many servers. */
  public BenchClusters withSize(ClusterSize servers) {
    return new BenchClusters(script, random, notices, tabletOptions, servers);
  }

  /** Root of the source tree that the launcher belongs to. */
  Path sourceTree() {
    return script.toAbsolutePath().resolveSibling("");
  }

  /** A cluster that is not started yet. */
  BenchCluster create() {
    try {
      Path home = Files.createTempDirectory("sluice-bench-");
      return new BenchCluster(launcher(home), freePortBase(), size, notices);
    } catch (IOException e) {
      throw new CliException("Cannot make a directory for the cluster: " + e.getMessage(), "", e);
    }
  }

  private Launcher launcher(Path home) {
    return tabletOptions.isEmpty()
        ? new Launcher(script, home)
        : new Launcher(script, home, Map.of("SLUICE_TABLET_JAVA_OPTS", tabletOptions));
  }

  /** A cluster that runs. */
  public BenchCluster start() {
    BenchCluster cluster = create();
    try {
      cluster.up();
      return cluster;
    } catch (RuntimeException e) {
      cluster.closeAfter(e);
      throw e;
    }
  }

  private int freePortBase() {
    for (int i = 0; i < ATTEMPTS; i++) {
      int base = FIRST_BASE + random.nextInt(BASES) * BASE_STEP;
      if (BenchCluster.ports(base, size).allMatch(BenchClusters::isFree)) {
        return base;
      }
    }
    throw new CliException("Found no free ports for a cluster between 10000 and 30000");
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
