package io.sluice.systemtests.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real services start, die, freeze and come back through the launcher, and nothing is left over.
 */
@ExtendWith(ProcessClusters.class)
final class ProcessClusterIT {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final HttpClient http = HttpClient.newHttpClient();

  @Test
  void startsTabletsThatRegister(@TempDir Path dir) throws Exception {
    try (ProcessCluster cluster = ProcessCluster.start(dir.resolve("home"), 2)) {
      assertThat(get(cluster.coordinatorHttp() + "/actuator/health/readiness")).contains("UP");
      assertThat(get(cluster.tabletHttp(1) + "/actuator/health/readiness")).contains("UP");
      assertThat(get(cluster.tabletHttp(2) + "/actuator/health/readiness")).contains("UP");
      assertThat(get(cluster.coordinatorHttp() + "/api/v1/servers"))
          .contains(
              Integer.toString(cluster.flightPort(1)), Integer.toString(cluster.flightPort(2)));
      Path secret = cluster.home().resolve("cluster-secret");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(secret)))
          .isEqualTo("rw-------");
      assertThat(cluster.up().output()).contains("Already up");

      cluster.down();

      assertThat(cluster.services()).noneMatch(cluster::alive);
    }
  }

  @Test
  void killedServiceIsSeenAndComesBackAsAnotherProcess(ProcessCluster cluster) throws Exception {
    long before = cluster.pid("tablet-1");
    List<Path> unpacked = temporaryFiles(cluster, "tablet-1");
    assertThat(unpacked).isNotEmpty();
    cluster.kill("tablet-1");
    assertThat(cluster.alive("tablet-1")).isFalse();
    assertThat(unpacked).allMatch(Files::exists);
    Launcher.Result status = new Launcher(cluster.home()).run("status");
    assertThat(status.exitCode()).isEqualTo(3);
    assertThat(status.output()).containsPattern("tablet-1 +- +died").contains("ready");

    cluster.restart("tablet-1");

    assertThat(cluster.alive("tablet-1")).isTrue();
    assertThat(cluster.pid("tablet-1")).isNotEqualTo(before);
    assertThat(unpacked).as("what a killed process left").noneMatch(Files::exists);
    assertThat(temporaryFiles(cluster, "tablet-1")).isNotEmpty();
    assertThat(new Launcher(cluster.home()).run("status").exitCode()).isZero();
  }

  private static List<Path> temporaryFiles(ProcessCluster cluster, String service)
      throws IOException {
    try (Stream<Path> files = Files.list(cluster.home().resolve("run/tmp").resolve(service))) {
      return files.toList();
    }
  }

  @Test
  void pausedServiceAnswersAgainAfterItResumes(ProcessCluster cluster) {
    cluster.pause("tablet-1");
    try {
      assertThat(new Launcher(cluster.home()).run("status").output()).contains("paused");
    } finally {
      cluster.resume("tablet-1");
    }
    Await.until(
        "tablet-1 is ready after its pause",
        TIMEOUT,
        () -> get(cluster.tabletHttp(1) + "/actuator/health/readiness").contains("UP"));
  }

  @Test
  void takenPortIsNamedAndNothingIsStarted(ProcessCluster cluster, @TempDir Path dir) {
    Path other = dir.resolve("other");
    int base = Integer.parseInt(cluster.coordinators().split(":")[1]) - 123;
    Launcher.Result result =
        new Launcher(other)
            .run(
                "up",
                "--no-build",
                "--no-lake",
                "--no-console",
                "--port-base",
                Integer.toString(base));
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.output())
        .contains("port " + (base + 123) + ", needed by coordinator-1, is in use")
        .contains("--port-base");
    assertThat(other.resolve("run/coordinator-1.pid")).doesNotExist();
  }

  private String get(String uri) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(uri)).timeout(Duration.ofSeconds(10)).build();
    return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
  }
}
