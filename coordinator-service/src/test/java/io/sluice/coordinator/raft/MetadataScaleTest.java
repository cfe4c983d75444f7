package io.sluice.coordinator.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.Fixtures;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.MetadataLog.Applied;
import io.sluice.testkit.Await;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What many buckets cost a coordinator: memory, the writing and reading of a snapshot, a restart.
 * Prints what it measures. {@code -Dsluice.metadata.buckets=100000} sets how many there are, in
 * tables of a hundred with three replicas each.
 */
@Timeout(600)
class MetadataScaleTest {
  private static final int BUCKETS = Integer.getInteger("sluice.metadata.buckets", 10_000);
  private static final int BUCKETS_OF_TABLE = 100;
  private static final int SERVERS = 9;
  private static final Duration SOON = Duration.ofMinutes(5);

  /** Well above what a bucket takes, far below what would keep a million out of 2 GB. */
  private static final long MAX_BYTES_OF_BUCKET = 1_500;

  @TempDir Path home;

  @Test
  void manyBucketsFitIntoMemoryAndARestartIsShort() throws Exception {
    long start = System.nanoTime();
    MetadataImage image;
    // The second snapshot trigger reports the first: every table is a command.
    long snapshotEvery = Math.max(100, BUCKETS / BUCKETS_OF_TABLE / 2);
    RaftSettings settings =
        new RaftSettings("1", RaftSettings.single("1", home, 9123).peers(), home, snapshotEvery);
    try (RaftMetadataLog log = opened(settings)) {
      create(log);
      image = log.readLatest().get();
      report("creation of %d tables: %d ms", BUCKETS / BUCKETS_OF_TABLE, millisSince(start));
    }
    assertThat(image.state().tables().size()).isEqualTo(BUCKETS / BUCKETS_OF_TABLE);
    Path file = home.resolve("snapshot");
    start = System.nanoTime();
    SnapshotFile.write(file, RaftServers.GROUP.getUuid(), 1, image);
    report("snapshot written: %d ms, %d KB", millisSince(start), Files.size(file) >> 10);
    long before = heap();
    start = System.nanoTime();
    MetadataImage read = SnapshotFile.read(file, RaftServers.GROUP.getUuid());
    report("snapshot read: %d ms", millisSince(start));
    long used = heap() - before;
    report("heap of the state: %d KB, %d bytes a bucket", used >> 10, used / BUCKETS);
    assertThat(used / BUCKETS).isLessThan(MAX_BYTES_OF_BUCKET);
    assertThat(read.state()).isEqualTo(image.state());

    start = System.nanoTime();
    try (RaftMetadataLog log = opened(settings)) {
      assertThat(log.readLatest().get().state().tables().size())
          .isEqualTo(image.state().tables().size());
      report("restart until it leads and answers: %d ms", millisSince(start));
    }
  }

  private static RaftMetadataLog opened(RaftSettings settings) throws Exception {
    RaftMetadataLog log = new RaftMetadataLog(settings);
    log.start();
    Await.until("the coordinator leads", SOON, log::leads);
    return log;
  }

  private static void create(RaftMetadataLog log) throws Exception {
    log.submit(new Command.CreateDatabase("demo", "", 1)).get();
    for (int server = 1; server <= SERVERS; server++) {
      log.submit(Fixtures.register(server, "incarnation-" + server)).get();
    }
    List<CompletableFuture<Applied>> underWay = new ArrayList<>();
    for (int table = 0; table < BUCKETS / BUCKETS_OF_TABLE; table++) {
      List<List<Integer>> placement = new ArrayList<>();
      for (int bucket = 0; bucket < BUCKETS_OF_TABLE; bucket++) {
        int first = table + bucket;
        placement.add(
            List.of(1 + first % SERVERS, 1 + (first + 1) % SERVERS, 1 + (first + 2) % SERVERS));
      }
      underWay.add(log.submit(Fixtures.createTable("t" + table, placement)));
      if (underWay.size() == 50) {
        awaitAll(underWay);
      }
    }
    awaitAll(underWay);
  }

  private static void awaitAll(List<CompletableFuture<Applied>> underWay) throws Exception {
    for (CompletableFuture<Applied> each : underWay) {
      each.get().outcome().orThrow();
    }
    underWay.clear();
  }

  /** What is reachable. */
  private static long heap() {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    for (int i = 0; i < 3; i++) {
      memory.gc();
    }
    return memory.getHeapMemoryUsage().getUsed();
  }

  private static long millisSince(long start) {
    return (System.nanoTime() - start) / 1_000_000;
  }

  private static void report(String format, Object... values) {
    System.out.println(BUCKETS + " buckets: " + String.format(format, values));
  }
}
