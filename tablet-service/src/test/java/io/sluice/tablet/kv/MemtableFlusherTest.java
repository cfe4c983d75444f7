package io.sluice.tablet.kv;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.TableBucket;
import io.sluice.testkit.MovedClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MemtableFlusherTest {
  private static final long MIB = 1024 * 1024;

  @TempDir private Path temp;
  private final KvResources resources =
      KvResources.open(new KvSettings(16 * MIB, 4 * MIB, 64 * MIB, 32, 1, 60_000, MIB));
  private final MovedClock clock = new MovedClock(0);
  private final MemtableFlusher flusher = new MemtableFlusher(resources, clock);

  @AfterEach
  void close() {
    flusher.close();
    resources.close();
  }

  @Test
  void flushesWhatHasWaitedForTheMaximalAge() {
    KvStore store = open(1);
    write(store, 100);
    assertThat(flusher.doWork()).isZero();
    clock.advanceMs(59_999);
    write(store, 100);
    assertThat(flusher.doWork()).isZero();
    clock.advanceMs(1);
    assertThat(flusher.doWork()).isEqualTo(1);
    assertThat(store.flushedAppliedOffset()).isEqualTo(2);
    clock.advanceMs(120_000);
    assertThat(flusher.doWork()).isZero();
    write(store, 100);
    assertThat(flusher.doWork()).isZero();
  }

  @Test
  void flushesTheLargestStoreBeforeTheBudgetIsSpent() {
    KvStore small = open(1);
    KvStore large = open(2);
    write(small, (int) MIB);
    assertThat(flusher.doWork()).isZero();
    write(large, (int) MIB * 9 / 4);
    assertThat(flusher.doWork()).isEqualTo(1);
    assertThat(large.flushedAppliedOffset()).isEqualTo(1);
    assertThat(small.flushedAppliedOffset()).isZero();
    assertThat(flusher.doWork()).isZero();
  }

  @Test
  void flushesWhatHoldsBackTooMuchOfTheChangelog() {
    AtomicLong logBytes = new AtomicLong(500 * MIB);
    KvLog changelog =
        new KvLog() {
          @Override
          public void force() {}

          @Override
          public long sizeBytes() {
            return logBytes.get();
          }
        };
    KvStore store = KvStore.open(resources, TableBucket.of(7, 1), temp.resolve("b1"), changelog);
    write(store, 100);
    assertThat(flusher.doWork()).isZero();
    logBytes.addAndGet(256 * MIB - 1);
    assertThat(flusher.doWork()).isZero();
    logBytes.incrementAndGet();
    assertThat(flusher.doWork()).isEqualTo(1);
    assertThat(store.flushedAppliedOffset()).isEqualTo(1);
    write(store, 100);
    assertThat(flusher.doWork()).as("counts from the flush").isZero();
  }

  @Test
  void aStoreThatCannotBeFlushedDoesNotKeepTheOthersBack() throws Exception {
    KvStore broken = open(1);
    KvStore good = open(2);
    write(broken, (int) MIB * 9 / 4);
    write(good, 100);
    flusher.doWork();
    // No file can be made in a directory that is not there.
    Files.move(temp.resolve("b1"), temp.resolve("away"));
    clock.advanceMs(60_000);
    assertThat(flusher.doWork() + flusher.doWork()).isEqualTo(2);
    assertThat(good.flushedAppliedOffset()).isEqualTo(1);
    assertThat(broken.flushedAppliedOffset()).isZero();
    assertThat(flusher.doWork()).as("nothing that can be flushed").isZero();
    // Over the budget with the broken one only: small memtables are not flushed for its sake.
    write(good, (int) MIB);
    assertThat(flusher.doWork()).isZero();
    clock.advanceMs(5_000);
    assertThat(flusher.doWork()).as("it is tried again").isEqualTo(1);
    assertThat(broken.flushedAppliedOffset()).isZero();
    Files.move(temp.resolve("away"), temp.resolve("b1"));
  }

  @Test
  void closedStoresAreLeftAlone() {
    KvStore store = open(1);
    write(store, 100);
    flusher.doWork();
    clock.advanceMs(60_000);
    store.discard();
    assertThat(flusher.doWork()).isZero();
  }

  private KvStore open(int bucket) {
    return KvStore.open(resources, TableBucket.of(7, bucket), temp.resolve("b" + bucket), () -> {});
  }

  private static void write(KvStore store, int bytes) {
    long at = store.appliedOffset();
    byte[] key = {1, (byte) at};
    KvChange change = new KvChange(new RowKey(key), new byte[bytes], at, 1);
    store.apply(new KvBatch(List.of(change), at, at + 1));
  }
}
