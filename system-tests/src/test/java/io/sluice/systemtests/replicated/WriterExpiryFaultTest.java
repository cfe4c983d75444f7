package io.sluice.systemtests.replicated;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.AppendWriter;
import io.sluice.client.TableDescription;
import io.sluice.common.TableBucket;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.format.row.Row;
import io.sluice.systemtests.faults.StoredSegment;
import io.sluice.systemtests.process.ProcessClusters;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Leader and followers forget an idle writer at different moments, and nobody minds: only the
 * leader looks for duplicates, and only in what is new. Writers are forgotten when a segment is
 * closed, so another writer fills segments meanwhile. Mostly waits, so it runs with soaks only.
 */
@ExtendWith(ProcessClusters.class)
@EnabledIfSystemProperty(named = "sluice.soak", matches = "true")
final class WriterExpiryFaultTest {
  private static final String PATH = "expiry.rows";
  private static final int ROUNDS = 12;
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration FILLING = Duration.ofMillis(50);

  /** A few of them fill a segment. */
  private static final int FILLING_BYTES = 12 * 1024;

  /** As docs/formats/segment.md has it: the frame, then offset, count and zero, then writers. */
  private static final int SNAPSHOT_OFFSET_AT = 16;

  private static final int SNAPSHOT_COUNT_AT = 24;
  private static final int SNAPSHOT_WRITERS_AT = 32;
  private static final int SNAPSHOT_WRITER_BYTES = 48;
  private static final int SEGMENT_HEADER_BYTES = 64;

  private final SplittableRandom random = new SplittableRandom(1);
  private long rows;

  @Test
  void idleWriterGoesOnWhoeverHasForgottenIt(@TempDir Path dir) throws IOException {
    try (ReplicatedCluster cluster =
        ReplicatedCluster.start(
            dir.resolve("home"),
            1,
            "-Dsluice.tablet.storage.writer-expiry=3s",
            "-Dsluice.tablet.storage.segment-bytes=64KB")) {
      cluster.connection().admin().createDatabase("expiry", true);
      LogTable.create(cluster.connection(), PATH, 1, ReplicatedCluster.TABLETS);
      cluster.awaitInSync(List.of(PATH), Duration.ofSeconds(60));
      TableDescription table = cluster.connection().table(PATH).description();
      TableBucket bucket = TableBucket.of(table.tableId(), 0);
      try (AppendWriter writer = cluster.connection().table(PATH).appendWriter();
          AppendWriter other = cluster.connection().table(PATH).appendWriter()) {
        append(writer, LogTable.row(0, 0));
        long writerId = firstWriter(cluster, bucket);
        for (int round = 1; round < ROUNDS; round++) {
          Client.pause(Duration.ofMillis(random.nextInt(2500)));
          fillUntilForgotten(cluster, other, bucket, writerId);
          append(writer, LogTable.row(0, round));
          assertThat(cluster.bucket(PATH, 0).inSync()).hasSize(3);
        }
        String leader = ReplicatedCluster.tablet(cluster.leader(PATH, 0));
        cluster.processes().kill(leader);
        cluster.processes().restart(leader);
        writer.append(LogTable.row(0, ROUNDS)).join();
        rows++;
      }
      cluster.awaitInSync(List.of(PATH), Duration.ofSeconds(60));
      assertThat(cluster.replicas(table))
          .singleElement()
          .satisfies(
              replicated ->
                  assertThat(replicated.copies())
                      .allSatisfy(copy -> assertThat(copy.end()).isEqualTo(rows)));
    }
  }

  /** A row that is stored twice, or in the place of another, shows in the next one's offset. */
  private void append(AppendWriter writer, Row row) {
    assertThat(writer.append(row).join().offset()).isEqualTo(rows);
    rows++;
  }

  /** Has segments closed until a replica no longer knows the writer. */
  private void fillUntilForgotten(
      ReplicatedCluster cluster, AppendWriter other, TableBucket bucket, long writerId) {
    long lastRow = rows - 1;
    Await.until(
        "a replica has forgotten writer " + writerId,
        PATIENCE,
        () -> {
          byte[] incompressible = new byte[FILLING_BYTES];
          random.nextBytes(incompressible);
          append(other, Row.of(1, rows, Base64.getEncoder().encodeToString(incompressible)));
          Client.pause(FILLING);
          for (int server = 1; server <= ReplicatedCluster.TABLETS; server++) {
            if (hasForgotten(cluster.processes().tabletData(server), bucket, writerId, lastRow)) {
              return true;
            }
          }
          return false;
        });
  }

  /**
   * Whether a replica's newest snapshot of writers is behind a row and does not have its writer.
   */
  private static boolean hasForgotten(Path tabletData, TableBucket bucket, long writerId, long row)
      throws IOException {
    Optional<Path> newest;
    try (Stream<Path> files =
        Files.list(StoredSegment.of(tabletData, bucket).get(0).file().resolveSibling(""))) {
      newest =
          files
              .filter(file -> file.getFileName().toString().matches("writers-\\d+\\.snapshot"))
              .sorted()
              .reduce((first, second) -> second);
    }
    if (newest.isEmpty()) {
      return false;
    }
    ByteBuffer snapshot =
        ByteBuffer.wrap(Files.readAllBytes(newest.get())).order(ByteOrder.LITTLE_ENDIAN);
    if (snapshot.getLong(SNAPSHOT_OFFSET_AT) <= row) {
      return false;
    }
    for (int i = 0; i < snapshot.getInt(SNAPSHOT_COUNT_AT); i++) {
      if (snapshot.getLong(SNAPSHOT_WRITERS_AT + i * SNAPSHOT_WRITER_BYTES) == writerId) {
        return false;
      }
    }
    return true;
  }

  /** Who wrote the first batch of the bucket. */
  private static long firstWriter(ReplicatedCluster cluster, TableBucket bucket)
      throws IOException {
    Path data = cluster.processes().tabletData(cluster.leader(PATH, 0));
    byte[] segment = Files.readAllBytes(StoredSegment.of(data, bucket).get(0).file());
    return LogBatchHeader.wrap(
            ByteBuffer.wrap(segment).slice(SEGMENT_HEADER_BYTES, LogBatchHeader.SIZE))
        .writerId();
  }
}
