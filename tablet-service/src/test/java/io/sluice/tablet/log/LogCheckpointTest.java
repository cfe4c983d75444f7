package io.sluice.tablet.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.FaultyFiles;
import io.sluice.testkit.FaultyFiles.Operation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checkpoints of an active segment, which make a start after a crash short. */
final class LogCheckpointTest {
  @TempDir private Path temp;

  private final FaultyFiles faulty = new FaultyFiles().withoutForcing();

  private TestLog open(String name) {
    return TestLog.open(temp.resolve(name), 0, faulty::open, TestLog.SMALL);
  }

  private static Path index(Path directory) {
    return directory.resolve("00000000000000000000.index");
  }

  @Test
  void startAfterACrashReadsOnlyWhatCameAfterTheCheckpoint() throws IOException {
    Path copy = temp.resolve("copy");
    try (TestLog test = open("log")) {
      test.append(TestBatches.of(4, 9, 0, 0, 3000));
      test.append(TestBatches.of(4, 9, 0, 4, 3000));
      test.log.takeCheckpoint();
      test.log.force();
      test.append(TestBatches.of(4, 8, 0, 0, 3000));
      TestLog.copy(test.log.directory(), copy);
    }
    Path segment = copy.resolve(LogSegment.logName(0));
    flip(segment, SegmentHeader.SIZE + 30);
    try (TestLog test = open("copy")) {
      assertThat(test.log.endOffset()).as("the damage was not met").isEqualTo(12);
      assertThat(test.log.lastSequence(9)).isEqualTo(7);
      assertThat(test.log.lastSequence(8)).isEqualTo(3);
      flip(segment, SegmentHeader.SIZE + 30);
      assertThat(test.read()).hasSize(3);
      test.append(TestBatches.of(4, 8, 0, 4, 3000));
      assertThat(test.log.offsetForTime(0)).isZero();
    }
    Files.delete(index(copy));
    try (TestLog test = open("copy")) {
      assertThat(test.read()).hasSize(4);
    }
  }

  private static void flip(Path file, long position) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      channel.read(one, position);
      one.put(0, (byte) (one.get(0) ^ 4));
      channel.write(one.position(0), position);
    }
  }

  @Test
  void idleLogWantsOneCheckpointAndNoMore() {
    try (TestLog test = open("log")) {
      assertThat(test.log.wantsCheckpoint()).as("empty").isFalse();
      test.append(TestBatches.plain(4, 3000));
      assertThat(test.log.wantsCheckpoint()).as("just written to").isFalse();
      assertThat(test.log.wantsCheckpoint()).isTrue();
      test.log.takeCheckpoint();
      assertThat(test.log.needsForce()).isTrue();
      test.log.force();
      assertThat(test.log.needsForce()).isFalse();
      assertThat(test.log.wantsCheckpoint()).isFalse();
      assertThat(index(temp.resolve("log"))).exists();
    }
  }

  @Test
  void checkpointWithoutSpaceIsTakenLater() {
    try (TestLog test = open("log")) {
      test.append(TestBatches.plain(4, 3000));
      faulty.failNext(Operation.WRITE, ".index.tmp", "No space left on device");
      test.log.takeCheckpoint();
      test.log.force();
      assertThat(test.log.forcedOffset()).isEqualTo(4);
      assertThat(index(temp.resolve("log"))).doesNotExist();
      test.log.wantsCheckpoint();
      assertThat(test.log.wantsCheckpoint()).isTrue();
      test.log.takeCheckpoint();
      test.log.force();
      assertThat(index(temp.resolve("log"))).exists();
    }
  }

  @Test
  void indexOfAnOpenedLogIsLoadedWhenItIsNeededAndMadeAgainWhenDamaged() throws IOException {
    try (TestLog test = open("log")) {
      for (int i = 0; i < 10; i++) {
        test.append(TestBatches.plain(4, 1000));
      }
      test.log.closeCleanly();
    }
    flip(index(temp.resolve("log")), 70);
    try (TestLog test = open("log")) {
      assertThat(test.log.segments().active().hasIndex()).isFalse();
      test.clock.advanceMs(1000);
      assertThat(test.append(TestBatches.plain(4, 1000))).isEqualTo(40);
      assertThat(test.log.segmentCount()).as("not taken for old").isEqualTo(1);
      assertThat(test.read()).hasSize(11);
      try (LogCursor cursor = test.log.openCursor(25)) {
        assertThat(cursor.nextOffset()).isEqualTo(24);
      }
    }
  }
}
