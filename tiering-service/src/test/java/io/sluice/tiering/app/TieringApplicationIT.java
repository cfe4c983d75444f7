package io.sluice.tiering.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.protocol.security.ClusterSecret;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

final class TieringApplicationIT {
  private static final Duration SOON = Duration.ofSeconds(60);

  @TempDir private Path directory;

  private ConfigurableApplicationContext start(String neighbours, Path secret) {
    return SpringApplication.run(
        TieringApplication.class,
        "--sluice.tiering.worker-id=tiering-7",
        "--sluice.tiering.coordinators=" + neighbours,
        "--sluice.tiering.lake=" + neighbours,
        "--sluice.tiering.report-interval=100ms",
        "--sluice.cluster.secret-file=" + secret,
        "--server.port=0");
  }

  private static String http(ConfigurableApplicationContext worker, String path)
      throws IOException, InterruptedException {
    String port = worker.getEnvironment().getRequiredProperty("local.server.port");
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  @Test
  @Timeout(value = 3, unit = TimeUnit.MINUTES)
  void reportsWithTheClusterTokenWorksAndStopsInOrder() throws Exception {
    Path secretFile = directory.resolve("secret");
    try (SmallCluster cluster = new SmallCluster(ClusterSecret.readOrCreate(secretFile))) {
      try (ConfigurableApplicationContext worker = start(cluster.address(), secretFile)) {
        Await.until(
            "ready",
            SOON,
            () -> http(worker, "/actuator/health/readiness").contains("\"running\":\"ok\""));
        Await.until("a round", SOON, () -> !cluster.prepared.isEmpty());
        assertThat(cluster.prepared.get(0)).matches("5-3-[0-9a-f]{8}");
        Await.until(
            "its end",
            SOON,
            () -> cluster.reports.stream().anyMatch(report -> report.getFailedCount() == 1));
        Await.until(
            "connected",
            SOON,
            () -> http(worker, "/actuator/prometheus").contains("sluice_session_connected 1.0"));
        assertThat(http(worker, "/actuator/prometheus"))
            .contains("sluice_tiering_rounds_total{outcome=\"superseded\"} 1.0")
            .contains("sluice_tiering_rounds_total{outcome=\"committed\"} 0.0")
            .contains("sluice_tiering_round_phase_seconds_count{phase=\"planning\"} 1")
            .contains("sluice_tiering_round_rows_total 0.0")
            .contains("sluice_tiering_round_size_bytes_total 0.0")
            .contains("sluice_tiering_slots 2.0")
            .contains("sluice_tiering_slots_used 0.0");
        assertThat(http(worker, "/api/v1/rounds"))
            .isEqualTo("{\"items\":[],\"slots\":2,\"connected\":true}");
        assertThat(cluster.reports.get(0).getWorkerId()).isEqualTo("tiering-7");
        long stopping = System.nanoTime();
        worker.close();
        assertThat(Duration.ofNanos(System.nanoTime() - stopping))
            .isLessThan(Duration.ofSeconds(15));
      }
    }
  }

  @Test
  @Timeout(value = 3, unit = TimeUnit.MINUTES)
  void startsAndStaysReadyWithoutItsNeighbours() throws Exception {
    Path secretFile = directory.resolve("secret");
    ClusterSecret.readOrCreate(secretFile);
    // Nobody listens on port 1.
    try (ConfigurableApplicationContext worker = start("127.0.0.1:1", secretFile)) {
      Await.until(
          "ready",
          SOON,
          () -> http(worker, "/actuator/health/readiness").contains("\"running\":\"ok\""));
      assertThat(http(worker, "/actuator/health/liveness")).contains("UP");
      assertThat(http(worker, "/actuator/prometheus")).contains("sluice_session_connected 0.0");
    }
  }
}
