package io.sluice.systemtests.replicated;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.AppendWriter;
import io.sluice.client.BucketDescription;
import io.sluice.client.Bucketing;
import io.sluice.client.Connection;
import io.sluice.client.TableDescription;
import io.sluice.client.TableSpec;
import io.sluice.client.WriterOptions;
import io.sluice.common.TablePath;
import io.sluice.format.row.Row;
import io.sluice.systemtests.faults.StoredSegment;
import io.sluice.systemtests.process.ProcessClusters;
import io.sluice.systemtests.replicated.Reading.Copy;
import io.sluice.systemtests.replicated.Reading.Replicated;
import io.sluice.testkit.Await;
import io.sluice.testkit.Seeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * durable-ack, no-dup, dense, same-log, state-is-fold and read-your-write of a replicated cluster
 * while its servers die, freeze and lose each other: a short choice of {@link Fault}s, each once.
 * All tests share a cluster; {@link ReplicatedSoakTest} makes all faults for as long as is wanted.
 */
@ExtendWith(ProcessClusters.class)
final class ReplicatedFaultTest {
  private static final TablePath KEPT = TablePath.parse("changed.kept");
  private static final List<String> DAY = List.of("20250101");

  private static ReplicatedCluster cluster;

  @BeforeAll
  static void start(@TempDir Path dir) {
    cluster = ReplicatedCluster.startQuick(dir.resolve("home"), 3);
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void nothingIsLostWhenLeadersDieAndWakeUp() {
    Seeds.run(
        1,
        (seed, random) -> {
          try (Trial trial = Trial.start(cluster, "leaders", Workload.Load.GENTLE, random)) {
            int before = trial.elections();
            trial.make(Fault.KILL_LEADER_AHEAD);
            trial.make(Fault.PAUSE_LEADER_KILL_COORDINATOR);
            assertThat(trial.elections()).as("elections").isGreaterThan(before);
            trial.judge();
            trial.drop();
          }
        });
  }

  @Test
  void isolatedLeaderAnswersNoLookupOnceAnotherLeads() {
    Seeds.run(
        1,
        (seed, random) -> {
          try (Trial trial = Trial.start(cluster, "leader_alone", Workload.Load.GENTLE, random)) {
            trial.during(
                () -> {
                  assertThat(IsolatedLeader.read(trial.scene())).isEmpty();
                  trial.awaitHealthy();
                });
            trial.judge();
            trial.drop();
          }
        });
  }

  @Test
  void nothingIsLostWhenAllTabletsDie() {
    Seeds.run(
        1,
        (seed, random) -> {
          try (Trial trial = Trial.start(cluster, "all_die", Workload.Load.GENTLE, random)) {
            trial.make(Fault.KILL_ALL_TABLETS);
            trial.judge();
            trial.drop();
          }
        });
  }

  @Test
  void tabletThatWasDownHasNothingOldAndNothingDamaged() throws IOException {
    Connection connection = cluster.connection();
    connection.admin().createDatabase("changed", true);
    long dropped = createPartitioned("changed.dropped");
    createPartitioned("changed.kept");
    createPartitioned("changed.damaged");
    for (String path : List.of("changed.dropped", "changed.kept", "changed.damaged")) {
      append(path, 0, 300);
    }
    cluster.processes().kill("tablet-2");
    connection.admin().dropTable(TablePath.parse("changed.dropped"), false);
    connection.admin().dropPartition(KEPT, DAY, false);
    long again = connection.admin().createPartition(KEPT, DAY, false).partitionId();
    append("changed.kept", 1000, 1005);
    damage(2, "changed.damaged");
    cluster.processes().startAgain("tablet-2");
    cluster.awaitInSync(List.of("changed.kept", "changed.damaged"), Duration.ofSeconds(60));

    assertOnEveryServer("changed.kept", 5);
    assertOnEveryServer("changed.damaged", 300);
    Path data = cluster.processes().tabletData(2);
    long kept = connection.table(KEPT).description().tableId();
    Await.until(
        "directories of what was dropped are gone",
        Duration.ofSeconds(30),
        () ->
            names(data.resolve(Long.toString(dropped))).isEmpty()
                && names(data.resolve(Long.toString(kept))).stream()
                    .allMatch(name -> name.startsWith(again + "-")));
    connection.admin().dropDatabaseWithTables("changed", true);
  }

  /** Every server has so many rows of the table, in the same batches. */
  private static void assertOnEveryServer(String path, int rows) {
    List<Replicated> replicas = cluster.replicas(cluster.connection().table(path).description());
    for (int server = 1; server <= ReplicatedCluster.TABLETS; server++) {
      int replica = server;
      assertThat(replicas.stream().mapToLong(bucket -> copyOn(replica, bucket).end()).sum())
          .as("rows of %s on server %s", path, server)
          .isEqualTo(rows);
      assertThat(replicas)
          .as("batches of %s on server %s", path, server)
          .allSatisfy(
              bucket ->
                  assertThat(copyOn(replica, bucket).batches())
                      .isEqualTo(copyOn(1, bucket).batches()));
    }
  }

  /** Cuts off and changes bytes at the ends of the logs that a dead server has of a table. */
  private static void damage(int server, String path) throws IOException {
    TableDescription table = cluster.connection().table(path).description();
    for (BucketDescription bucket : table.buckets()) {
      List<StoredSegment> segments =
          StoredSegment.of(
              cluster.processes().tabletData(server), bucket.tableBucket(table.tableId()));
      StoredSegment last = segments.get(segments.size() - 1);
      if (bucket.bucket() == 0) {
        last.truncate(last.size() - 17);
      } else {
        last.flip(last.size() - 100);
        Files.deleteIfExists(last.index());
      }
    }
  }

  private static Copy copyOn(int server, Replicated bucket) {
    return bucket.copies().stream()
        .filter(copy -> copy.server() == server)
        .findFirst()
        .orElseThrow();
  }

  private static long createPartitioned(String path) {
    long id =
        cluster
            .connection()
            .admin()
            .createTable(
                TableSpec.of(path)
                    .column("id", "INT")
                    .column("dt", "STRING")
                    .partitionedBy("dt")
                    .buckets(2)
                    .build())
            .tableId();
    cluster.connection().admin().createPartition(TablePath.parse(path), DAY, false);
    return id;
  }

  private static void append(String path, int from, int to) {
    try (AppendWriter writer =
        cluster
            .connection()
            .table(path)
            .appendWriter(WriterOptions.defaults().bucketing(Bucketing.ROUND_ROBIN))) {
      for (int id = from; id < to; id++) {
        writer.append(Row.of(id, DAY.get(0)));
      }
    }
  }

  private static List<String> names(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }
}
