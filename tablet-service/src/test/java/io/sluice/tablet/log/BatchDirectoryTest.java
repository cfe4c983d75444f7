package io.sluice.tablet.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.format.batch.LogBatchHeader;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a scan learns of sealed segments, and that a rescan reads the same from it. */
final class BatchDirectoryTest {
  @TempDir private Path temp;

  /** A batch as a scan sees it: header and sections. */
  private static List<ByteBuffer> walk(BucketLog log, long from, boolean sections) {
    List<ByteBuffer> seen = new ArrayList<>();
    try (LogCursor cursor = log.openCursor(from)) {
      while (cursor.next(Long.MAX_VALUE)) {
        LogBatchHeader header = cursor.header();
        ByteBuffer bytes = ByteBuffer.allocate(LogBatchHeader.SIZE + header.sectionsLength());
        bytes.put(header.bytes());
        if (sections) {
          cursor.read(LogBatchHeader.SIZE, bytes);
        }
        seen.add(bytes.flip());
      }
    }
    return seen;
  }

  @Test
  void aRescanFindsHeadersAndSectionsOfSealedSegmentsWithoutTheFile() {
    try (TestLog test = TestLog.open(temp, 0)) {
      for (int i = 0; i < 60; i++) {
        test.append(TestBatches.plain(10, 4000), 1);
      }
      BatchDirectories directories = test.context.files().directories();
      assertThat(test.log.segments().size()).isGreaterThan(3);
      List<ByteBuffer> first = walk(test.log, 0, true);
      assertThat(first).hasSize(60);
      long used = directories.usedBytes();
      assertThat(used).isPositive();
      long misses = directories.misses();
      assertThat(walk(test.log, 0, true)).isEqualTo(first);
      assertThat(directories.misses()).isEqualTo(misses);
      assertThat(directories.hits()).isGreaterThanOrEqualTo(3);
      assertThat(directories.usedBytes()).isEqualTo(used);
      for (int from = 1; from < 60; from += 7) {
        long offset = LogBatchHeader.wrap(first.get(from)).baseOffset();
        assertThat(walk(test.log, offset, true)).isEqualTo(first.subList(from, 60));
      }
    }
  }

  @Test
  void aScanThatEndsEarlyDoesNotKeepOthersFromLearningTheRest() {
    try (TestLog test = TestLog.open(temp, 0)) {
      for (int i = 0; i < 60; i++) {
        test.append(TestBatches.plain(10, 4000), 1);
      }
      BatchDirectories directories = test.context.files().directories();
      LogSegment segment = test.log.segments().at(0);
      try (LogCursor cursor = test.log.openCursor(0)) {
        for (int i = 0; i < 3; i++) {
          assertThat(cursor.next(Long.MAX_VALUE)).isTrue();
          cursor.read(LogBatchHeader.SIZE, ByteBuffer.allocate(cursor.header().sectionsLength()));
        }
      }
      // The last batch may have been found damaged.
      assertThat(directories.of(segment)).extracting(SegmentDirectory::count).isEqualTo(2);
      List<ByteBuffer> first = walk(test.log, 0, true);
      assertThat(directories.of(segment))
          .extracting(SegmentDirectory::end)
          .isEqualTo(segment.size());
      assertThat(walk(test.log, 0, true)).isEqualTo(first);
    }
  }

  @Test
  void ofADeletedSegmentNothingIsKept() throws Exception {
    try (TestLog test = TestLog.open(temp, 0)) {
      for (int i = 0; i < 30; i++) {
        test.append(TestBatches.plain(10, 4000), 1);
      }
      int open = test.context.files().size();
      LogSegment segment = test.log.segments().at(0);
      try (LogCursor cursor = test.log.openCursor(0)) {
        for (int i = 0; i < 3; i++) {
          assertThat(cursor.next(Long.MAX_VALUE)).isTrue();
          cursor.read(LogBatchHeader.SIZE, ByteBuffer.allocate(cursor.header().sectionsLength()));
        }
        segment.delete(FileOpener.SYSTEM);
      }
      assertThat(test.context.files().directories().of(segment)).isNull();
      assertThat(test.context.files().directories().usedBytes()).isZero();
      assertThat(test.context.files().size()).isLessThanOrEqualTo(open);
    }
  }

  @Test
  void aDirectoryOfManySmallBatchesStopsGrowing() {
    SegmentDirectory directory = new SegmentDirectory();
    LogBatchHeader header = TestBatches.plain(5, 40_000).header();
    ByteBuffer sections = ByteBuffer.allocate(8000);
    while (directory.add(header, header.bytes(), sections)) {
      assertThat(directory.end()).isPositive();
    }
    assertThat(directory.trimmed().memoryBytes()).isLessThan(SegmentDirectory.LARGEST_BYTES * 2L);
    assertThat(directory.lacks(Integer.MAX_VALUE)).isFalse();
  }

  @Test
  void batchesWhoseSectionsWereNotReadAreNotLearnt() {
    try (TestLog test = TestLog.open(temp, 0)) {
      for (int i = 0; i < 30; i++) {
        test.append(TestBatches.plain(10, 4000), 1);
      }
      walk(test.log, 0, false);
      assertThat(test.context.files().directories().usedBytes()).isZero();
    }
  }

  @Test
  void theLongestUnusedGoFirstAndAllStaysWithinTheBound() {
    OpenFiles files = new OpenFiles((path, options) -> null, 1);
    BatchDirectories directories = new BatchDirectories(40_000);
    List<LogSegment> segments = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      LogSegment segment = new LogSegment(files, () -> temp, 1000L * i);
      segments.add(segment);
      SegmentDirectory directory = new SegmentDirectory();
      for (int batch = 0; batch < 8; batch++) {
        LogBatchHeader header = TestBatches.plain(5, 4000).header();
        directory.add(header, header.bytes(), ByteBuffer.allocate(900));
      }
      directories.offer(segment, directory);
      assertThat(directories.of(segments.get(0))).as("used all the time").isNotNull();
      assertThat(directories.usedBytes()).isLessThanOrEqualTo(40_000);
    }
    assertThat(directories.of(segments.get(1))).isNull();
    assertThat(directories.of(segments.get(9))).isNotNull();
    segments.forEach(directories::forget);
    assertThat(directories.usedBytes()).isZero();
  }
}
