package io.sluice.systemtests.lake;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.ClientConfig;
import io.sluice.client.Connection;
import io.sluice.common.TablePath;
import io.sluice.systemtests.process.ClusterPlan;
import io.sluice.systemtests.process.Launcher;
import io.sluice.systemtests.process.ProcessCluster;
import io.sluice.systemtests.process.ProcessClusters;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * All services with a lake as processes: the command line's SQL, health, metrics, stop and start.
 */
@ExtendWith(ProcessClusters.class)
final class LakeProcessesIT {
  private static final TablePath PATH = TablePath.parse("processes.events");
  private static final Duration LONGEST_STOP = Duration.ofSeconds(30);
  private static ProcessCluster cluster;

  private final HttpClient http = HttpClient.newHttpClient();

  @BeforeAll
  static void start(@TempDir Path dir) {
    cluster =
        ProcessCluster.start(
            dir.resolve("home"),
            ClusterPlan.ofTablets(1)
                .withLake(1)
                .withSql()
                .withSettings(
                    starting ->
                        List.of(
                            "coordinator.sluice.tiering.poll-interval=200ms",
                            "coordinator.sluice.tiering.sweep-interval=500ms",
                            "tiering.sluice.tiering.report-interval=500ms")));
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void everyServiceIsHealthyAndShowsItsMetrics() throws Exception {
    for (String service : cluster.services()) {
      assertThat(get(service, "/actuator/health/liveness")).as(service).contains("UP");
      assertThat(get(service, "/actuator/health/readiness")).as(service).contains("UP");
      assertThat(get(service, "/actuator/prometheus")).as(service).contains("jvm_memory_used");
    }
  }

  @Test
  void sqlOfTheCommandLineGoesAllTheWayAndSurvivesAStop() {
    mustRun(
        "CREATE DATABASE processes;"
            + "CREATE TABLE processes.events (id INT, text STRING) WITH ("
            + "'table.datalake.enabled' = 'true', 'table.datalake.freshness' = '1s');"
            + "INSERT INTO processes.events VALUES (1, 'one'), (2, 'two')");
    assertThat(mustRun("SELECT text FROM processes.events ORDER BY id")).contains("one", "two");

    Launcher.Result refused = sql("SELECT nothing FROM processes.events");
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.output()).contains("nothing").doesNotContain("Exception");
    Launcher.Result forbidden = sql("SELECT * FROM read_csv('/etc/passwd')");
    assertThat(forbidden.exitCode()).isEqualTo(1);
    assertThat(forbidden.output()).doesNotContain("root:");

    Map<Integer, Long> recorded = settle();
    long started = System.nanoTime();
    cluster.down();
    assertThat(Duration.ofNanos(System.nanoTime() - started)).isLessThan(LONGEST_STOP);
    cluster.up().orFail("Starting again");

    assertThat(mustRun("SELECT text FROM processes.events$lake")).contains("one", "two");
    assertThat(
            mustRun(
                "INSERT INTO processes.events VALUES (3, 'three');"
                    + "SELECT text FROM processes.events"))
        .contains("one", "two", "three");
    assertThat(settle().values().stream().mapToLong(Long::longValue).sum())
        .isEqualTo(recorded.values().stream().mapToLong(Long::longValue).sum() + 1);
  }

  /** Waits until all is in the lake; returns the recorded offsets. */
  private static Map<Integer, Long> settle() {
    try (Lake lake = new Lake(cluster.httpUrl("lake-1") + "/iceberg", cluster.coordinatorHttp());
        Connection connection = Connection.open(ClientConfig.of(cluster.coordinators()))) {
      OnceInLake.settle(lake, connection, PATH);
      return lake.recordedOffsets(PATH);
    }
  }

  private static String mustRun(String statement) {
    return sql(statement).orFail(statement).output();
  }

  private static Launcher.Result sql(String statement) {
    return cluster.run("sql", statement);
  }

  private String get(String service, String path) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(cluster.httpUrl(service) + path))
            .timeout(Duration.ofSeconds(10))
            .build();
    return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
  }
}
