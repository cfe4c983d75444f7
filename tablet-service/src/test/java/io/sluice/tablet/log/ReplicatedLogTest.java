package io.sluice.tablet.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.testkit.FaultyFiles;
import io.sluice.testkit.FaultyFiles.Operation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log that stores what the leader's log has. */
final class ReplicatedLogTest {
  @TempDir private Path temp;

  private final FaultyFiles faulty = new FaultyFiles().withoutForcing();
  private TestLog leader;
  private TestLog follower;

  @BeforeEach
  void open() {
    leader = TestLog.open(temp.resolve("leader"), 0);
    follower = openFollower(TestLog.SMALL);
  }

  private TestLog openFollower(LogConfig config) {
    return TestLog.open(temp.resolve("follower"), 0, faulty::open, config);
  }

  @AfterEach
  void close() {
    leader.close();
    follower.close();
  }

  static void fetch(BucketLog from, BucketLog to, int maxBytes) {
    while (to.endOffset() < from.endOffset()) {
      ByteBuffer batches = from.read(to.endOffset(), maxBytes);
      long first = LogBatchHeader.wrap(batches).baseOffset();
      BucketLog.check(batches, first, to.epochs().epochBefore(to.endOffset()));
      to.appendReplicated(batches);
    }
  }

  private void fetch(int maxBytes) {
    fetch(leader.log, follower.log, maxBytes);
  }

  private static void assertFails(ErrorCode code, Runnable action) {
    assertThatThrownBy(action::run)
        .isInstanceOfSatisfying(SluiceException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  private void assertSameFiles() throws IOException {
    List<String> names = new ArrayList<>();
    for (Path file : TestLog.files(leader.log.directory())) {
      String name = file.getFileName().toString();
      if (name.endsWith(LogSegment.LOG_SUFFIX)) {
        names.add(name);
        assertThat(follower.log.directory().resolve(name)).hasSameBinaryContentAs(file);
      }
    }
    assertThat(names).hasSize(follower.log.segmentCount());
    assertThat(follower.log.epochs()).isEqualTo(leader.log.epochs());
  }

  @Test
  void segmentsAreTheLeadersByteForByteHoweverTheBatchesCome() throws IOException {
    for (int maxBytes : List.of(1, 20_000, 1 << 20)) {
      for (int i = 0; i < 60; i++) {
        leader.clock.advanceMs(i % 7 == 0 ? 700_000 : 5);
        leader.append(TestBatches.of(3, i % 4, 0, 3L * i, 3000), 1 + i / 13 + maxBytes);
      }
      fetch(maxBytes);
      assertSameFiles();
      for (int writer = 0; writer < 4; writer++) {
        assertThat(follower.log.lastSequence(writer)).isEqualTo(leader.log.lastSequence(writer));
      }
      assertThat(follower.log.offsetForTime(leader.clock.epochMs() - 20))
          .isEqualTo(leader.log.offsetForTime(leader.clock.epochMs() - 20));
    }
  }

  @Test
  void expiredWriterIsNoReasonToRefuseWhatTheLeaderHasStored() {
    // Here writers are forgotten at once, at the leader they are not: or the other way round.
    follower.close();
    LogConfig forgetful = new LogConfig(64 << 10, 100, 512, 1 << 10, 1);
    follower = openFollower(forgetful);
    for (int i = 0; i < 20; i++) {
      leader.append(TestBatches.of(2, 7, 0, 2L * i, 100));
      leader.append(TestBatches.of(2, 8, 0, 500 + 2L * i, 100));
      leader.clock.advanceMs(45_000);
      follower.clock.advanceMs(31_000);
      fetch(1 << 20);
      assertThat(follower.log.lastSequence(7)).isEqualTo(2L * i + 1);
    }
    assertThat(follower.log.segmentCount()).isGreaterThan(15);
    follower.close();
    follower = openFollower(forgetful);
    assertThat(follower.log.endOffset()).isEqualTo(leader.log.endOffset());
    assertThat(follower.log.lastSequence(7)).isEqualTo(39);
    assertThat(follower.read()).hasSize(40);
  }

  @Test
  void damagedTailIsCutAndFetchedAgain() throws IOException {
    for (int i = 0; i < 12; i++) {
      leader.append(TestBatches.of(3, 7, 0, 3L * i, 6000), 1 + i / 5);
    }
    fetch(1 << 20);
    follower.log.force();
    leader.append(TestBatches.of(3, 7, 0, 36, 500), 4);
    fetch(1 << 20);
    follower.close();
    Path whole = temp.resolve("whole");
    TestLog.copy(temp.resolve("follower"), whole);
    for (int damage = 0; damage < 5; damage++) {
      TestLog.delete(temp.resolve("follower"));
      TestLog.copy(whole, temp.resolve("follower"));
      damage(damage);
      follower = openFollower(TestLog.SMALL);
      assertThat(follower.log.endOffset())
          .as("damage %d", damage)
          .isEqualTo(damage % 2 == 0 && damage < 3 ? 36 : 39);
      fetch(1 << 20);
      assertSameFiles();
      assertThat(follower.log.lastSequence(7)).isEqualTo(38);
      follower.close();
    }
    follower = openFollower(TestLog.SMALL);
  }

  /** What a kill and a careless hand leave: the cases of B25. */
  private void damage(int kind) throws IOException {
    List<Path> files = TestLog.files(temp.resolve("follower")).stream().sorted().toList();
    Path active =
        files.stream().filter(f -> f.toString().endsWith(".log")).reduce((a, b) -> b).get();
    Path index = files.stream().filter(f -> f.toString().endsWith(".index")).findFirst().get();
    try (FileChannel file =
        FileChannel.open(active, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      switch (kind) {
        case 0 -> file.truncate(file.size() - 17);
        case 1 -> file.write(ByteBuffer.allocate(64), file.size());
        case 2 -> LogRecoveryTest.flip(active, (int) file.size() - 100);
        case 3 -> Files.write(index, new byte[0]);
        default -> Files.delete(index);
      }
    }
  }

  @Test
  void startedEpochThatStoredNothingGivesWayToAnOlderOne() {
    leader.append(TestBatches.plain(3, 100), 1);
    leader.append(TestBatches.plain(3, 100), 4);
    fetch(leader.log.read(0, 1).remaining());
    follower.log.cutTo(3);
    follower.log.startEpoch(5);
    assertThat(follower.log.epochs().lastEpoch()).isEqualTo(5);
    fetch(1 << 20);
    assertThat(follower.log.epochs()).isEqualTo(leader.log.epochs());
    follower.close();
    follower = openFollower(TestLog.SMALL);
    assertThat(follower.log.epochs()).isEqualTo(leader.log.epochs());
  }

  @Test
  void everyFlippedByteOfWhatTheLeaderSendsIsFound() {
    for (int i = 0; i < 3; i++) {
      leader.append(TestBatches.of(2, 5, 0, 2L * i, 60), 1 + i);
    }
    ByteBuffer good = leader.log.read(0, 1 << 20);
    BucketLog.check(good, 0, 1);
    assertThat(good.position()).isZero();
    for (int at = 0; at < good.limit(); at++) {
      byte[] bad = new byte[good.limit()];
      good.get(0, bad);
      bad[at] ^= 0x20;
      assertFails(ErrorCode.CORRUPT_BATCH, () -> BucketLog.check(ByteBuffer.wrap(bad), 0, 1));
    }
    for (int size = 1; size < good.limit(); size++) {
      ByteBuffer part = good.duplicate().limit(size);
      boolean whole = size % (good.limit() / 3) == 0;
      if (!whole) {
        assertFails(ErrorCode.CORRUPT_BATCH, () -> BucketLog.check(part, 0, 1));
      }
    }
    assertFails(ErrorCode.CORRUPT_BATCH, () -> BucketLog.check(good, 2, 1));
    assertFails(ErrorCode.CORRUPT_BATCH, () -> BucketLog.check(good, 0, 2));
    assertThatThrownBy(() -> BucketLog.check(good, 0, 2))
        .hasMessageContaining("offset 0")
        .hasMessageContaining("leader epoch of at least 2");
  }

  @Test
  void batchesThatDoNotFollowTheEndAreRefused() {
    for (int i = 0; i < 4; i++) {
      leader.append(TestBatches.plain(3, 100));
    }
    fetch(1);
    assertFails(
        ErrorCode.CORRUPT_BATCH, () -> follower.log.appendReplicated(leader.log.read(6, 1 << 20)));
    follower.log.cutTo(3);
    assertThatThrownBy(() -> follower.log.appendReplicated(leader.log.read(6, 1 << 20)))
        .hasMessageContaining("is missing");
    assertThat(follower.log.endOffset()).isEqualTo(3);
    fetch(1);
    assertThat(follower.read()).hasSize(4);
  }

  @Test
  void fullDiskKeepsWholeBatchesAndTheLogGoesOn() {
    for (int i = 0; i < 40; i++) {
      leader.append(TestBatches.of(3, 7, 0, 3L * i, 3000));
    }
    ByteBuffer batches = ByteBuffer.allocate(1 << 20);
    for (long offset = 0; offset < leader.log.endOffset(); ) {
      ByteBuffer some = leader.log.read(offset, 1 << 20);
      List<FollowedModel.Stored> stored = FollowedModel.parse(some);
      offset = stored.get(stored.size() - 1).end();
      batches.put(some);
    }
    faulty.failWriteAfter(90_000, ".log", "No space left on device");
    assertFails(ErrorCode.DISK_FULL, () -> follower.log.appendReplicated(batches.flip()));
    faulty.heal();
    assertThat(follower.log.broken()).isFalse();
    assertThat(follower.log.endOffset()).isPositive().isLessThan(leader.log.endOffset());
    assertThat(follower.log.lastSequence(7)).isEqualTo(follower.log.endOffset() - 1);
    assertThat(follower.log.appendReplicated(batches)).isEqualTo(leader.log.endOffset());
    assertThat(follower.log.lastSequence(7)).isEqualTo(119);
  }

  @Test
  void epochIsForcedBeforeItsFirstBatch() {
    leader.append(TestBatches.plain(3, 100), 3);
    faulty.failNext(Operation.FORCE, LeaderEpochs.NAME + ".tmp", "I/O error");
    assertFails(
        ErrorCode.STORAGE_ERROR, () -> follower.log.appendReplicated(leader.log.read(0, 1 << 20)));
    assertThat(follower.log.endOffset()).isZero();
    assertThat(follower.log.sizeBytes()).isEqualTo(SegmentHeader.SIZE);
    fetch(1 << 20);
    assertThat(follower.log.endOffset()).isEqualTo(3);
  }

  @Test
  void readGivesWholeBatchesOfOneSegmentInTheMemoryOfTheCaller() {
    for (int i = 0; leader.log.segmentCount() < 3; i++) {
      leader.append(TestBatches.of(3, 7, 0, 3L * i, i % 5 == 0 ? 9000 : 150));
    }
    List<Integer> asked = new ArrayList<>();
    for (long[] batch : leader.read()) {
      for (int maxBytes : List.of(1, 5000, 1 << 20)) {
        asked.clear();
        ByteBuffer found =
            leader.log.read(
                batch[0],
                maxBytes,
                bytes -> {
                  asked.add(bytes);
                  return ByteBuffer.allocateDirect(bytes + 7).position(7);
                });
        assertThat(asked).hasSizeBetween(1, 2);
        assertThat(found.position()).isEqualTo(7);
        List<FollowedModel.Stored> stored = FollowedModel.parse(found);
        assertThat(stored.get(0).offset()).isEqualTo(batch[0]);
        assertThat(stored.size() == 1 || found.remaining() <= maxBytes).isTrue();
        BucketLog.check(found, batch[0], 1);
      }
      long inside = batch[0] + 1;
      assertFails(ErrorCode.OFFSET_OUT_OF_RANGE, () -> leader.log.read(inside, 100));
    }
    long end = leader.log.endOffset();
    assertThat(leader.log.read(end, 100).hasRemaining()).isFalse();
    assertFails(ErrorCode.OFFSET_OUT_OF_RANGE, () -> leader.log.read(end + 1, 100));
    leader.log.force();
    leader.log.trimTo(leader.log.segments().at(1).baseOffset());
    assertFails(ErrorCode.OFFSET_OUT_OF_RANGE, () -> leader.log.read(0, 100));
  }
}
