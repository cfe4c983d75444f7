package io.sluice.systemtests.replicated;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.BucketDescription;
import io.sluice.client.BucketOffsets;
import io.sluice.client.ClientConfig;
import io.sluice.client.Connection;
import io.sluice.common.TablePath;
import io.sluice.systemtests.process.ClusterPlan;
import io.sluice.systemtests.process.Launcher;
import io.sluice.systemtests.process.ProcessCluster;
import io.sluice.systemtests.process.ProcessClusters;
import io.sluice.testkit.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * The demo on three coordinators and three tablets passes though the tablet that leads {@code
 * demo.flights} dies in the middle of it and stays dead. A cluster with a lake and SQL takes long
 * to start, so this runs with soaks only.
 */
@ExtendWith(ProcessClusters.class)
@EnabledIfSystemProperty(named = "sluice.soak", matches = "true")
final class DemoFailoverFaultTest {
  private static final TablePath FLIGHTS = TablePath.parse("demo.flights");
  private static final long ROWS_BEFORE = 20_000;
  private static final Duration LOADING = Duration.ofMinutes(2);

  @Test
  void demoPassesWhenTheLeaderOfItsTableDies(@TempDir Path dir) {
    ClusterPlan plan =
        ClusterPlan.ofTablets(3, "-Xmx256m").withCoordinators(3).withLake(1).withSql();
    try (ProcessCluster cluster = ProcessCluster.start(dir.resolve("home"), plan);
        Connection connection = Connection.open(ClientConfig.of(cluster.coordinators()))) {
      CompletableFuture<Launcher.Result> demo =
          CompletableFuture.supplyAsync(() -> cluster.run("demo", "--no-kill"));
      Await.until(
          "the demo loads its flights",
          LOADING,
          () -> {
            if (demo.isDone()) {
              throw new AssertionError("The demo ended before: " + demo.join().output());
            }
            return visible(connection) >= ROWS_BEFORE;
          });
      BucketDescription bucket = connection.admin().describe(FLIGHTS).buckets().get(0);
      cluster.kill(ReplicatedCluster.tablet(bucket.leaderServerId()));

      Launcher.Result result = demo.join();

      assertThat(result.output()).contains("PASS").doesNotContain("FAILED");
      assertThat(result.exitCode()).isZero();
    }
  }

  private static long visible(Connection connection) {
    return connection.admin().listBucketOffsets(FLIGHTS).values().stream()
        .mapToLong(BucketOffsets::visible)
        .sum();
  }
}
