package io.sluice.tablet.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LogRecoveryTest {
  @TempDir private Path temp;

  /** A log that crashed: where each batch begins, and the file's bytes. */
  private record Crashed(Path file, List<Integer> positions, byte[] bytes) {}

  private Crashed crashed(int batches, int bodyBytes) throws IOException {
    Path directory = temp.resolve("log");
    List<Integer> positions = new ArrayList<>();
    try (TestLog test = TestLog.open(directory, 0)) {
      for (int i = 0; i < batches; i++) {
        positions.add((int) test.log.sizeBytes());
        test.append(TestBatches.of(3, 9, 0, 3L * i, bodyBytes));
      }
      positions.add((int) test.log.sizeBytes());
      Path file = test.segment(0);
      return new Crashed(file, positions, Files.readAllBytes(file));
    }
  }

  @Test
  void cutAtEveryByteOfTheTailKeepsTheWholeBatchesBeforeIt() throws IOException {
    Crashed crashed = crashed(16, 100);
    int size = crashed.bytes().length;
    assertThat(size).isGreaterThan(5000);
    for (int cut = size - 1; cut >= size - 4096; cut--) {
      restore(crashed);
      truncate(crashed.file(), cut);
      int whole = wholeBatches(crashed.positions(), cut);
      try (TestLog test = TestLog.open(crashed.file().getParent(), 0)) {
        assertThat(test.log.endOffset()).as("cut at %d", cut).isEqualTo(3L * whole);
        assertThat(test.read()).hasSize(whole);
        assertThat(test.log.lastSequence(9)).isEqualTo(3L * whole - 1);
        assertThat(Files.size(crashed.file())).isEqualTo((long) crashed.positions().get(whole));
        assertThat(test.append(TestBatches.of(3, 9, 0, 3L * whole, 10))).isEqualTo(3L * whole);
      }
    }
  }

  @Test
  void cutInTheFileHeaderOfANeverForcedLogLeavesAnEmptyLog() throws IOException {
    Crashed crashed = crashed(1, 10);
    for (int cut = 0; cut <= 64; cut++) {
      restore(crashed);
      truncate(crashed.file(), cut);
      try (TestLog test = TestLog.open(crashed.file().getParent(), 0)) {
        assertThat(test.log.endOffset()).isZero();
        assertThat(test.append(TestBatches.plain(2, 10))).isZero();
      }
    }
  }

  @Test
  void everyFlippedByteAboveTheRecoveryPointCutsTheLogThere() throws IOException {
    Crashed crashed = crashed(6, 40);
    for (int at = 64; at < crashed.bytes().length; at++) {
      restore(crashed);
      flip(crashed.file(), at);
      int whole = wholeBatches(crashed.positions(), at);
      try (TestLog test = TestLog.open(crashed.file().getParent(), 0)) {
        assertThat(test.log.endOffset()).as("flipped byte %d", at).isEqualTo(3L * whole);
        assertThat(test.read()).hasSize(whole);
      }
    }
  }

  @Test
  void everyFlippedHeaderByteBelowTheRecoveryPointIsRefusedByName() throws IOException {
    Crashed crashed = crashed(6, 40);
    for (int batch = 0; batch < 6; batch++) {
      int start = crashed.positions().get(batch);
      for (int at = start; at < start + 96; at++) {
        restore(crashed);
        flip(crashed.file(), at);
        assertThatThrownBy(() -> TestLog.open(crashed.file().getParent(), 18))
            .as("flipped byte %d", at)
            .isInstanceOfSatisfying(
                SluiceException.class,
                e -> {
                  assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_STORAGE);
                  assertThat(e.details()).containsEntry("file", crashed.file().toString());
                  assertThat(e.details()).containsEntry("position", "" + start);
                  assertThat(e.getMessage()).contains("expected", "found");
                });
      }
    }
  }

  @Test
  void everyFlippedByteOfTheFileHeaderIsRefusedByName() throws IOException {
    Crashed crashed = crashed(2, 40);
    for (int at = 0; at < 64; at++) {
      restore(crashed);
      flip(crashed.file(), at);
      assertThatThrownBy(() -> TestLog.open(crashed.file().getParent(), 6))
          .as("flipped byte %d", at)
          .isInstanceOf(SluiceException.class)
          .hasMessageContaining(crashed.file().toString())
          .hasMessageContaining("expected")
          .hasMessageContaining("found");
    }
  }

  @Test
  void flippedBodyBelowTheRecoveryPointOpensAndIsFoundByAFullCheck() throws IOException {
    Crashed crashed = crashed(3, 40);
    int start = crashed.positions().get(1);
    for (int at = start + 96; at < crashed.positions().get(2); at++) {
      restore(crashed);
      flip(crashed.file(), at);
      try (TestLog test = TestLog.open(crashed.file().getParent(), 9);
          FileChannel channel = FileChannel.open(crashed.file(), StandardOpenOption.READ);
          LogCursor cursor = test.log.openCursor(3)) {
        assertThat(test.log.endOffset()).isEqualTo(9);
        assertThat(cursor.next(9)).isTrue();
        assertThat(new StoredBatchCheck(channel).check(cursor.header(), start))
            .as("flipped byte %d", at)
            .isNotNull();
      }
    }
  }

  @Test
  void fileThatEndsBelowTheRecoveryPointIsRefused() throws IOException {
    Crashed crashed = crashed(4, 40);
    for (int cut : List.of(crashed.positions().get(3), crashed.positions().get(3) + 50, 64, 10)) {
      restore(crashed);
      truncate(crashed.file(), cut);
      assertThatThrownBy(() -> TestLog.open(crashed.file().getParent(), 12))
          .hasMessageContaining(crashed.file().toString());
    }
    Files.delete(crashed.file());
    assertThatThrownBy(() -> TestLog.open(crashed.file().getParent(), 12))
        .hasMessageContaining("no .log file");
  }

  @Test
  void zerosBehindTheEndAreCut() throws IOException {
    Crashed crashed = crashed(4, 40);
    for (int zeros : List.of(1, 64, 96, 200, 5000)) {
      restore(crashed);
      try (FileChannel channel =
          FileChannel.open(crashed.file(), StandardOpenOption.WRITE, StandardOpenOption.APPEND)) {
        channel.write(ByteBuffer.allocate(zeros));
      }
      try (TestLog test = TestLog.open(crashed.file().getParent(), 12)) {
        assertThat(test.log.endOffset()).isEqualTo(12);
        assertThat(Files.size(crashed.file())).isEqualTo(crashed.bytes().length);
      }
    }
  }

  @Test
  void logIsCutAtTheFirstBadBatchWhateverFollows() throws IOException {
    Crashed crashed = crashed(5, 40);
    flip(crashed.file(), crashed.positions().get(2) + 100);
    try (TestLog test = TestLog.open(crashed.file().getParent(), 3)) {
      assertThat(test.log.endOffset()).isEqualTo(6);
    }
  }

  @Test
  void damageInASealedSegmentAboveTheRecoveryPointRemovesTheSegmentsBehind() throws IOException {
    Path directory = temp.resolve("log");
    Path second;
    try (TestLog test = TestLog.open(directory, 0)) {
      while (test.log.segmentCount() < 4) {
        test.append(TestBatches.plain(5, 4000));
      }
      second = test.segment(1);
    }
    long base = Long.parseLong(second.getFileName().toString().substring(0, 20));
    flip(second, 64 + 20);
    try (TestLog test = TestLog.open(directory, 0)) {
      assertThat(test.log.endOffset()).isEqualTo(base);
      assertThat(test.log.segmentCount()).isEqualTo(2);
      assertThat(test.append(TestBatches.plain(5, 40))).isEqualTo(base);
      assertThat(test.read()).last().isEqualTo(new long[] {base, 5});
    }
  }

  @Test
  void lostEmptyAndDamagedIndexesAreRebuilt() throws IOException {
    Path directory = temp.resolve("log");
    long end;
    try (TestLog test = TestLog.open(directory, 0)) {
      for (int i = 0; test.log.segmentCount() < 4; i++) {
        test.clock.advanceMs(10);
        test.append(TestBatches.of(5, 1, 0, 5L * i, 4000));
      }
      test.log.closeCleanly();
      end = test.log.endOffset();
    }
    List<Path> indexes = list(directory, ".index");
    assertThat(indexes).hasSize(4);
    for (int damage = 0; damage < 4; damage++) {
      Path copy = temp.resolve("copy-" + damage);
      TestLog.copy(directory, copy);
      for (Path index : list(copy, ".index")) {
        switch (damage) {
          case 0 -> Files.delete(index);
          case 1 -> truncate(index, 0);
          case 2 -> flip(index, 70);
          default -> flip(index, 20);
        }
      }
      try (TestLog test = TestLog.open(copy, 0)) {
        assertThat(test.log.endOffset()).isEqualTo(end);
        assertThat(test.log.lastSequence(1)).isEqualTo(end - 1);
        for (long offset = 0; offset < end; offset += 5) {
          try (LogCursor cursor = test.log.openCursor(offset)) {
            assertThat(cursor.nextOffset()).isEqualTo(offset);
          }
        }
      }
    }
  }

  @Test
  void indexesProveWhatWasForcedWhenTheRecoveryPointIsLost() throws IOException {
    Path directory = temp.resolve("log");
    Path first;
    try (TestLog test = TestLog.open(directory, 0)) {
      while (test.log.segmentCount() < 3) {
        test.append(TestBatches.plain(5, 4000));
      }
      test.log.force();
      first = test.segment(0);
    }
    Files.delete(Path.of(first.toString().replace(".log", ".index")));
    flip(first, 64 + 20);
    assertThatThrownBy(() -> TestLog.open(directory, 0)).hasMessageContaining(first.toString());
  }

  @Test
  void lostSegmentIsRefusedWhereverItWas() throws IOException {
    Path directory = temp.resolve("log");
    long forced;
    try (TestLog test = TestLog.open(directory, 0)) {
      while (test.log.segmentCount() < 4) {
        test.append(TestBatches.plain(5, 4000));
      }
      test.log.force();
      forced = test.log.forcedOffset();
    }
    List<Path> segments = list(directory, ".log");
    for (int lost = 0; lost < 4; lost++) {
      Path copy = temp.resolve("lost-" + lost);
      TestLog.copy(directory, copy);
      Files.delete(copy.resolve(segments.get(lost).getFileName()));
      // The last one has no index yet that proves what was in it.
      long recoveryPoint = lost < 3 ? 0 : forced;
      assertThatThrownBy(() -> TestLog.open(copy, recoveryPoint))
          .as("segment %d", lost)
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_STORAGE));
    }
  }

  @Test
  void indexesAloneProveThatSegmentsAreLost() throws IOException {
    Path directory = temp.resolve("log");
    try (TestLog test = TestLog.open(directory, 0)) {
      while (test.log.segmentCount() < 3) {
        test.append(TestBatches.plain(5, 4000));
      }
      test.log.force();
    }
    for (Path segment : list(directory, ".log")) {
      Files.delete(segment);
    }
    assertThatThrownBy(() -> TestLog.open(directory, 0))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_STORAGE))
        .hasMessageContaining("no .log file");
  }

  @Test
  void lostLeaderEpochsAreReadFromTheLog() throws IOException {
    Path directory = temp.resolve("log");
    try (TestLog test = TestLog.open(directory, 0)) {
      test.append(TestBatches.plain(5, 40), 2);
      test.append(TestBatches.plain(5, 40), 4);
      test.append(TestBatches.plain(5, 40), 4);
      test.append(TestBatches.plain(5, 40), 9);
      test.log.closeCleanly();
    }
    List<EpochHistory.Start> expected =
        List.of(
            new EpochHistory.Start(2, 0),
            new EpochHistory.Start(4, 5),
            new EpochHistory.Start(9, 15));
    for (boolean delete : List.of(true, false)) {
      Path file = directory.resolve(LeaderEpochs.NAME);
      if (delete) {
        Files.delete(file);
      } else {
        flip(file, 22);
      }
      for (int round = 0; round < 2; round++) {
        try (TestLog test = TestLog.open(directory, 0)) {
          assertThat(test.log.epochs().starts()).isEqualTo(expected);
        }
      }
    }
  }

  @Test
  void closedInOrderOpensWithoutReadingTheSegments() throws IOException {
    Path directory = temp.resolve("log");
    Path file;
    try (TestLog test = TestLog.open(directory, 0)) {
      test.append(TestBatches.of(5, 1, 2, 0, 400));
      test.append(TestBatches.of(5, 1, 2, 5, 400));
      test.log.closeCleanly();
      file = test.segment(0);
    }
    // A scan would find this.
    flip(file, 64 + 100);
    try (TestLog test = TestLog.open(directory, 0)) {
      assertThat(test.log.endOffset()).isEqualTo(10);
      assertThat(test.log.lastSequence(1)).isEqualTo(9);
      assertThat(test.log.writerEpoch(1)).isEqualTo(2);
      assertThat(test.append(TestBatches.of(5, 1, 2, 10, 400))).isEqualTo(10);
    }
  }

  @Test
  void segmentOfAnotherBucketOrClusterIsRefusedNotOverwritten() throws IOException {
    Crashed crashed = crashed(2, 40);
    byte[] foreign = crashed.bytes().clone();
    ByteBuffer header =
        new SegmentHeader("11111111-d9cb-469f-a165-70867728950e", TestLog.BUCKET, 0).encode();
    header.get(foreign, 0, 64);
    Files.write(crashed.file(), foreign);
    assertThatThrownBy(() -> TestLog.open(crashed.file().getParent(), 0))
        .hasMessageContaining("file header of 7-3");
    assertThat(Files.readAllBytes(crashed.file())).isEqualTo(foreign);
  }

  private static int wholeBatches(List<Integer> positions, int size) {
    int whole = 0;
    while (whole + 1 < positions.size() && positions.get(whole + 1) <= size) {
      whole++;
    }
    return whole;
  }

  private static void restore(Crashed crashed) throws IOException {
    for (Path index : list(crashed.file().getParent(), ".index")) {
      Files.delete(index);
    }
    Files.write(crashed.file(), crashed.bytes());
  }

  private static List<Path> list(Path directory, String suffix) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.filter(path -> path.toString().endsWith(suffix)).sorted().toList();
    }
  }

  private static void truncate(Path file, int size) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(size);
    }
  }

  static void flip(Path file, int at) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      channel.read(one, at);
      one.put(0, (byte) (one.get(0) ^ 0x10));
      channel.write(one.flip(), at);
    }
  }
}
