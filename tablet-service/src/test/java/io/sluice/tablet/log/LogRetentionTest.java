package io.sluice.tablet.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.testkit.FaultyFiles;
import io.sluice.testkit.FaultyFiles.Operation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Deletion of the oldest segments of a log, whatever stops it. */
final class LogRetentionTest {
  @TempDir private Path temp;

  private final FaultyFiles faulty = new FaultyFiles().withoutForcing();

  private TestLog open() {
    return TestLog.open(temp.resolve("log"), 0, faulty::open, TestLog.SMALL);
  }

  /** Fills so many segments, ten seconds apart, and forces them. */
  private static void fill(TestLog test, int segments) {
    while (test.log.segmentCount() < segments) {
      test.append(TestBatches.plain(4, 9000));
      test.clock.advanceMs(1000);
    }
    test.log.force();
  }

  private static long base(TestLog test, int segment) {
    return test.log.segments().at(segment).baseOffset();
  }

  private static long lastTime(TestLog test, int segment) {
    return test.log.segments().at(segment).lastTimeMs();
  }

  private static List<String> names(Path directory) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.map(path -> path.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void segmentsOlderThanTheTimeGoAndTheStartIsKept() throws IOException {
    long start;
    try (TestLog test = open()) {
      fill(test, 5);
      start = base(test, 2);
      Trimmed trimmed = test.log.trim(lastTime(test, 1) + 1, Long.MAX_VALUE);
      assertThat(trimmed).isNotNull();
      assertThat(trimmed.segments()).isEqualTo(2);
      assertThat(trimmed.start()).isEqualTo(start).isEqualTo(test.log.startOffset());
      assertThat(trimmed.bytes()).isGreaterThan(100_000);
      assertThat(test.read().get(0)[0]).isEqualTo(start);
      assertThat(test.log.trim(lastTime(test, 0), Long.MAX_VALUE)).isNull();
      assertThat(names(test.log.directory()))
          .noneMatch(name -> name.startsWith("0000") && base(name) < start);
    }
    try (TestLog test = open()) {
      assertThat(test.log.startOffset()).isEqualTo(start);
      assertThat(test.read().get(0)[0]).isEqualTo(start);
    }
  }

  private static long base(String name) {
    return Long.parseLong(name.substring(0, 20));
  }

  @Test
  void whatIsNotForcedOrAboveTheLimitOrActiveStays() {
    try (TestLog test = open()) {
      while (test.log.segmentCount() < 4) {
        test.append(TestBatches.plain(4, 9000));
      }
      assertThat(test.log.trim(Long.MAX_VALUE, Long.MAX_VALUE)).as("nothing is forced").isNull();
      test.log.force();
      assertThat(test.log.trim(Long.MAX_VALUE, base(test, 1) - 1)).isNull();
      assertThat(test.log.trim(Long.MAX_VALUE, base(test, 2))).isNotNull();
      assertThat(test.log.trim(Long.MAX_VALUE, Long.MAX_VALUE)).isNotNull();
      assertThat(test.log.segmentCount()).as("the active one stays").isEqualTo(1);
      assertThat(test.log.trim(Long.MAX_VALUE, Long.MAX_VALUE)).isNull();
    }
  }

  @Test
  void idleActiveSegmentIsRolledAndGoes() {
    try (TestLog test = open()) {
      test.append(TestBatches.of(4, 9, 0, 0, 100));
      test.log.force();
      long time = test.log.lastTimeMs();
      test.log.rollIdle(time);
      assertThat(test.log.segmentCount()).as("not older than the time").isEqualTo(1);
      test.log.rollIdle(time + 1);
      test.log.rollIdle(time + 1);
      assertThat(test.log.segmentCount()).isEqualTo(2);
      test.log.force();
      assertThat(test.log.trim(time + 1, Long.MAX_VALUE)).isNotNull();
      assertThat(test.log.startOffset()).isEqualTo(4).isEqualTo(test.log.endOffset());
      assertThat(test.read()).isEmpty();
      assertThat(test.log.lastSequence(9)).as("its writer is known").isEqualTo(3);
    }
    try (TestLog test = open()) {
      assertThat(test.log.startOffset()).isEqualTo(4).isEqualTo(test.log.endOffset());
      assertThat(test.log.lastSequence(9)).isEqualTo(3);
      test.clock.jumpTo(1_600_000_000_000L);
      test.append(TestBatches.of(4, 9, 0, 4, 100));
      assertThat(test.log.lastTimeMs()).as("time does not fall").isEqualTo(1_700_000_000_000L);
    }
  }

  @Test
  void readerInADeletedSegmentReadsItToItsEndAndLearnsTheNewStart() {
    try (TestLog test = open()) {
      fill(test, 4);
      long second = base(test, 1);
      long start = base(test, 3);
      try (LogCursor inside = test.log.openCursor(0);
          LogCursor before = test.log.openCursor(base(test, 2))) {
        assertThat(inside.next(Long.MAX_VALUE)).isTrue();
        test.log.trim(Long.MAX_VALUE, Long.MAX_VALUE);
        while (inside.nextOffset() < second) {
          assertThat(inside.next(Long.MAX_VALUE)).isTrue();
        }
        assertThatThrownBy(() -> inside.next(Long.MAX_VALUE))
            .isInstanceOfSatisfying(
                SluiceException.class,
                e -> assertThat(e.code()).isEqualTo(ErrorCode.OFFSET_OUT_OF_RANGE))
            .hasMessageContaining(Long.toString(start));
        while (before.nextOffset() < test.log.endOffset()) {
          assertThat(before.next(Long.MAX_VALUE)).as("no gap behind its segment").isTrue();
        }
      }
      assertThatThrownBy(() -> test.log.openCursor(0))
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.OFFSET_OUT_OF_RANGE));
      assertThat(test.log.offsetForTime(0)).isEqualTo(start);
      assertThat(test.files.size()).as("bounded").isLessThanOrEqualTo(8);
    }
  }

  @Test
  void failedSaveOfTheStartDeletesNothing() {
    try (TestLog test = open()) {
      fill(test, 4);
      faulty.failNext(Operation.WRITE, "log-start.tmp", "No space left on device");
      assertThatThrownBy(() -> test.log.trim(Long.MAX_VALUE, Long.MAX_VALUE))
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DISK_FULL));
      assertThat(test.log.startOffset()).isZero();
      assertThat(test.log.segmentCount()).isEqualTo(4);
      assertThat(test.log.trim(Long.MAX_VALUE, Long.MAX_VALUE)).isNotNull();
    }
  }

  /** dense, no-dup: each file that a deletion changes may be the last one it changed. */
  @Test
  void stopAfterEveryStepOfADeletionIsFinishedByTheNextStart() throws IOException {
    Path before = temp.resolve("before");
    Path after = temp.resolve("after");
    long start;
    long end;
    try (TestLog test = open()) {
      for (int i = 0; test.log.segmentCount() < 4; i += 4) {
        test.append(TestBatches.of(4, 5, 0, i, 9000));
      }
      test.log.force();
      start = base(test, 3);
      end = test.log.endOffset();
      TestLog.copy(test.log.directory(), before);
      test.log.trim(Long.MAX_VALUE, Long.MAX_VALUE);
      TestLog.copy(test.log.directory(), after);
    }
    List<String> gone = new ArrayList<>(new TreeSet<>(names(before)));
    gone.removeAll(names(after));
    assertThat(gone).hasSizeGreaterThan(5);
    // Every number of deleted files, from either end: a power loss forgets deletions in any order.
    for (int deleted = 0; deleted <= gone.size(); deleted++) {
      for (boolean first : new boolean[] {true, false}) {
        Path copy = temp.resolve("stop-" + deleted + first);
        TestLog.copy(before, copy);
        Files.copy(after.resolve(LogStart.NAME), copy.resolve(LogStart.NAME));
        for (int i = 0; i < deleted; i++) {
          Files.delete(copy.resolve(gone.get(first ? i : gone.size() - 1 - i)));
        }
        try (TestLog test = TestLog.open(copy, 0)) {
          assertThat(test.log.startOffset()).isEqualTo(start);
          assertThat(test.log.endOffset()).isEqualTo(end);
          assertThat(test.read().get(0)[0]).isEqualTo(start);
          assertThat(test.log.lastSequence(5)).isEqualTo(end - 1);
          assertThat(names(copy)).filteredOn(name -> name.endsWith(".log")).hasSize(1);
          assertThat(names(copy)).filteredOn(name -> name.endsWith(".index")).isEmpty();
        }
      }
    }
  }

  @Test
  void powerLossThatTakesTheNewEmptySegmentKeepsTheStart() throws IOException {
    try (TestLog test = open()) {
      test.append(TestBatches.of(4, 9, 0, 0, 100));
      test.log.force();
      test.log.rollIdle(Long.MAX_VALUE);
      test.log.force();
      test.log.trim(Long.MAX_VALUE, Long.MAX_VALUE);
      Files.delete(test.segment(0));
    }
    try (TestLog test = TestLog.open(temp.resolve("log"), 4)) {
      assertThat(test.log.startOffset()).isEqualTo(4).isEqualTo(test.log.endOffset());
      assertThat(test.log.lastSequence(9)).isEqualTo(3);
      assertThat(test.append(TestBatches.plain(1, 10), 2)).isEqualTo(4);
    }
  }

  @Test
  void lostSegmentAboveTheStartIsCorruption() throws IOException {
    Path lost;
    try (TestLog test = open()) {
      fill(test, 5);
      test.log.trim(lastTime(test, 1) + 1, Long.MAX_VALUE);
      lost = test.segment(0);
    }
    Files.delete(lost);
    assertThatThrownBy(this::open)
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_STORAGE))
        .hasMessageContaining(lost.getFileName().toString());
  }

  @Test
  void damagedStartFileIsMadeAgainFromTheOldestSegment() throws IOException {
    long start;
    try (TestLog test = open()) {
      fill(test, 5);
      test.log.trim(lastTime(test, 1) + 1, Long.MAX_VALUE);
      start = test.log.startOffset();
    }
    Path file = temp.resolve("log").resolve(LogStart.NAME);
    byte[] good = Files.readAllBytes(file);
    for (int at = 0; at < good.length; at += 3) {
      byte[] bad = good.clone();
      bad[at] ^= 4;
      Files.write(file, bad);
      try (TestLog test = open()) {
        assertThat(test.log.startOffset()).isEqualTo(start);
        assertThat(test.read().get(0)[0]).isEqualTo(start);
      }
    }
  }

  @Test
  void epochsBelowTheStartAreForgottenAllButTheOneOfTheRecordBeforeIt() {
    try (TestLog test = open()) {
      for (int epoch = 1; test.log.segmentCount() < 5; epoch++) {
        test.append(TestBatches.plain(4, 9000), epoch);
      }
      test.log.force();
      test.log.trim(Long.MAX_VALUE, Long.MAX_VALUE);
    }
    try (TestLog test = open()) {
      List<EpochHistory.Start> kept = test.log.epochs().starts();
      assertThat(kept.get(0).startOffset()).isLessThan(test.log.startOffset());
      assertThat(kept.stream().skip(1)).allMatch(e -> e.startOffset() >= test.log.startOffset());
      assertThat(test.log.lastEpoch()).isGreaterThan(20);
    }
  }
}
