package io.sluice.tablet.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.tablet.log.TestBatches.TestBatch;
import io.sluice.testkit.FaultyFiles;
import io.sluice.testkit.FaultyFiles.Operation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BucketLogTest {
  @TempDir private Path temp;

  private final FaultyFiles faulty = new FaultyFiles().withoutForcing();

  private TestLog open() {
    return TestLog.open(temp.resolve("log"), 0, faulty::open, TestLog.SMALL);
  }

  @Test
  void storesTheBytesThatWereSentAndStampsTheLeadersFields() throws IOException {
    try (TestLog test = open()) {
      test.append(TestBatches.plain(4, 10));
      TestBatch batch = TestBatches.of(3, 5, 1, 0, 10_000);
      ByteBuffer body = batch.sections().get(4).duplicate();
      long position = test.log.sizeBytes();
      long base = test.append(batch, 7);

      assertThat(base).isEqualTo(4);
      try (LogCursor cursor = test.log.openCursor(5)) {
        assertThat(cursor.next(7)).isTrue();
        LogBatchHeader header = cursor.header();
        assertThat(header.baseOffset()).isEqualTo(4);
        assertThat(header.leaderEpoch()).isEqualTo(7);
        assertThat(header.appendTimeMs()).isEqualTo(test.clock.epochMs());
        ByteBuffer stored = ByteBuffer.allocate(body.remaining());
        cursor.read(96 + header.sectionsLength(), stored);
        assertThat(stored.flip()).isEqualTo(body);
        assertThat(cursor.location()).isEqualTo(test.segment(0) + " at position " + position);
      }
      try (FileChannel channel = FileChannel.open(test.segment(0), StandardOpenOption.READ)) {
        BatchWalk walk = new BatchWalk(channel, 64, channel.size(), 0, 0);
        StoredBatchCheck check = new StoredBatchCheck(channel);
        for (LogBatchHeader header = walk.next(); header != null; header = walk.next()) {
          assertThat(check.check(header, walk.batchPosition())).isNull();
        }
        assertThat(walk.damage()).isNull();
        assertThat(walk.nextOffset()).isEqualTo(7);
      }
    }
  }

  @Test
  void cursorWaitsAtTheEndAndGoesOnWithWhatIsAppended() {
    try (TestLog test = open();
        LogCursor cursor = test.log.openCursor(0)) {
      assertThat(cursor.next(Long.MAX_VALUE)).isFalse();
      test.append(TestBatches.plain(4, 10));
      assertThat(cursor.next(3)).isFalse();
      assertThat(cursor.next(4)).isTrue();
      assertThat(cursor.header().baseOffset()).isZero();
      assertThat(cursor.next(Long.MAX_VALUE)).isFalse();
      test.append(TestBatches.plain(4, 10));
      assertThat(cursor.next(Long.MAX_VALUE)).isTrue();
      assertThat(cursor.header().baseOffset()).isEqualTo(4);
    }
  }

  @Test
  void cursorKeepsItsBatchWhileTheNextSegmentIsNotYetWanted() {
    try (TestLog test = open()) {
      while (test.log.segmentCount() < 2) {
        test.append(TestBatches.plain(4, 9000));
      }
      long boundary = test.log.segments().at(1).baseOffset();
      try (LogCursor cursor = test.log.openCursor(boundary - 4)) {
        assertThat(cursor.next(Long.MAX_VALUE)).isTrue();
        // Ends inside the first batch of the next segment: looked at, not entered.
        assertThat(cursor.next(boundary + 1)).isFalse();
        ByteBuffer bytes = ByteBuffer.allocate(cursor.header().length());
        cursor.read(0, bytes);
        assertThat(LogBatchHeader.wrap(bytes.flip()).baseOffset()).isEqualTo(boundary - 4);
        assertThat(cursor.location()).contains(LogSegment.logName(0));
        assertThat(cursor.next(boundary + 4)).isTrue();
        assertThat(cursor.location()).contains(LogSegment.logName(boundary));
      }
    }
  }

  @Test
  void rollsBySizeAgeAndIndexEntries() {
    LogConfig config = new LogConfig(64 << 10, 1000, 1, 3, 86_400_000);
    try (TestLog test = TestLog.open(temp.resolve("log"), 0, faulty::open, config)) {
      test.append(TestBatches.plain(1, 10));
      test.append(TestBatches.plain(1, 10));
      test.append(TestBatches.plain(1, 10));
      assertThat(test.log.segmentCount()).isEqualTo(1);
      test.append(TestBatches.plain(1, 10));
      assertThat(test.log.segmentCount()).as("index is full").isEqualTo(2);
      test.clock.advanceMs(1001);
      test.append(TestBatches.plain(1, 10));
      assertThat(test.log.segmentCount()).as("segment is old").isEqualTo(3);
      test.append(TestBatches.plain(1, 70_000));
      assertThat(test.log.segmentCount()).as("segment is full").isEqualTo(4);
      test.append(TestBatches.plain(1, 10));
      assertThat(test.log.segmentCount()).as("one large batch fills it").isEqualTo(5);
      assertThat(test.read()).hasSize(7);
    }
  }

  @Test
  void appendTimeDoesNotFallWhenTheClockDoes() {
    try (TestLog test = open()) {
      test.append(TestBatches.plain(1, 10));
      long first = test.clock.epochMs();
      test.clock.jumpTo(first - 60_000);
      test.append(TestBatches.plain(1, 10));
      assertThat(test.log.lastTimeMs()).isEqualTo(first);
    }
    try (TestLog test = open()) {
      test.clock.jumpTo(1_600_000_000_000L);
      test.append(TestBatches.plain(1, 10));
      assertThat(test.log.lastTimeMs()).isEqualTo(1_700_000_000_000L);
    }
  }

  @Test
  void findsTheFirstOffsetStoredAtOrAfterATime() {
    try (TestLog test = open()) {
      long start = test.clock.epochMs();
      for (int i = 0; test.log.segmentCount() < 3; i++) {
        test.append(TestBatches.plain(2, 1000));
        test.append(TestBatches.plain(2, 1000));
        test.clock.advanceMs(10);
      }
      long end = test.log.endOffset();
      assertThat(test.log.offsetForTime(0)).isZero();
      for (long offset = 0; offset < end; offset += 4) {
        long at = start + offset / 4 * 10;
        assertThat(test.log.offsetForTime(at)).isEqualTo(offset);
        assertThat(test.log.offsetForTime(at - 9)).isEqualTo(offset);
      }
      assertThat(test.log.offsetForTime(test.clock.epochMs() + 1)).isEqualTo(end);
    }
  }

  @Test
  void shortWritesStoreTheWholeBatch() {
    faulty.shortWrites(7);
    try (TestLog test = open()) {
      for (int i = 0; i < 5; i++) {
        test.append(TestBatches.plain(2, 333));
      }
      assertThat(test.read()).hasSize(5);
    }
    try (TestLog test = open()) {
      assertThat(test.log.endOffset()).isEqualTo(10);
    }
  }

  @Test
  void failedWriteStoresNothingAndTheNextOneDoes() throws IOException {
    try (TestLog test = open()) {
      test.append(TestBatches.of(2, 1, 0, 0, 300));
      long size = Files.size(test.segment(0));
      for (int bytes = 0; bytes < 500; bytes += 20) {
        faulty.failWriteAfter(bytes, ".log", "I/O error");
        assertThatThrownBy(() -> test.append(TestBatches.of(2, 1, 0, 2, 300)))
            .isInstanceOfSatisfying(
                SluiceException.class,
                e -> assertThat(e.code()).isEqualTo(ErrorCode.STORAGE_ERROR));
        assertThat(test.log.broken()).isFalse();
        assertThat(Files.size(test.segment(0))).isEqualTo(size);
        assertThat(test.log.endOffset()).isEqualTo(2);
        assertThat(test.log.lastSequence(1)).isEqualTo(1);
        faulty.heal();
      }
      assertThat(test.append(TestBatches.of(2, 1, 0, 2, 300))).isEqualTo(2);
    }
  }

  @Test
  void failedWriteThatCannotBeCutOffEndsTheLog() {
    try (TestLog test = open()) {
      test.append(TestBatches.plain(2, 300));
      faulty.failWriteAfter(100, ".log", "I/O error");
      faulty.failNext(Operation.TRUNCATE, ".log", "I/O error too");
      assertThatThrownBy(() -> test.append(TestBatches.plain(2, 300)))
          .hasMessageContaining("could not be cut back");
      assertThat(test.log.broken()).isTrue();
      faulty.heal();
      assertThatThrownBy(() -> test.append(TestBatches.plain(2, 300)))
          .hasMessageContaining("takes no writes")
          .hasMessageContaining("could not be cut back")
          .hasMessageContaining("start the server again");
    }
    try (TestLog test = open()) {
      assertThat(test.log.endOffset()).isEqualTo(2);
    }
  }

  @Test
  void fullDiskIsItsOwnError() {
    try (TestLog test = open()) {
      faulty.failNext(Operation.WRITE, ".log", "No space left on device");
      assertThatThrownBy(() -> test.append(TestBatches.plain(2, 300)))
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DISK_FULL));
    }
  }

  @Test
  void failedRollRefusesThePutAndKeepsTheOldSegment() {
    try (TestLog test = open()) {
      while (test.log.sizeBytes() < 60_000) {
        test.append(TestBatches.plain(2, 1000));
      }
      long end = test.log.endOffset();
      faulty.failNext(Operation.OPEN, LogSegment.logName(end), "Too many open files");
      assertThatThrownBy(() -> test.append(TestBatches.plain(2, 8000)))
          .hasMessageContaining("Too many open files");
      assertThat(test.append(TestBatches.plain(2, 8000))).isEqualTo(end);
      assertThat(test.read()).last().isEqualTo(new long[] {end, 2});
    }
  }

  /** durable-ack: what a failed roll leaves behind must not cut the log at the next start. */
  @Test
  void aRollThatFailedOnAFullDiskLosesNothingLater() {
    List<long[]> stored;
    try (TestLog test = open()) {
      while (test.log.sizeBytes() < 60_000) {
        test.append(TestBatches.plain(2, 1000));
      }
      long end = test.log.endOffset();
      faulty.failWriteAfter(10, LogSegment.logName(end), "No space left on device");
      assertThatThrownBy(() -> test.append(TestBatches.plain(2, 8000)))
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DISK_FULL));
      // A smaller batch fits into the old segment, then others begin new ones.
      assertThat(test.append(TestBatches.plain(2, 500))).isEqualTo(end);
      while (test.log.segmentCount() < 3) {
        test.append(TestBatches.plain(2, 8000));
      }
      stored = test.read();
    }
    try (TestLog test = open()) {
      assertThat(test.read()).usingRecursiveComparison().isEqualTo(stored);
    }
  }

  @Test
  void forceMovesTheForcedOffsetAndAFailedOneDoesNot() {
    try (TestLog test = open()) {
      test.append(TestBatches.plain(2, 300));
      assertThat(test.log.forcedOffset()).isZero();
      faulty.failNext(Operation.FORCE, ".log", "I/O error");
      assertThatThrownBy(test.log::force).hasMessageContaining("Cannot force");
      assertThat(test.log.forcedOffset()).isZero();
      assertThat(test.log.needsForce()).isTrue();
      test.log.force();
      assertThat(test.log.forcedOffset()).isEqualTo(2);
      assertThat(test.log.needsForce()).isFalse();
    }
  }

  @Test
  void epochIsForcedBeforeItsFirstAppendAndEmptyOnesGiveWay() {
    try (TestLog test = open()) {
      assertThat(test.log.startEpoch(3)).isZero();
      assertThat(test.log.startEpoch(5)).isZero();
      assertThat(test.log.epochs().starts()).containsExactly(new EpochHistory.Start(5, 0));
      test.append(TestBatches.plain(2, 10), 5);
      assertThat(test.log.startEpoch(5)).isZero();
      faulty.failNext(Operation.FORCE, LeaderEpochs.NAME + ".tmp", "I/O error");
      assertThatThrownBy(() -> test.append(TestBatches.plain(2, 10), 6))
          .hasMessageContaining("I/O error");
      assertThat(test.log.endOffset()).as("no batch of an epoch that is not saved").isEqualTo(2);
      test.append(TestBatches.plain(2, 10), 6);
      assertThatThrownBy(() -> test.log.startEpoch(4))
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.FENCED_LEADER_EPOCH));
    }
    try (TestLog test = open()) {
      assertThat(test.log.lastEpoch()).isEqualTo(6);
    }
  }

  @Test
  void writersAreForgottenWhenTheyAreLongSilent() {
    try (TestLog test = open()) {
      test.append(TestBatches.of(2, 1, 0, 0, 10));
      test.clock.advanceMs(86_400_000 + 1);
      test.append(TestBatches.of(2, 2, 0, 0, 70_000));
      assertThat(test.log.lastSequence(1)).isEqualTo(-1);
      assertThat(test.log.lastSequence(2)).isEqualTo(1);
    }
  }

  @Test
  void openFilesStayBoundedOverManySegments() {
    try (TestLog test = open()) {
      while (test.log.segmentCount() < 30) {
        test.append(TestBatches.plain(2, 60_000));
      }
      test.log.force();
      assertThat(test.read()).hasSize(30);
      assertThat(test.files.size()).isLessThanOrEqualTo(8);
      List<LogCursor> open =
          IntStream.range(0, 20).mapToObj(i -> test.log.openCursor(2L * i)).toList();
      for (int i = 0; i < 20; i++) {
        assertThat(open.get(i).next(Long.MAX_VALUE)).isTrue();
        ByteBuffer bytes = ByteBuffer.allocate(60_000);
        open.get(i).read(96, bytes);
        assertThat(open.get(i).header().baseOffset()).isEqualTo(2L * i);
      }
      open.forEach(LogCursor::close);
      assertThat(test.log.cursorCount()).isZero();
      test.read();
      assertThat(test.files.size()).isLessThanOrEqualTo(8);
    }
  }

  @Test
  void interruptedReaderDoesNotEndOtherReadersOrTheWriter() throws Exception {
    try (TestLog test = open();
        LogCursor cursor = test.log.openCursor(0)) {
      test.append(TestBatches.plain(2, 20_000));
      test.append(TestBatches.plain(2, 20_000));
      assertThat(cursor.next(Long.MAX_VALUE)).isTrue();
      Thread reader =
          new Thread(
              () -> {
                try (LogCursor other = test.log.openCursor(0)) {
                  other.next(Long.MAX_VALUE);
                  Thread.currentThread().interrupt();
                  assertThatThrownBy(() -> other.read(96, ByteBuffer.allocate(19_000)))
                      .isInstanceOf(SluiceException.class);
                }
              });
      reader.start();
      reader.join();
      cursor.read(96, ByteBuffer.allocate(19_000));
      assertThat(cursor.next(Long.MAX_VALUE)).isTrue();
      test.append(TestBatches.plain(2, 20));
      assertThat(cursor.next(Long.MAX_VALUE)).isTrue();
    }
  }

  @Test
  void batchWhoseLengthsDisagreeIsRefusedUnwritten() {
    try (TestLog test = open()) {
      TestBatch batch = TestBatches.plain(2, 300);
      assertThatThrownBy(() -> test.log.append(batch.header(), batch.sections().subList(0, 4), 1))
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_BATCH));
      assertThat(test.log.endOffset()).isZero();
    }
  }
}
