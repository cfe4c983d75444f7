package io.sluice.systemtests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.AppendResult;
import io.sluice.client.AppendWriter;
import io.sluice.client.Bucketing;
import io.sluice.client.ClientConfig;
import io.sluice.client.Connection;
import io.sluice.client.PartitionDescription;
import io.sluice.client.TableDescription;
import io.sluice.client.TableSpec;
import io.sluice.client.WriterOptions;
import io.sluice.common.TablePath;
import io.sluice.format.row.Row;
import io.sluice.systemtests.local.ScannedRows;
import io.sluice.systemtests.process.ProcessCluster;
import io.sluice.systemtests.process.ProcessClusters;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A tablet that was down while a table and a partition were dropped, and the partition made again
 * under its name, starts, removes what is gone, and serves the new rows alone.
 */
@ExtendWith(ProcessClusters.class)
final class DroppedWhileDownFaultTest {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final TablePath DROPPED = TablePath.parse("down.dropped");
  private static final TablePath KEPT = TablePath.parse("down.kept");
  private static final List<String> DAY = List.of("20250101");
  private static final int BUCKETS = 4;

  @Test
  void whatWasDroppedIsGoneAndWhatWasMadeAgainIsNew(@TempDir Path dir) throws IOException {
    try (ProcessCluster cluster = ProcessCluster.start(dir.resolve("home"), 2);
        Connection connection = Connection.open(ClientConfig.of(cluster.coordinators()))) {
      connection.admin().createDatabase("down", true);
      long dropped = create(connection, DROPPED);
      long kept = create(connection, KEPT);
      load(connection, DROPPED, 0, 400);
      load(connection, KEPT, 0, 400);
      assertThat(buckets(cluster, dropped)).isNotEmpty();
      List<String> before = buckets(cluster, kept);
      assertThat(before).isNotEmpty();

      cluster.kill("tablet-2");
      connection.admin().dropTable(DROPPED, false);
      connection.admin().dropPartition(KEPT, DAY, false);
      PartitionDescription again = connection.admin().createPartition(KEPT, DAY, false);
      List<CompletableFuture<AppendResult>> rows = new ArrayList<>();
      try (AppendWriter writer = openWriter(connection, KEPT)) {
        for (int id = 1000; id < 1005; id++) {
          rows.add(writer.append(Row.of(id, DAY.get(0))));
        }
        cluster.startAgain("tablet-2");
        writer.flush();
      }
      assertThat(rows)
          .allSatisfy(row -> assertThat(row.join().partitionId()).isEqualTo(again.partitionId()));
      assertThat(ScannedRows.read(connection.table(KEPT.toString()).scan(), row -> row.getInt(0)))
          .containsExactlyInAnyOrder(1000, 1001, 1002, 1003, 1004);
      Await.until(
          "the directories of what was dropped are gone",
          SOON,
          () ->
              buckets(cluster, dropped).isEmpty()
                  && buckets(cluster, kept).stream().noneMatch(before::contains));
      checkOffsets(connection);
    }
  }

  private static long create(Connection connection, TablePath path) {
    TableDescription created =
        connection
            .admin()
            .createTable(
                TableSpec.of(path.toString())
                    .column("id", "INT")
                    .column("dt", "STRING")
                    .partitionedBy("dt")
                    .buckets(BUCKETS)
                    .build());
    connection.admin().createPartition(path, DAY, false);
    return created.tableId();
  }

  /** Rows go to the buckets in turn, so that both tablets have some. */
  private static AppendWriter openWriter(Connection connection, TablePath path) {
    return connection
        .table(path.toString())
        .appendWriter(WriterOptions.defaults().bucketing(Bucketing.ROUND_ROBIN));
  }

  private static void load(Connection connection, TablePath path, int from, int to) {
    try (AppendWriter writer = openWriter(connection, path)) {
      for (int id = from; id < to; id++) {
        writer.append(Row.of(id, DAY.get(0)));
      }
    }
  }

  private static void checkOffsets(Connection connection) {
    assertThat(connection.admin().listBucketOffsets(KEPT).values())
        .hasSize(BUCKETS)
        .allSatisfy(offsets -> assertThat(offsets.logStart()).isZero());
    assertThat(
            connection.admin().listBucketOffsets(KEPT).values().stream()
                .mapToLong(offsets -> offsets.visible())
                .sum())
        .isEqualTo(5);
  }

  /** Names of the directories that tablet 2 has for the buckets of a table. */
  private static List<String> buckets(ProcessCluster cluster, long tableId) throws IOException {
    Path directory = cluster.tabletData(2).resolve(Long.toString(tableId));
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> buckets = Files.list(directory)) {
      return buckets.map(bucket -> bucket.getFileName().toString()).toList();
    }
  }
}
