package io.sluice.tablet.kv.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.common.TableBucket;
import io.sluice.tablet.kv.KvResources;
import io.sluice.tablet.kv.KvSettings;
import io.sluice.tablet.kv.KvStore;
import io.sluice.tablet.kv.StoreRows;
import io.sluice.testkit.MovedClock;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

final class SnapshotAgentTest {
  private static final TableBucket BUCKET = TableBucket.of(7, 1);
  private static final int MIB = 1 << 20;
  private static final long INTERVAL = 600_000;

  @TempDir private Path temp;
  private final MovedClock clock = new MovedClock(1_700_000_000_000L);
  private final SnapshotStats stats = new SnapshotStats();
  private final SnapshotAgent agent = new SnapshotAgent(clock, INTERVAL, stats);
  private KvResources resources;
  private KvStore store;
  private BucketSnapshots snapshots;

  @BeforeEach
  void open() {
    resources = KvResources.open(new KvSettings(16 * MIB, 8 * MIB, MIB, 32, 1, 60_000, MIB));
    store = KvStore.open(resources, BUCKET, temp.resolve("kv"), () -> {});
    snapshots = BucketSnapshots.open(temp, BUCKET, 1_000_000, stats);
    agent.add(snapshots, store, () -> 1);
  }

  @AfterEach
  void close() {
    agent.close();
    resources.close();
  }

  @Test
  void takesOneOfAChangedStoreWhenTheNewestIsOldEnough() {
    clock.advanceMs(10 * INTERVAL);
    assertThat(agent.doWork()).as("nothing is in it").isZero();
    assertThat(agent.oldestAgeMs()).isZero();
    StoreRows.put(store, 0, 5, "a");
    assertThat(agent.doWork()).isEqualTo(1);
    assertThat(snapshots.newestOffset()).isEqualTo(5);
    assertThat(agent.bytes()).isEqualTo(snapshots.bytes()).isPositive();
    assertThat(agent.doWork()).isZero();
    StoreRows.put(store, 0, 5, "b");
    clock.advanceMs(INTERVAL - 1);
    assertThat(agent.oldestAgeMs()).isEqualTo(INTERVAL - 1);
    assertThat(agent.doWork()).isZero();
    clock.advanceMs(1);
    assertThat(agent.doWork()).isEqualTo(1);
    assertThat(snapshots.newestOffset()).isEqualTo(10);
    clock.advanceMs(INTERVAL);
    assertThat(agent.doWork()).as("nothing has changed").isZero();
    assertThat(stats.taken()).isEqualTo(2);
  }

  @Test
  void aFailureIsCountedAndTriedAgainAfterAMinute() throws Exception {
    StoreRows.put(store, 0, 5, "a");
    Path inTheWay = temp.resolve(BucketSnapshots.DIRECTORY);
    Files.write(inTheWay, new byte[1]);
    clock.advanceMs(INTERVAL);
    assertThat(agent.doWork()).isEqualTo(1);
    assertThat(stats.failed()).isEqualTo(1);
    assertThat(agent.doWork()).isZero();
    Files.delete(inTheWay);
    clock.advanceMs(60_000);
    assertThat(agent.doWork()).isEqualTo(1);
    assertThat(stats.taken()).isEqualTo(1);
  }

  @Test
  void failuresInARowAreWarnedOfOnce() throws Exception {
    Logger logger = (Logger) LoggerFactory.getLogger(SnapshotAgent.class);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    logger.addAppender(lines);
    try {
      Path inTheWay = temp.resolve(BucketSnapshots.DIRECTORY);
      for (int outage = 1; outage <= 2; outage++) {
        StoreRows.put(store, 0, 5, "outage " + outage);
        Files.write(inTheWay, new byte[1]);
        clock.advanceMs(INTERVAL);
        for (int minute = 0; minute < 5; minute++) {
          assertThat(agent.doWork()).isEqualTo(1);
          clock.advanceMs(60_000);
        }
        assertThat(stats.failed()).isEqualTo(5L * outage);
        assertThat(lines.list.stream().filter(line -> line.getLevel() == Level.WARN))
            .hasSize(outage);
        Files.delete(inTheWay);
        assertThat(agent.doWork()).isEqualTo(1);
        assertThat(stats.taken()).isEqualTo(outage);
        SnapshotIo.deleteTree(inTheWay);
      }
    } finally {
      logger.detachAppender(lines);
    }
  }

  @Test
  void closedAndRemovedStoresAreLeftAlone() {
    StoreRows.put(store, 0, 5, "a");
    clock.advanceMs(INTERVAL);
    store.discard();
    agent.doWork();
    assertThat(stats.failed()).isZero();
    agent.remove(snapshots);
    clock.advanceMs(INTERVAL);
    assertThat(agent.doWork()).isZero();
    assertThat(stats.taken()).isZero();
  }
}
