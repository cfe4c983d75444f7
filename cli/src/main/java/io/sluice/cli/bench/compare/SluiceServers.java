package io.sluice.cli.bench.compare;

import io.sluice.cli.bench.BenchCluster;
import io.sluice.cli.bench.BenchClusters;
import java.util.List;
import java.util.OptionalLong;

/** A Sluice cluster of one coordinator and one tablet, started by the launcher like any other. */
final class SluiceServers implements RestartableServers, AutoCloseable {
  private final BenchCluster cluster;
  private final String title;

  private SluiceServers(BenchCluster cluster, String title) {
    this.cluster = cluster;
    this.title = title;
  }

  /** Starts it; the tablet has the heap that the other products' servers have. */
  static SluiceServers start(BenchClusters clusters, String commit) {
    String heap = String.join(" ", JavaProcesses.heap(JavaProcesses.HEAP));
    return new SluiceServers(clusters.withTabletOptions(heap).start(), "Sluice " + commit);
  }

  @Override
  public String title() {
    return title;
  }

  @Override
  public String bootstrap() {
    return cluster.address();
  }

  @Override
  public List<Long> pids() {
    return cluster.pids();
  }

  @Override
  public String clientClassPath() {
    return System.getProperty("java.class.path");
  }

  @Override
  public OptionalLong storedBytes(String table) {
    return OptionalLong.empty();
  }

  @Override
  public void killRowServer() {
    cluster.killTablet();
  }

  @Override
  public long startRowServer() {
    cluster.startTablet();
    return cluster.tabletPid();
  }

  @Override
  public void close() {
    cluster.close();
  }
}
