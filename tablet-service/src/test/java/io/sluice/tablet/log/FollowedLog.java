package io.sluice.tablet.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.tablet.log.FollowedModel.Stored;
import io.sluice.tablet.log.TestBatches.TestBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** One of two logs that follow each other, the model of it, and cursors that stay open. */
final class FollowedLog implements RecoveryPoints, AutoCloseable {
  static final int WRITERS = 4;

  // Segments of some 25 batches: many of them, and quick to copy.
  private static final LogConfig CONFIG = new LogConfig(64 << 10, 3_600_000, 64, 24, 86_400_000);
  private static final int MAX_CURSORS = 3;

  private final SplittableRandom random;
  private final KillingFiles files = new KillingFiles();
  private final List<OpenCursor> cursors = new ArrayList<>();
  private long point;
  private LongSupplier forced = () -> Long.MAX_VALUE;
  // What the model would be at the end of the operation that is going on.
  private Supplier<FollowedModel> planned = FollowedModel::new;
  FollowedModel model = new FollowedModel();
  TestLog test;

  /** A cursor, and how low its log was cut since it was opened. */
  private static final class OpenCursor {
    private final LogCursor cursor;
    private long next;
    private long lowestCut = Long.MAX_VALUE;

    private OpenCursor(LogCursor cursor) {
      this.cursor = cursor;
      this.next = cursor.nextOffset();
    }
  }

  FollowedLog(Path root, SplittableRandom random) {
    this.random = random;
    open(root, 1_700_000_000_000L);
  }

  private void open(Path directory, long timeMs) {
    files.live();
    forced = () -> Long.MAX_VALUE;
    test = TestLog.open(directory, point, files, CONFIG, this);
    test.clock.jumpTo(timeMs);
  }

  @Override
  public void lower(long offset, LongSupplier forcedNow) {
    point = Math.min(point, offset);
    forced = forcedNow;
  }

  BucketLog log() {
    return test.log;
  }

  KillingFiles files() {
    return files;
  }

  /** As a leader does. */
  void append(int epoch) {
    long writer = random.nextInt(-2, WRITERS);
    int rows = 1 + random.nextInt(5);
    Stored last = model.writers().get(writer);
    TestBatch batch =
        TestBatches.of(
            rows,
            Math.max(-1, writer),
            0,
            writer < 0 ? -1 : last == null ? 0 : last.lastSequence() + 1,
            1 + random.nextInt(random.nextInt(20) == 0 ? 9000 : 300));
    planned = () -> withStamped(batch.header());
    log().startEpoch(epoch);
    assertThat(log().append(batch.header(), batch.sections(), epoch)).isEqualTo(model.end());
    model.store(Stored.of(batch.header()));
  }

  /** A batch that is not stamped was not written. */
  private FollowedModel withStamped(LogBatchHeader header) {
    return header.leaderEpoch() == 0 ? model : model.with(List.of(Stored.of(header)));
  }

  /** As a leader does that knows of offsets that were given away. */
  void jump(int epoch, long offset) {
    LogBatchHeader control = LogBatchHeader.control(BatchWriter.NONE);
    planned = () -> withStamped(control);
    log().startEpoch(epoch);
    log().jumpTo(offset);
    assertThat(log().endOffset()).isEqualTo(offset);
    assertThat(log().append(control, List.of(), epoch)).isEqualTo(offset);
    model.store(Stored.of(control));
  }

  /** As a follower does. The logs agree below the end of this one. */
  void fetchFrom(FollowedLog leader, int maxBytes) {
    ByteBuffer batches = leader.log().read(model.end(), maxBytes, ByteBuffer::allocateDirect);
    List<Stored> stored = FollowedModel.parse(batches);
    if (!stored.isEmpty()) {
      assertThat(stored.get(0)).isEqualTo(leader.model.next(model.end()));
      BucketLog.check(batches, stored.get(0).offset(), model.lastEpoch());
    }
    planned = () -> model.with(stored);
    long end = log().appendReplicated(batches);
    assertThat(batches.hasRemaining()).isFalse();
    model = planned.get();
    assertThat(end).isEqualTo(model.end());
  }

  void cutTo(long offset) {
    long end = model.boundary(Math.max(offset, model.start()));
    boolean cuts = offset < model.end();
    planned =
        () -> {
          FollowedModel shorter = model.copy();
          shorter.cutTo(end);
          return shorter;
        };
    long found = log().cutTo(offset);
    if (cuts) {
      assertThat(found).isEqualTo(end);
      wasCutTo(end);
    } else {
      assertThat(found).isEqualTo(model.end());
    }
  }

  private void wasCutTo(long end) {
    model.cutTo(end);
    cursors.forEach(each -> each.lowestCut = Math.min(each.lowestCut, end));
    assertThat(log().forcedOffset()).isLessThanOrEqualTo(end);
    assertThat(point).isLessThanOrEqualTo(end);
  }

  void startAnew(LogBeginning beginning, FollowedModel leader) {
    FollowedModel begun = new FollowedModel();
    begun.beginAs(leader);
    planned = () -> begun;
    log().startAnew(beginning);
    cursors.forEach(each -> each.lowestCut = -1);
    model = begun;
  }

  void trim(long below) {
    planned =
        () -> {
          FollowedModel trimmed = model.copy();
          trimmed.trimTo(log().startOffset());
          return trimmed;
        };
    Trimmed trimmed = log().trimTo(below);
    if (trimmed != null) {
      assertThat(trimmed.start()).isGreaterThan(model.start()).isLessThanOrEqualTo(below);
      model.trimTo(trimmed.start());
    }
  }

  void force() {
    planned = () -> model;
    if (random.nextInt(3) == 0) {
      log().takeCheckpoint();
    }
    log().force();
    assertThat(log().forcedOffset()).isEqualTo(model.end());
    if (random.nextBoolean()) {
      savePoint(log().forcedOffset());
    }
  }

  private void savePoint(long offset) {
    point = Math.min(offset, forced.getAsLong());
  }

  void restart() {
    closeCursors();
    log().closeCleanly();
    test.files.close();
    savePoint(log().forcedOffset());
    open(log().directory(), test.clock.epochMs());
  }

  /** A kill between two operations, or a power loss: then what was not forced is cut or damaged. */
  void crash() throws IOException {
    closeCursors();
    long forcedEnd = log().forcedOffset();
    LogSegments segments = log().segments();
    Path directory = abandon();
    if (random.nextBoolean()) {
      loseUnforced(directory, segments, forcedEnd);
    }
    open(directory, test.clock.epochMs());
    assertThat(log().endOffset()).isEqualTo(model.end());
  }

  /** Nothing is written: the files are as a killed process leaves them. */
  private Path abandon() {
    test.close();
    return log().directory();
  }

  private void loseUnforced(Path directory, LogSegments segments, long forcedEnd)
      throws IOException {
    for (int i = 0; i < segments.size(); i++) {
      LogSegment segment = segments.at(i);
      if (segment.endOffset() <= forcedEnd || segment.isEmpty()) {
        continue;
      }
      Path file = directory.resolve(LogSegment.logName(segment.baseOffset()));
      try (FileChannel channel =
          FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        BatchWalk walk =
            new BatchWalk(
                channel,
                SegmentHeader.SIZE,
                segment.size(),
                segment.baseOffset(),
                Integer.MIN_VALUE);
        while (walk.nextOffset() < forcedEnd && walk.next() != null) {}
        int from = (int) walk.position();
        int at = from + random.nextInt((int) channel.size() - from + 1);
        long end = model.boundary(Math.max(forcedEnd, segment.baseOffset()));
        while (walk.next() != null && walk.position() <= at) {
          end = walk.nextOffset();
        }
        model.cutTo(end);
        channel.truncate(at);
      }
      return;
    }
  }

  /** What a kill in the middle of an operation left: the state before it, after it, or between. */
  void openKilled(FollowedModel before) {
    closeCursors();
    Path directory = abandon();
    open(directory, test.clock.epochMs());
    long start = log().startOffset();
    long end = log().endOffset();
    FollowedModel after = planned.get();
    model = cut(after, start, end);
    if (model.end() != end || !epochs().equals(model.epochs())) {
      model = cut(before, start, end);
    }
    assertThat(start).isIn(before.start(), after.start());
    assertThat(end).isEqualTo(model.end());
    assertThat(end).isGreaterThanOrEqualTo(Math.min(before.end(), after.end()));
    check();
  }

  private static FollowedModel cut(FollowedModel whole, long start, long end) {
    FollowedModel cut = whole.copy();
    cut.cutTo(end);
    cut.trimTo(start);
    return cut;
  }

  /** The epochs that can be told apart by what is stored. */
  private EpochHistory epochs() {
    return log().epochs().trimmedTo(log().startOffset()).cutTo(log().endOffset());
  }

  void openCursor() {
    List<Stored> readable = model.readable();
    if (cursors.size() < MAX_CURSORS && !readable.isEmpty()) {
      long offset = readable.get(random.nextInt(readable.size())).offset();
      cursors.add(new OpenCursor(log().openCursor(offset)));
    }
  }

  /** Every cursor reads one batch, or says that its place is no more. */
  void moveCursors() {
    for (Iterator<OpenCursor> all = cursors.iterator(); all.hasNext(); ) {
      OpenCursor each = all.next();
      if (each.next > each.lowestCut) {
        assertOutOfRange(() -> each.cursor.next(Long.MAX_VALUE));
        each.cursor.close();
        all.remove();
      } else if (!move(each)) {
        each.cursor.close();
        all.remove();
      }
    }
  }

  private boolean move(OpenCursor each) {
    boolean moved;
    try {
      moved = each.cursor.next(Long.MAX_VALUE);
    } catch (SluiceException e) {
      // Its segment was deleted and is read to its end: what comes is below the start.
      assertThat(e.code()).isEqualTo(ErrorCode.OFFSET_OUT_OF_RANGE);
      assertThat(each.next).isLessThan(model.start());
      return false;
    }
    // It has seen the cuts, and goes on in what was stored since.
    each.lowestCut = Long.MAX_VALUE;
    Stored expected = model.next(each.next);
    if (moved) {
      assertThat(Stored.of(each.cursor.header())).isEqualTo(expected);
      ByteBuffer sections = ByteBuffer.allocate(each.cursor.header().sectionsLength());
      each.cursor.read(LogBatchHeader.SIZE, sections);
      each.cursor.header().checkContentCrc(sections.flip());
      each.next = each.cursor.nextOffset();
    } else {
      assertThat(expected).isNull();
    }
    return true;
  }

  private static void assertOutOfRange(Runnable read) {
    assertThatThrownBy(read::run)
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.OFFSET_OUT_OF_RANGE));
  }

  private void closeCursors() {
    cursors.forEach(each -> each.cursor.close());
    cursors.clear();
  }

  /** Everything against the model. */
  void check() {
    assertThat(log().startOffset()).isEqualTo(model.start());
    assertThat(log().endOffset()).isEqualTo(model.end());
    List<Stored> found = new ArrayList<>();
    long offset = model.start();
    ByteBuffer batches = log().read(offset, 1 << 14);
    while (batches.hasRemaining()) {
      List<Stored> some = FollowedModel.parse(batches);
      BucketLog.check(batches, some.get(0).offset(), 0);
      found.addAll(some);
      offset = some.get(some.size() - 1).end();
      batches = log().read(offset, 1 << 14);
    }
    assertThat(found).isEqualTo(model.readable());
    assertOutOfRange(() -> log().read(model.end() + 1, 100));
    assertThat(epochs()).isEqualTo(model.epochs());
    for (long writer = 0; writer < WRITERS; writer++) {
      Stored last = model.writers().get(writer);
      assertThat(log().lastSequence(writer)).isEqualTo(last == null ? -1 : last.lastSequence());
      if (last != null) {
        LogBatchHeader again =
            LogBatchHeader.allocate()
                .setWriter(
                    writer, 0, last.sequence(), (int) (last.lastSequence() - last.sequence() + 1));
        assertThat(log().decide(again, -1, 0))
            .isEqualTo(new SequenceDecision.Duplicate(last.offset()));
      }
    }
    List<Stored> readable = model.readable();
    if (!readable.isEmpty()) {
      Stored any = readable.get(random.nextInt(readable.size()));
      long time = any.timeMs();
      Stored first = readable.stream().filter(each -> each.timeMs() >= time).findFirst().get();
      assertThat(log().offsetForTime(time)).isEqualTo(first.offset());
    }
  }

  @Override
  public void close() {
    closeCursors();
    test.close();
  }
}
