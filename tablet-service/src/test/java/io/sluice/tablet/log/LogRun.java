package io.sluice.tablet.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.tablet.log.LogModel.Stored;
import io.sluice.tablet.log.TestBatches.TestBatch;
import io.sluice.testkit.FaultyFiles;
import io.sluice.testkit.FaultyFiles.Operation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Does to a log what the dice of its model say, and holds it against the model. */
final class LogRun implements AutoCloseable {
  // Segments of some 25 batches: many of them, and quick to copy.
  private static final LogConfig CONFIG = new LogConfig(64 << 10, 3_600_000, 64, 24, 86_400_000);

  private final Path root;
  private final LogModel model;
  private final SplittableRandom random;
  private final FaultyFiles faulty = new FaultyFiles().withoutForcing();
  // Files deleted since the directory was forced last: a power loss may bring them back.
  private final Map<String, byte[]> deleted = new HashMap<>();
  private int restarts;
  private int epoch = 1;
  private TestLog test;

  LogRun(Path root, LogModel model) {
    this.root = root;
    this.model = model;
    this.random = model.random;
    this.test = open(root.resolve("0"), 0);
  }

  private TestLog open(Path directory, long recoveryPoint) {
    return TestLog.open(directory, recoveryPoint, faulty::open, CONFIG);
  }

  void step() throws IOException {
    test.clock.advanceMs(random.nextInt(20));
    int dice = random.nextInt(1000);
    if (dice < 550) {
      put(random.nextInt(LogModel.WRITERS));
    } else if (dice < 680) {
      store(-1, -1, 1 + random.nextInt(5));
    } else if (dice < 700) {
      failedPut();
    } else if (dice < 770) {
      force();
    } else if (dice < 800) {
      epoch += 1 + random.nextInt(3);
      test.log.startEpoch(epoch);
    } else if (dice < 880) {
      readFromAnywhere();
    } else if (dice < 950) {
      lookUpTime();
    } else if (dice < 970) {
      retain();
    } else if (dice < 982) {
      test.log.closeCleanly();
      test.files.close();
      reopen(test.log.directory(), 0);
    } else if (dice < 993) {
      crash();
    } else {
      check();
    }
    assertThat(test.log.endOffset()).isEqualTo(model.end());
    assertThat(test.log.startOffset()).isEqualTo(model.start());
    assertThat(test.files.size()).as("bounded").isLessThanOrEqualTo(8);
  }

  private void put(long writer) {
    long stored = model.lastSequence(writer);
    int rows = 1 + random.nextInt(5);
    long base = Math.max(0, stored + 1 + random.nextInt(-6, 4));
    long acked = base - 1 - random.nextInt(0, 3);
    TestBatch batch = TestBatches.of(rows, writer, 0, base, 1);
    SequenceDecision decision = test.log.decide(batch.header(), acked, 0);
    if (base + rows - 1 <= stored) {
      assertThat(decision).isInstanceOf(SequenceDecision.Duplicate.class);
      long offset = ((SequenceDecision.Duplicate) decision).baseOffset();
      assertThat(offset < 0 || model.holds(writer, base, offset)).isTrue();
    } else if (base <= stored) {
      int overlap = (int) (stored - base + 1);
      assertThat(decision).isEqualTo(new SequenceDecision.Overlap(overlap));
      store(writer, stored + 1, rows - overlap);
    } else if (base <= Math.max(stored, acked) + 1) {
      assertThat(decision).isSameAs(SequenceDecision.ACCEPT);
      store(writer, base, rows);
    } else {
      assertThat(decision).isEqualTo(new SequenceDecision.Gap(stored));
    }
  }

  private void store(long writer, long sequence, int rows) {
    TestBatch batch =
        TestBatches.of(
            rows, writer, 0, sequence, 1 + random.nextInt(random.nextInt(20) == 0 ? 9000 : 300));
    long offset = test.append(batch, epoch);
    assertThat(offset).isEqualTo(model.end());
    model.store(new Stored(writer, sequence, rows, offset, batch.header().appendTimeMs()));
  }

  /** The disk takes a part only: nothing is stored. */
  private void failedPut() {
    faulty.failWriteAfter(random.nextInt(900), ".log", "No space left on device");
    try {
      store(-1, -1, 3);
    } catch (SluiceException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.DISK_FULL);
    } finally {
      faulty.heal();
    }
  }

  private void force() {
    if (random.nextInt(3) == 0) {
      test.log.takeCheckpoint();
      if (random.nextBoolean()) {
        store(-1, -1, 1);
      }
    }
    if (random.nextInt(4) == 0) {
      faulty.failNext(Operation.WRITE, ".index.tmp", "No space left on device");
    }
    test.log.force();
    faulty.heal();
    assertThat(test.log.forcedOffset()).isEqualTo(model.end());
    deleted.clear();
  }

  private void retain() throws IOException {
    List<Stored> readable = model.readable();
    long now = test.clock.epochMs();
    long oldest = readable.isEmpty() ? now : readable.get(0).timeMs();
    long before = random.nextInt(3) == 0 ? now : oldest + random.nextLong(now - oldest + 1) / 4;
    long limit = random.nextInt(3) == 0 ? test.log.forcedOffset() : Long.MAX_VALUE;
    test.log.rollIdle(before);
    Map<String, byte[]> files = new HashMap<>();
    for (Path file : TestLog.files(test.log.directory())) {
      files.put(file.getFileName().toString(), Files.readAllBytes(file));
    }
    long forced = test.log.forcedOffset();
    Trimmed trimmed = test.log.trim(before, limit);
    if (trimmed != null) {
      assertThat(trimmed.start()).isGreaterThan(model.start()).isLessThanOrEqualTo(forced);
      assertThat(readable)
          .allMatch(batch -> batch.offset() >= trimmed.start() || batch.timeMs() < before);
      model.trimTo(trimmed.start());
      TestLog.files(test.log.directory()).forEach(f -> files.remove(f.getFileName().toString()));
      deleted.putAll(files);
    }
  }

  /**
   * No close: the copied files are what a killed process leaves, or a power loss: then what was not
   * forced is cut or zero from any position on, and deleted files may be back.
   */
  private void crash() throws IOException {
    long forced = test.log.forcedOffset();
    Path copy = root.resolve(Integer.toString(++restarts));
    Path before = test.log.directory();
    TestLog.copy(before, copy);
    LogSegments segments = test.log.segments();
    test.close();
    TestLog.delete(before);
    if (random.nextBoolean()) {
      loseUnforced(copy, segments, forced);
      for (Map.Entry<String, byte[]> file : deleted.entrySet()) {
        if (random.nextBoolean()) {
          Files.write(copy.resolve(file.getKey()), file.getValue());
        }
      }
    }
    deleted.clear();
    reopen(copy, random.nextBoolean() ? forced : 0);
  }

  /** Damages one segment from a position on that was not forced; the log ends there. */
  private void loseUnforced(Path copy, LogSegments segments, long forced) throws IOException {
    for (int i = 0; i < segments.size(); i++) {
      LogSegment segment = segments.at(i);
      boolean whole = segment.endOffset() <= forced;
      if (whole || (i < segments.size() - 1 && random.nextInt(3) > 0)) {
        continue;
      }
      Path file = copy.resolve(LogSegment.logName(segment.baseOffset()));
      try (FileChannel channel =
          FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        int from = segment.baseOffset() < forced ? positionOf(channel, segment, forced) : 0;
        int at = from + random.nextInt((int) channel.size() - from + 1);
        model.cutTo(Math.max(forced, endAt(channel, segment, at)));
        if (random.nextBoolean()) {
          channel.truncate(at);
        } else if (at < channel.size()) {
          overwrite(channel, at);
        }
      }
      return;
    }
  }

  /** Blocks that never reached the disk: zeros, or something else where zeros were. */
  private static void overwrite(FileChannel channel, int at) throws IOException {
    ByteBuffer found = ByteBuffer.allocate(1);
    channel.read(found, at);
    byte[] lost = new byte[(int) channel.size() - at];
    Arrays.fill(lost, found.get(0) == 0 ? (byte) 0xA5 : 0);
    channel.write(ByteBuffer.wrap(lost), at);
  }

  private static int positionOf(FileChannel channel, LogSegment segment, long offset)
      throws IOException {
    BatchWalk walk = walk(channel, segment);
    while (walk.nextOffset() < offset && walk.next() != null) {}
    return (int) walk.position();
  }

  /** End offset of the batches that lie wholly below a position. */
  private static long endAt(FileChannel channel, LogSegment segment, int position)
      throws IOException {
    long end = segment.baseOffset();
    BatchWalk walk = walk(channel, segment);
    while (walk.next() != null && walk.position() <= position) {
      end = walk.nextOffset();
    }
    return position < SegmentHeader.SIZE ? segment.baseOffset() : end;
  }

  private static BatchWalk walk(FileChannel channel, LogSegment segment) throws IOException {
    return new BatchWalk(
        channel, SegmentHeader.SIZE, segment.size(), segment.baseOffset(), Integer.MIN_VALUE);
  }

  private void reopen(Path directory, long recoveryPoint) {
    long time = test.clock.epochMs();
    test = open(directory, recoveryPoint);
    test.clock.jumpTo(time);
  }

  private void readFromAnywhere() {
    List<Stored> readable = model.readable();
    if (model.start() > 0) {
      long below = random.nextLong(model.start());
      assertThatThrownBy(() -> test.log.openCursor(below).close())
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.OFFSET_OUT_OF_RANGE));
    }
    if (readable.isEmpty()) {
      return;
    }
    int first = random.nextInt(readable.size());
    Stored expected = readable.get(first);
    try (LogCursor cursor =
        test.log.openCursor(expected.offset() + random.nextInt(expected.rows()))) {
      int last = Math.min(readable.size(), first + 10);
      for (Stored each : readable.subList(first, last)) {
        assertThat(cursor.next(Long.MAX_VALUE)).isTrue();
        assertSame(cursor, each);
      }
    }
  }

  private static void assertSame(LogCursor cursor, Stored each) {
    assertThat(cursor.header().baseOffset()).isEqualTo(each.offset());
    assertThat(cursor.header().recordCount()).isEqualTo(each.rows());
    assertThat(cursor.header().writerId()).isEqualTo(each.writer());
    assertThat(cursor.header().baseSequence()).isEqualTo(each.sequence());
    assertThat(cursor.header().appendTimeMs()).isEqualTo(each.timeMs());
  }

  private void lookUpTime() {
    List<Stored> readable = model.readable();
    long now = test.clock.epochMs();
    long time = readable.isEmpty() ? now : readable.get(random.nextInt(readable.size())).timeMs();
    for (long at = time - 1; at <= time + 1; at++) {
      assertThat(test.log.offsetForTime(at)).isEqualTo(model.offsetForTime(at));
    }
    assertThat(test.log.offsetForTime(now + 1)).isEqualTo(model.end());
  }

  /** All of it, in both directions. */
  void check() {
    try (LogCursor cursor = test.log.openCursor(test.log.startOffset())) {
      for (Stored each : model.readable()) {
        assertThat(cursor.next(Long.MAX_VALUE)).isTrue();
        assertSame(cursor, each);
      }
      assertThat(cursor.next(Long.MAX_VALUE)).isFalse();
    }
    for (long writer = 0; writer < LogModel.WRITERS; writer++) {
      assertThat(test.log.lastSequence(writer)).isEqualTo(model.lastSequence(writer));
    }
  }

  @Override
  public void close() {
    test.close();
  }
}
