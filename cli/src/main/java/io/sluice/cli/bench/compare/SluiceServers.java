package io.sluice.cli.bench.compare;

import io.sluice.cli.CliException;
import io.sluice.cli.bench.BenchCluster;
import io.sluice.cli.bench.BenchClusters;
import io.sluice.cli.bench.ClusterSize;
import io.sluice.cli.bench.sluice.BenchTables;
import io.sluice.client.BucketDescription;
import io.sluice.client.Connection;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** A Sluice cluster, started by the launcher like any other. */
final class SluiceServers implements RestartableServers, AutoCloseable {
  /** A tablet that comes back has what it missed to copy, and its rows to load. */
  private static final Duration IN_SYNC_TIMEOUT = Duration.ofMinutes(5);

  private static final long LOOK_MS = 50;

  private final BenchCluster cluster;
  private final String title;

  private SluiceServers(BenchCluster cluster, String title) {
    this.cluster = cluster;
    this.title = title;
  }

  /** Starts it; the tablets have the heap that the other products' servers have. */
  static SluiceServers start(BenchClusters clusters, String commit, Replication replication) {
    String heap = String.join(" ", JavaProcesses.heap(replication.heap()));
    BenchClusters ofSize = clusters.withSize(ClusterSize.ofTablets(replication.servers()));
    return new SluiceServers(ofSize.withTabletOptions(heap).start(), "Sluice " + commit);
  }

  /**
   * The tablet that leads a bucket.
   *
   * @param serverId its id
   * @param pid its process
   */
  record Leader(int serverId, long pid) {}

  /** Waits until all replicas of a table are in sync; returns who leads its first bucket. */
  Leader awaitAllInSync(String table) throws InterruptedException {
    TablePath path = BenchTables.path(table);
    long deadline = System.nanoTime() + IN_SYNC_TIMEOUT.toNanos();
    try (Connection connection = cluster.connect()) {
      while (true) {
        List<BucketDescription> buckets = bucketsOf(path, connection, deadline);
        if (!buckets.isEmpty() && buckets.stream().allMatch(SluiceServers::isWhole)) {
          int leader = buckets.get(0).leaderServerId();
          return new Leader(leader, cluster.tabletPid(leader));
        }
        if (System.nanoTime() > deadline) {
          throw new CliException(
              "Not all replicas of "
                  + path
                  + " are in sync after "
                  + IN_SYNC_TIMEOUT.toMinutes()
                  + " minutes: "
                  + buckets);
        }
        TimeUnit.MILLISECONDS.sleep(LOOK_MS);
      }
    }
  }

  private static boolean isWhole(BucketDescription bucket) {
    return bucket.leaderServerId() != 0 && bucket.inSync().size() == bucket.replicas().size();
  }

  /** Nothing while the coordinators cannot tell. */
  private static List<BucketDescription> bucketsOf(
      TablePath path, Connection connection, long deadline) {
    try {
      return connection.admin().describe(path).buckets();
    } catch (SluiceException e) {
      if (System.nanoTime() > deadline) {
        throw e;
      }
      return List.of();
    }
  }

  /** Starts a tablet that was killed. */
  void startAgain(Leader killed) {
    cluster.startTablet(killed.serverId());
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
