package io.sluice.systemtests.lake;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.ClientConfig;
import io.sluice.client.Connection;
import io.sluice.common.TablePath;
import io.sluice.systemtests.process.ClusterPlan;
import io.sluice.systemtests.process.ProcessCluster;
import io.sluice.systemtests.process.ProcessClusters;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The only copy of a log is lost; the lake keeps what it has and takes what is written next. */
@ExtendWith(ProcessClusters.class)
final class LostLogFaultTest {
  private static final TablePath PATH = TablePath.parse("faults.lost");
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  @Test
  void rowsBehindTheHoleFollowThoseInTheLake(@TempDir Path dir) throws IOException {
    ClusterPlan plan =
        ClusterPlan.ofTablets(1)
            .withLake(1)
            .withSettings(
                starting ->
                    List.of(
                        "coordinator.sluice.tiering.poll-interval=200ms",
                        "tiering.sluice.tiering.report-interval=300ms"));
    try (ProcessCluster cluster = ProcessCluster.start(dir.resolve("home"), plan);
        Lake lake = new Lake(cluster.httpUrl("lake-1") + "/iceberg", cluster.coordinatorHttp());
        Connection connection = Connection.open(ClientConfig.of(cluster.coordinators()))) {
      LakeTables.createPlain(connection, PATH, 1);
      LakeTables.appendPlain(connection, PATH, 0, 20);
      awaitRecorded(lake, 20);

      cluster.kill("tablet-1");
      Path data = cluster.tabletData(1);
      Files.move(data, data.resolveSibling("lost"));
      cluster.startDead();
      LakeTables.appendPlain(connection, PATH, 20, 30);
      awaitRecorded(lake, 30);
      LakeTable table = lake.table(PATH);
      table.checkChain();
      List<List<String>> rows = table.rows().get(0);
      assertThat(rows).extracting(row -> row.get(1)).hasSize(30).last().isEqualTo("text 29");
    }
  }

  private static void awaitRecorded(Lake lake, long end) {
    Await.until(
        "the lake has everything below " + end,
        PATIENCE,
        () -> lake.recordedOffsets(PATH).equals(Map.of(0, end)));
  }
}
