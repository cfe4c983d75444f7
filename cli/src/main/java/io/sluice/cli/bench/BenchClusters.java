package io.sluice.cli.bench;

import io.sluice.cli.CliException;
import io.sluice.cli.cluster.Launcher;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.function.Consumer;

/**
 * Makes fresh clusters for benchmarks, each with a temporary home and ports of its own, so that a
 * cluster somebody uses is not touched.
 */
final class BenchClusters {
  private static final int ATTEMPTS = 50;
  private static final int FIRST_BASE = 10_000;
  private static final int BASES = 200;
  private static final int BASE_STEP = 100;

  private final Path script;
  private final Random random;
  private final Consumer<String> notices;

  /**
   * @param script the launcher
   * @param random draws ports
   * @param notices receives what a person should know but need not stop for
   */
  BenchClusters(Path script, Random random, Consumer<String> notices) {
    this.script = script;
    this.random = random;
    this.notices = notices;
  }

  /** A cluster that is not started yet. */
  BenchCluster create() {
    try {
      Path home = Files.createTempDirectory("sluice-bench-");
      return new BenchCluster(new Launcher(script, home), freePortBase(), notices);
    } catch (IOException e) {
      throw new CliException("Cannot make a directory for the cluster: " + e.getMessage(), "", e);
    }
  }

  /** A cluster that runs. */
  BenchCluster start() {
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
      if (BenchCluster.ports(base).allMatch(BenchClusters::isFree)) {
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
