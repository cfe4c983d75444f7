package io.sluice.systemtests.replicated;

import io.sluice.client.BucketDescription;
import io.sluice.client.BucketOffsets;
import io.sluice.client.Connection;
import io.sluice.client.ServerDescription;
import io.sluice.client.TableDescription;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.systemtests.process.ClusterPlan;
import io.sluice.systemtests.process.ProcessCluster;
import io.sluice.systemtests.replicated.Reading.Copy;
import io.sluice.systemtests.replicated.Reading.Replicated;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Coordinators and three tablets as processes, with a {@link Network} between them. Servers are
 * numbered from 1. For one thread.
 */
final class ReplicatedCluster implements AutoCloseable {
  static final int TABLETS = 3;

  private static final String SHORT_SESSIONS = "coordinator.sluice.coordinator.session-timeout=4s";
  private static final Duration HTTP_TIMEOUT = Duration.ofSeconds(3);
  private static final Duration ELECTION = Duration.ofSeconds(40);

  /** Small segments, so that logs roll, and stores that are flushed now and then. */
  private static final List<String> TABLET_OPTIONS =
      List.of(
          "-Xms48m",
          "-Xmx256m",
          "-Dsluice.tablet.storage.segment-bytes=1MB",
          "-Dsluice.tablet.kv.flush-interval=5s",
          "-Dsluice.tablet.kv.block-cache-bytes=32MB",
          "-Dsluice.tablet.kv.memtable-bytes=16MB");

  private final int coordinators;
  private final Network network;
  private final ProcessCluster processes;
  private final Connection connection;
  private @Nullable SmallDisk smallDisk;
  private final HttpClient http =
      HttpClient.newBuilder()
          .connectTimeout(HTTP_TIMEOUT)
          .followRedirects(HttpClient.Redirect.NEVER)
          .build();

  private ReplicatedCluster(int coordinators, Network network, ProcessCluster processes) {
    this.coordinators = coordinators;
    this.network = network;
    this.processes = processes;
    this.connection = Connection.open(Workload.config(processes.coordinators()));
  }

  /**
   * Starts the cluster and returns when all is ready.
   *
   * @param tabletOptions Java options of the tablets beside those of every cluster here
   */
  static ReplicatedCluster start(Path home, int coordinators, String... tabletOptions) {
    return start(home, coordinators, List.of(), tabletOptions);
  }

  /** The same with servers that are missed sooner, so that tests need not wait so long. */
  static ReplicatedCluster startQuick(Path home, int coordinators) {
    return start(home, coordinators, List.of(SHORT_SESSIONS));
  }

  private static ReplicatedCluster start(
      Path home, int coordinators, List<String> settings, String... tabletOptions) {
    List<String> options = new ArrayList<>(TABLET_OPTIONS);
    options.addAll(List.of(tabletOptions));
    Network network = new Network(coordinators, TABLETS);
    try {
      ClusterPlan plan =
          ClusterPlan.ofTablets(TABLETS, options.toArray(String[]::new))
              .withCoordinators(coordinators)
              .withSettings(network::settings)
              .withSettings(cluster -> settings);
      return new ReplicatedCluster(coordinators, network, ProcessCluster.start(home, plan));
    } catch (RuntimeException | AssertionError e) {
      network.close();
      throw e;
    }
  }

  /**
   * Starts the cluster with a small disk under its last tablet, where that is possible.
   *
   * @param megabytes size of that disk
   */
  static ReplicatedCluster startWithSmallDisk(Path home, int coordinators, int megabytes) {
    SmallDisk disk;
    try {
      disk = SmallDisk.mount(home.resolve(tablet(TABLETS)), megabytes);
    } catch (SmallDisk.Unavailable e) {
      System.out.println("Notice: no disk is filled: " + e.getMessage());
      return start(home, coordinators);
    }
    try {
      ReplicatedCluster cluster = start(home, coordinators);
      cluster.smallDisk = disk;
      return cluster;
    } catch (RuntimeException | AssertionError e) {
      disk.close();
      throw e;
    }
  }

  /** The small disk of the last tablet, null when it has none. */
  @Nullable SmallDisk smallDisk() {
    return smallDisk;
  }

  Network network() {
    return network;
  }

  ProcessCluster processes() {
    return processes;
  }

  /** A client that is not part of any workload. */
  Connection connection() {
    return connection;
  }

  int coordinators() {
    return coordinators;
  }

  static String tablet(int number) {
    return "tablet-" + number;
  }

  static String coordinator(int number) {
    return "coordinator-" + number;
  }

  /** A bucket as the coordinators have it. */
  BucketDescription bucket(String path, int bucket) {
    return connection.admin().describe(TablePath.parse(path)).buckets().stream()
        .filter(each -> each.bucket() == bucket)
        .findFirst()
        .orElseThrow(() -> new AssertionError(path + " has no bucket " + bucket));
  }

  /** The tablet that leads a bucket, as soon as there is one. */
  int leader(String path, int bucket) {
    Await.until(
        path + " bucket " + bucket + " has a leader",
        ELECTION,
        () -> bucket(path, bucket).leaderServerId() != 0);
    return bucket(path, bucket).leaderServerId();
  }

  /** Returns when another tablet leads the bucket. */
  int awaitOtherLeader(String path, int bucket, int before) {
    Await.until(
        path + " bucket " + bucket + " is led by another than " + before,
        ELECTION,
        () -> {
          int now = bucket(path, bucket).leaderServerId();
          return now != 0 && now != before;
        });
    return bucket(path, bucket).leaderServerId();
  }

  /** The coordinator that leads, as soon as one does. */
  int coordinatorLeader() {
    int[] found = new int[1];
    Await.until("a coordinator leads", ELECTION, () -> (found[0] = findCoordinatorLeader()) != 0);
    return found[0];
  }

  private int findCoordinatorLeader() {
    for (int number = 1; number <= coordinators; number++) {
      String answer = get(processes.httpUrl(coordinator(number)) + "/api/v1/coordinators");
      if (answer.contains("\"role\":\"LEADER\"")) {
        return number;
      }
    }
    return 0;
  }

  /** The body of an answer; empty when there is none. */
  String get(String url) {
    try {
      HttpRequest request = HttpRequest.newBuilder(URI.create(url)).timeout(HTTP_TIMEOUT).build();
      return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
    } catch (IOException away) {
      return "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("Interrupted while asking " + url, e);
    }
  }

  /** Starts every process that does not run, several at the same time. */
  void startMissing() {
    processes.startDead();
  }

  /**
   * Returns when every server is alive and every bucket of these tables has all replicas in sync.
   */
  void awaitInSync(Collection<String> paths, Duration within) {
    Await.until("all servers are alive", within, () -> aliveServers().size() == TABLETS);
    for (String path : paths) {
      try {
        Await.until(
            "all replicas of " + path + " are in sync",
            within,
            () ->
                connection.admin().describe(TablePath.parse(path)).buckets().stream()
                    .allMatch(ReplicatedCluster::isInSync));
      } catch (AssertionError e) {
        throw new AssertionError(e.getMessage() + ", now " + describe(path), e);
      }
    }
  }

  private Set<Integer> aliveServers() {
    Set<Integer> alive = new HashSet<>();
    for (ServerDescription server : connection.admin().servers()) {
      if (server.alive()) {
        alive.add(server.serverId());
      }
    }
    return alive;
  }

  private static boolean isInSync(BucketDescription bucket) {
    return bucket.leaderServerId() != 0
        && bucket.inSync().contains(bucket.leaderServerId())
        && new HashSet<>(bucket.inSync()).equals(new HashSet<>(bucket.replicas()));
  }

  /** Leaders, epochs and in-sync sets of a table, for people. */
  String describe(String path) {
    StringBuilder text = new StringBuilder();
    for (BucketDescription bucket : connection.admin().describe(TablePath.parse(path)).buckets()) {
      text.append(
          " %d:leader %d epoch %d in sync %s"
              .formatted(
                  bucket.bucket(), bucket.leaderServerId(), bucket.leaderEpoch(), bucket.inSync()));
    }
    return text.toString();
  }

  /** What the replicas of a table have on disk, as soon as all have what is committed. */
  List<Replicated> replicas(TableDescription table) {
    List<Replicated> replicated = new ArrayList<>();
    Map<TableBucket, BucketOffsets> offsets = connection.admin().listBucketOffsets(table.path());
    for (BucketDescription bucket : table.buckets()) {
      TableBucket id = bucket.tableBucket(table.tableId());
      long committed = offsets.get(id).visible();
      String name = table.path() + " bucket " + bucket.bucket();
      Replicated[] found = new Replicated[1];
      awaitOrGoOn(
          () -> {
            found[0] = new Replicated(name, committed, copies(bucket, id));
            return found[0].copies().stream().allMatch(copy -> copy.end() >= committed);
          });
      replicated.add(found[0]);
    }
    return replicated;
  }

  private List<Copy> copies(BucketDescription bucket, TableBucket id) throws IOException {
    List<Copy> copies = new ArrayList<>();
    for (int server : bucket.replicas()) {
      copies.add(ReplicaFiles.read(server, processes.tabletData(server), id));
    }
    return copies;
  }

  /** The checker says what is missing, better than a time-out could. */
  private static void awaitOrGoOn(Await.Condition condition) {
    long deadline = System.nanoTime() + ELECTION.toNanos();
    Exception last = null;
    do {
      try {
        if (condition.holds()) {
          return;
        }
      } catch (Exception e) {
        last = e;
      }
      Client.pause(Duration.ofMillis(50));
    } while (System.nanoTime() < deadline);
    if (last != null) {
      throw new AssertionError("Cannot read the files of the replicas", last);
    }
  }

  @Override
  public void close() {
    network.heal();
    connection.close();
    processes.close();
    network.close();
    if (smallDisk != null) {
      smallDisk.close();
    }
  }
}
