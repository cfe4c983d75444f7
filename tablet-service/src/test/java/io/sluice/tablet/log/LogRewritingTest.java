package io.sluice.tablet.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.testkit.FaultyFiles;
import io.sluice.testkit.FaultyFiles.Operation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Logs that are cut, begin anew or leave offsets out. */
final class LogRewritingTest {
  @TempDir private Path temp;

  private final FaultyFiles faulty = new FaultyFiles().withoutForcing();

  private TestLog open() {
    return TestLog.open(temp.resolve("log"), 0, faulty::open, TestLog.SMALL);
  }

  /** Fills so many segments by three writers and forces them. */
  private static void fill(TestLog test, int segments) {
    for (int i = 0; test.log.segmentCount() < segments; i++) {
      test.append(TestBatches.of(4, i % 3, 0, 4L * (i / 3), 9000), 1 + i / 5);
      test.clock.advanceMs(10);
    }
    test.log.force();
  }

  private static void jump(TestLog test, int epoch, long offset) {
    test.log.startEpoch(epoch);
    test.log.jumpTo(offset);
    test.log.append(LogBatchHeader.control(BatchWriter.NONE), List.of(), epoch);
  }

  private static void assertFails(ErrorCode code, Runnable action) {
    assertThatThrownBy(action::run)
        .isInstanceOfSatisfying(SluiceException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void whatWasForcedBeforeACutIsNoProofOfWhatIsStoredAfterIt() throws IOException {
    StoragePlatform platform;
    Path copy = temp.resolve("copy");
    long end;
    try (TestLog paths = open()) {
      platform = paths.context.platform();
      try (DataDirectory data = DataDirectory.open(platform, temp.resolve("data"), 1)) {
        data.saveCluster(TestLog.CLUSTER, 1);
        BucketLog log = data.createLog(paths.context, TestLog.BUCKET, "demo.t");
        paths.log.close();
        paths.log = log;
        fill(paths, 3);
        end = log.endOffset();
        data.saveRecoveryPoints(() -> Map.of(TestLog.BUCKET, log.forcedOffset()));
        assertThat(log.cutTo(end - 8)).isEqualTo(end - 8);
        assertThat(data.recoveryPoint(TestLog.BUCKET)).isEqualTo(end - 8);
        // The housekeeper had asked before the cut.
        data.saveRecoveryPoints(() -> Map.of(TestLog.BUCKET, end));
        assertThat(data.recoveryPoint(TestLog.BUCKET)).isEqualTo(end - 8);
        paths.append(TestBatches.plain(4, 100), 90);
        paths.append(TestBatches.plain(4, 100), 90);
        TestLog.copy(data.root(), copy);
      }
    }
    try (TestLog paths = open();
        DataDirectory data = DataDirectory.open(platform, copy, 1)) {
      Path active = data.path(TestLog.BUCKET).resolve(name(data.path(TestLog.BUCKET)));
      LogRecoveryTest.flip(active, (int) Files.size(active) - 20);
      BucketLog log = data.openLog(paths.context, TestLog.BUCKET);
      assertThat(log.endOffset()).isEqualTo(end - 4);
      log.close();
    }
  }

  private static String name(Path directory) throws IOException {
    return TestLog.files(directory).stream()
        .map(file -> file.getFileName().toString())
        .filter(name -> name.endsWith(LogSegment.LOG_SUFFIX))
        .max(String::compareTo)
        .orElseThrow();
  }

  @Test
  void deepCutKnowsTheWritersOfThen() {
    try (TestLog test = open()) {
      fill(test, 8);
      for (int i = 0; i < 5; i++) {
        test.append(TestBatches.plain(4, 100), 90);
        test.log.takeCheckpoint();
        test.log.force();
      }
      test.log.trimTo(test.log.segments().at(2).baseOffset());
      long start = test.log.startOffset();
      assertThat(test.log.cutTo(start)).isEqualTo(start);
      for (int writer = 0; writer < 3; writer++) {
        long batches = (start / 4 - writer + 2) / 3;
        assertThat(test.log.lastSequence(writer)).isEqualTo(4 * batches - 1);
      }
      assertThat(test.log.segmentCount()).isOne();
      assertThat(test.append(TestBatches.plain(4, 100), 91)).isEqualTo(start);
    }
  }

  @Test
  void beginningNamesTheWritersWhoseRowsAreDeleted() throws IOException {
    String snapshot;
    try (TestLog test = open()) {
      test.append(TestBatches.of(4, 99, 0, 1000, 100));
      fill(test, 4);
      test.log.trimTo(test.log.segments().at(1).baseOffset());
      LogBeginning beginning = test.log.beginning();
      snapshot = "writers-" + LogSegment.digits(beginning.offset()) + ".snapshot";
      assertThat(beginning.offset()).isEqualTo(test.log.startOffset()).isPositive();
      assertThat(beginning.lastTimeMs()).isPositive();
      assertThat(beginning.epochs())
          .isNotEmpty()
          .allMatch(each -> each.startOffset() < beginning.offset());
      assertThat(WriterStates.received(beginning.writers()).lastSequence(99)).isEqualTo(1003);
    }
    // Without its snapshot a later one tells of those who did not write since.
    Files.delete(temp.resolve("log").resolve(snapshot));
    try (TestLog test = open()) {
      WriterStates states = WriterStates.received(test.log.beginning().writers());
      assertThat(states.lastSequence(99)).isEqualTo(1003);
      assertThat(states.lastSequence(0)).as("wrote since").isEqualTo(-1);
    }
  }

  @Test
  void trimReadsTheWritersAgainWhenTheirSnapshotIsLost() throws IOException {
    try (TestLog test = open()) {
      test.append(TestBatches.of(4, 99, 0, 1000, 100));
      fill(test, 4);
      test.log.closeCleanly();
    }
    for (Path file : TestLog.files(temp.resolve("log"))) {
      if (file.getFileName().toString().startsWith("writers-")) {
        Files.delete(file);
      }
    }
    try (TestLog test = open()) {
      test.log.force();
      test.log.trimTo(test.log.segments().at(2).baseOffset());
      assertThat(test.log.startOffset()).isPositive();
      WriterStates states = WriterStates.received(test.log.beginning().writers());
      assertThat(states.lastSequence(99)).isEqualTo(1003);
      assertThat(states.lastSequence(0)).isPositive();
    }
  }

  @Test
  void newBeginningLeavesAloneWhatIsNotTheLogs() throws IOException {
    try (TestLog test = open()) {
      fill(test, 3);
      Path rows = Files.createDirectories(test.log.directory().resolve("kv")).resolve("1.sst");
      Files.write(rows, new byte[3]);
      try (LogCursor cursor = test.log.openCursor(0)) {
        assertThat(cursor.next(Long.MAX_VALUE)).isTrue();
        ByteBuffer garbage = ByteBuffer.allocate(40);
        assertFails(
            ErrorCode.CORRUPT_BATCH,
            () -> test.log.startAnew(new LogBeginning(7, garbage, 0, List.of())));
        assertThat(cursor.next(Long.MAX_VALUE)).as("nothing changed").isTrue();
        test.log.startAnew(LogBeginning.EMPTY);
        assertFails(ErrorCode.OFFSET_OUT_OF_RANGE, () -> cursor.next(Long.MAX_VALUE));
      }
      assertThat(test.log.endOffset()).isZero();
      assertThat(test.log.forcedOffset()).isZero();
      assertThat(test.log.lastSequence(0)).isEqualTo(-1);
      assertThat(test.log.epochs()).isEqualTo(EpochHistory.EMPTY);
      assertThat(rows).exists();
      assertThat(test.append(TestBatches.plain(4, 100), 3)).isZero();
    }
    try (TestLog test = open()) {
      assertThat(test.log.endOffset()).isEqualTo(4);
      assertThat(test.log.epochs().starts()).containsExactly(new EpochHistory.Start(3, 0));
    }
  }

  @Test
  void holeIsReadOverAndBelongsToTheEpochThatMadeIt() throws IOException {
    try (TestLog test = open()) {
      test.append(TestBatches.plain(4, 100), 1);
      jump(test, 3, 100);
      test.append(TestBatches.plain(4, 100), 3);
      assertHole(test);
      assertThat(test.log.read(50, 1 << 20).remaining())
          .isEqualTo(test.log.read(4, 1 << 20).remaining());
      test.log.force();
      Files.delete(test.log.directory().resolve(LeaderEpochs.NAME));
    }
    try (TestLog test = open()) {
      assertHole(test);
      assertThat(test.log.cutTo(60)).as("inside the hole").isEqualTo(4);
      test.append(TestBatches.plain(4, 100), 4);
      assertThat(test.read()).hasSize(2);
    }
    try (TestLog test = open()) {
      assertThat(test.log.endOffset()).isEqualTo(8);
    }
  }

  private static void assertHole(TestLog test) {
    assertThat(test.log.endOffset()).isEqualTo(105);
    assertThat(test.log.epochs().starts())
        .containsExactly(new EpochHistory.Start(1, 0), new EpochHistory.Start(3, 4));
    List<long[]> batches = test.read();
    assertThat(batches).hasSize(3);
    assertThat(batches.get(1)).containsExactly(100, 0);
    try (LogCursor cursor = test.log.openCursor(50)) {
      assertThat(cursor.next(Long.MAX_VALUE)).isTrue();
      assertThat(cursor.header().baseOffset()).isEqualTo(100);
    }
  }

  @Test
  void holeWithoutABatchBehindItIsMadeAgainByTheNextLeader() {
    for (int round = 0; round < 3; round++) {
      try (TestLog test = open()) {
        assertThat(test.log.endOffset()).isEqualTo(round == 0 ? 0 : 4);
        if (round == 0) {
          test.append(TestBatches.plain(4, 100), 1);
        }
        test.log.startEpoch(3 + round);
        test.log.jumpTo(100 + round);
        assertThat(test.log.endOffset()).isEqualTo(100 + round);
        test.log.force();
        assertThat(test.log.forcedOffset()).as("of records").isEqualTo(4);
        test.log.jumpTo(150);
        assertThat(test.log.segmentCount()).isEqualTo(2);
        if (round > 0) {
          test.log.closeCleanly();
        }
      }
    }
    try (TestLog test = open()) {
      jump(test, 9, 200);
      assertThat(test.read()).hasSize(2);
    }
    try (TestLog test = open()) {
      assertThat(test.log.endOffset()).isEqualTo(201);
      assertThat(test.log.epochs().starts())
          .containsExactly(new EpochHistory.Start(1, 0), new EpochHistory.Start(9, 4));
    }
  }

  @Test
  void holeFromTheFirstOffsetOnIsTrimmedWithTheStart() {
    try (TestLog test = open()) {
      jump(test, 2, 100);
      assertThat(test.log.startOffset()).isZero();
      assertThat(test.read()).hasSize(1);
      test.log.force();
      assertThat(test.log.trimTo(99)).as("the hole is not passed").isNull();
      assertThat(test.log.trimTo(100)).isNotNull();
      assertThat(test.log.startOffset()).isEqualTo(100);
    }
    try (TestLog test = open()) {
      assertThat(test.log.endOffset()).isEqualTo(101);
      assertThat(test.log.cutTo(0)).isEqualTo(100);
    }
  }

  @Test
  void lostEndBelowAHoleIsNotTakenForPartOfIt() throws IOException {
    Path segment;
    try (TestLog test = open()) {
      test.append(TestBatches.plain(4, 100), 1);
      test.append(TestBatches.plain(4, 100), 1);
      jump(test, 3, 100);
      segment = test.segment(0);
      test.log.force();
    }
    byte[] bytes = Files.readAllBytes(segment);
    Files.write(segment, Arrays.copyOf(bytes, bytes.length - 60));
    assertFails(ErrorCode.CORRUPT_STORAGE, () -> open().close());
  }

  @Test
  void failureBeforeAnythingChangedLeavesTheLogAsItIs() {
    try (TestLog test = open()) {
      fill(test, 2);
      long end = test.log.endOffset();
      faulty.failNext(Operation.WRITE, StartAnew.NAME + ".tmp", "No space left on device");
      assertFails(ErrorCode.DISK_FULL, () -> test.log.startAnew(LogBeginning.EMPTY));
      assertThat(test.log.broken()).isFalse();
      assertThat(test.append(TestBatches.plain(4, 100), 90)).isEqualTo(end);
      faulty.failNext(Operation.TRUNCATE, LogSegment.LOG_SUFFIX, "I/O error");
      assertFails(ErrorCode.STORAGE_ERROR, () -> test.log.cutTo(end));
      assertThat(test.log.broken()).as("half done").isTrue();
      assertFails(ErrorCode.STORAGE_ERROR, () -> test.append(TestBatches.plain(4, 100), 90));
    }
    try (TestLog test = open()) {
      assertThat(test.log.endOffset()).isPositive();
      assertThat(test.log.cutTo(4)).isEqualTo(4);
    }
  }

  /** The next start begins anew: what were stored until then would be lost. */
  @Test
  void aNewBeginningThatIsPerhapsOnTheDiskEndsTheOldLog() {
    try (TestLog test = open()) {
      fill(test, 2);
      // Renamed, but the name is not forced.
      faulty.failNext(Operation.OPEN, test.log.directory().getFileName().toString(), "I/O error");
      assertFails(ErrorCode.STORAGE_ERROR, () -> test.log.startAnew(LogBeginning.EMPTY));
      assertThat(test.log.broken()).isTrue();
      assertFails(ErrorCode.STORAGE_ERROR, () -> test.append(TestBatches.plain(4, 100), 90));
    }
    try (TestLog test = open()) {
      assertThat(test.log.endOffset()).isZero();
    }
  }

  @Test
  void aHoleThatFoundNoSpaceIsMadeLater() {
    try (TestLog test = open()) {
      test.append(TestBatches.plain(4, 100), 1);
      test.log.startEpoch(3);
      for (String file : List.of(LogHoles.NAME + ".tmp", LogSegment.logName(100))) {
        faulty.failNext(Operation.WRITE, file, "No space left on device");
        assertFails(ErrorCode.DISK_FULL, () -> test.log.jumpTo(100));
        assertThat(test.log.broken()).isFalse();
        assertThat(test.log.endOffset()).isEqualTo(4);
      }
      // A log that goes on without it is as good as ever.
      test.append(TestBatches.plain(4, 100), 3);
      jump(test, 4, 120);
      faulty.failNext(Operation.WRITE, LogHoles.NAME + ".tmp", "I/O error");
      assertFails(ErrorCode.STORAGE_ERROR, () -> test.log.jumpTo(200));
      assertThat(test.log.broken()).isTrue();
    }
    try (TestLog test = open()) {
      assertThat(test.log.endOffset()).isEqualTo(121);
      assertThat(test.read()).hasSize(3);
    }
  }

  @Test
  void readersAndTheForcingThreadMeetCutsAndNothingIsTakenForDamage() throws Exception {
    ExecutorService others = Executors.newFixedThreadPool(3);
    AtomicBoolean done = new AtomicBoolean();
    try (TestLog test = open()) {
      test.append(TestBatches.plain(4, 100), 1);
      List<Future<?>> running =
          List.of(
              others.submit(() -> loop(done, () -> test.log.force())),
              others.submit(() -> loop(done, () -> readBatches(test.log))),
              others.submit(() -> loop(done, () -> readByCursor(test.log))));
      SplittableRandom random = new SplittableRandom(6);
      for (int round = 1; round < 100; round++) {
        for (int i = random.nextInt(30); i >= 0; i--) {
          test.append(TestBatches.plain(4, 10 + random.nextInt(6000)), round);
        }
        long end = test.log.endOffset();
        if (random.nextInt(10) == 0) {
          test.log.startAnew(test.log.beginning());
          test.append(TestBatches.plain(4, 100), round + 1);
        } else {
          test.log.cutTo(Math.max(4, end - random.nextLong(150)));
        }
      }
      done.set(true);
      for (Future<?> each : running) {
        each.get();
      }
      test.log.force();
      assertThat(test.log.forcedOffset()).isEqualTo(test.log.endOffset());
    } finally {
      others.shutdownNow();
    }
    try (TestLog test = open()) {
      assertThat(test.read()).isNotEmpty();
    }
  }

  private static void loop(AtomicBoolean done, Runnable work) {
    while (!done.get()) {
      try {
        work.run();
      } catch (SluiceException e) {
        assertThat(e.code()).as(e.getMessage()).isEqualTo(ErrorCode.OFFSET_OUT_OF_RANGE);
      }
    }
  }

  private static void readBatches(BucketLog log) {
    long offset = log.startOffset();
    for (ByteBuffer found = log.read(offset, 30_000); found.hasRemaining(); ) {
      BucketLog.check(found, offset, 0);
      List<FollowedModel.Stored> batches = FollowedModel.parse(found);
      offset = batches.get(batches.size() - 1).end();
      found = log.read(offset, 30_000);
    }
  }

  private static void readByCursor(BucketLog log) {
    try (LogCursor cursor = log.openCursor(log.startOffset())) {
      while (cursor.next(Long.MAX_VALUE)) {
        ByteBuffer sections = ByteBuffer.allocate(cursor.header().sectionsLength());
        cursor.read(LogBatchHeader.SIZE, sections);
        cursor.header().checkContentCrc(sections.flip());
      }
    }
  }
}
