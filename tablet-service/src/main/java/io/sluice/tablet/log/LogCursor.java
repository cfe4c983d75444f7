package io.sluice.tablet.log;

import io.sluice.common.SluiceException;
import io.sluice.format.batch.LogBatchHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Walks the stored batches of a log in offset order, across segments and holes, verifying each
 * header. Reads a small window ahead, so that one read serves a header and the sections behind it.
 * Not thread-safe.
 */
public final class LogCursor implements AutoCloseable {
  private static final int WINDOW = 8 << 10;
  private static final int NONE = -1;

  private final BucketLog log;
  private final ByteBuffer window = ByteBuffer.allocate(WINDOW);
  // Of the window and the batch to come; the same as the reader but at the end of a segment.
  private SegmentReader ahead;
  private SegmentReader reader;
  private long windowStart;
  // The batch to come.
  private long position;
  private long nextOffset;
  private @Nullable LogBatchHeader peeked;
  private ByteBuffer peekedBytes = ByteBuffer.allocate(LogBatchHeader.SIZE);
  // The batch the cursor stands on.
  private @Nullable LogBatchHeader current;
  private ByteBuffer currentBytes = ByteBuffer.allocate(LogBatchHeader.SIZE);
  private long currentPosition;
  private int currentEntry = NONE;
  private @Nullable SegmentDirectory currentDirectory;
  // Of the segment of the batch to come, when it is sealed: what is known of it, whether this
  // cursor
  // can add to that as it walks on, and what it has so far.
  private @Nullable SegmentDirectory directory;
  private boolean learns;
  private @Nullable SegmentDirectory learned;
  private byte @Nullable [] seen;
  private boolean closed;
  // Of the log, when the segments of this cursor were last known to be there.
  private int rewrites;
  private final int beginnings;

  private LogCursor(BucketLog log, LogSegment segment, int rewrites) throws IOException {
    this.log = log;
    this.rewrites = rewrites;
    this.beginnings = log.beginnings();
    this.ahead = new SegmentReader(log.context().files(), segment);
    this.reader = ahead;
    this.window.limit(0);
    log.cursors().incrementAndGet();
  }

  private static LogCursor atEntry(
      BucketLog log, LogSegment segment, int rewrites, SegmentIndex index, int entry)
      throws IOException {
    LogCursor cursor = new LogCursor(log, segment, rewrites);
    cursor.position = entry < 0 ? SegmentHeader.SIZE : index.position(entry);
    cursor.nextOffset = segment.baseOffset() + (entry < 0 ? 0 : index.relativeOffset(entry));
    cursor.useDirectory(segment);
    return cursor;
  }

  /** Only of sealed segments, which do not change any more. */
  private void useDirectory(LogSegment segment) {
    directory = null;
    learns = false;
    if (segment == log.segments().active()) {
      return;
    }
    SegmentDirectory known = log.context().files().directories().of(segment);
    directory = known;
    // What lies behind a gap cannot be added.
    learns = position <= knownEnd() && (known == null || known.lacks(segment.size()));
  }

  private int knownEnd() {
    SegmentDirectory known = learned == null ? directory : learned;
    return known == null ? SegmentHeader.SIZE : known.end();
  }

  /**
   * Adds the current batch to what this cursor learns, when its sections were read and found good.
   */
  private void learn() {
    LogBatchHeader header = current;
    if (!learns || header == null || currentPosition < knownEnd()) {
      return;
    }
    byte[] sections = seen;
    if (sections == null || currentPosition != knownEnd() || !add(header, sections)) {
      publish();
    }
  }

  private boolean add(LogBatchHeader header, byte[] sections) {
    SegmentDirectory growing = learned;
    if (growing == null) {
      if (!log.context().files().directories().mayLearn()) {
        return false;
      }
      growing = directory == null ? new SegmentDirectory() : directory.copy();
      learned = growing;
    }
    return growing.add(header, currentBytes, ByteBuffer.wrap(sections));
  }

  /** Ends learning in this segment. */
  private void publish() {
    learns = false;
    SegmentDirectory growing = learned;
    if (growing != null) {
      log.context().files().directories().learnt(reader.segment(), growing);
      learned = null;
    }
  }

  /**
   * A cursor whose next batch is the one that holds the offset, or the one after all.
   *
   * @param rewrites {@link BucketLog#rewrites} before this call
   */
  static LogCursor at(BucketLog log, long offset, int rewrites) throws IOException {
    LogSegment segment = log.segments().holding(offset);
    SegmentIndex index = log.index(segment);
    LogCursor cursor =
        atEntry(log, segment, rewrites, index, index.floorOffset(offset - segment.baseOffset()));
    return cursor.skip(header -> header.nextOffset() <= offset, offset);
  }

  /**
   * A cursor whose next batch is the first of the segment stored at or after the time.
   *
   * @param rewrites {@link BucketLog#rewrites} before the segment was looked for
   */
  static LogCursor atTime(BucketLog log, LogSegment segment, int rewrites, long timeMs)
      throws IOException {
    SegmentIndex index = log.index(segment);
    LogCursor cursor = atEntry(log, segment, rewrites, index, index.lastBefore(timeMs));
    return cursor.skip(header -> header.appendTimeMs() < timeMs, Long.MAX_VALUE);
  }

  private interface Skipped {
    boolean test(LogBatchHeader header);
  }

  private LogCursor skip(Skipped skipped, long endOffset) throws IOException {
    boolean done = false;
    try {
      long end = Math.min(endOffset, log.endOffset());
      while (nextOffset < end) {
        LogBatchHeader header = peek();
        if (header == null || !skipped.test(header)) {
          break;
        }
        step(header);
      }
      done = true;
      return this;
    } finally {
      if (!done) {
        close();
      }
    }
  }

  /**
   * Moves to the next batch that lies wholly below the given offset and the log end.
   *
   * @return false when there is none yet
   * @throws SluiceException CORRUPT_STORAGE when the header is damaged, OFFSET_OUT_OF_RANGE when
   *     the log was cut below this cursor
   */
  public boolean next(long endOffset) {
    while (true) {
      followRewrites();
      LogBatchHeader header = null;
      long end = Math.min(endOffset, log.endOffset());
      try {
        header = nextOffset < end ? peek() : null;
      } catch (IOException | SluiceException e) {
        if (log.rewrites() == rewrites) {
          throw failure(e);
        }
      }
      if (log.rewrites() != rewrites) {
        // What was read may be anything.
        continue;
      }
      if (header == null || header.nextOffset() > end) {
        return false;
      }
      step(header);
      return true;
    }
  }

  private SluiceException failure(Exception cause) {
    if (LogTail.isRewriting(rewrites)) {
      return LogSegments.cut(nextOffset, log.endOffset());
    }
    return cause instanceof SluiceException failure
        ? failure
        : BucketLog.storageError(
            "Cannot read " + ahead.segment().path() + " at position " + position,
            (IOException) cause);
  }

  /** Leaves segments that the log was cut in; fails when it was cut below this cursor. */
  private void followRewrites() {
    long offset = nextOffset;
    boolean lost = false;
    while (lost || log.rewrites() != rewrites) {
      rewrites = log.rewrites();
      long cut = Math.min(ahead.segment().lowestCut(), reader.segment().lowestCut());
      if (offset > cut || log.beginnings() != beginnings) {
        throw LogSegments.cut(offset, log.endOffset());
      }
      try {
        if (lost || ahead.segment().isCut()) {
          relocate(offset);
        }
        lost = false;
      } catch (IOException | SluiceException e) {
        if (log.rewrites() == rewrites) {
          throw failure(e);
        }
        lost = true;
      }
    }
  }

  /** Has the batch that begins at an offset, where one ended, come next. */
  private void relocate(long offset) throws IOException {
    LogSegment segment = log.segments().holding(offset);
    SegmentIndex index = log.index(segment);
    int entry = index.floorOffset(offset - segment.baseOffset());
    SegmentReader fresh = new SegmentReader(log.context().files(), segment);
    if (ahead != reader) {
      ahead.close();
    }
    ahead = fresh;
    position = entry < 0 ? SegmentHeader.SIZE : index.position(entry);
    nextOffset = segment.baseOffset() + (entry < 0 ? 0 : index.relativeOffset(entry));
    peeked = null;
    window.limit(0);
    while (nextOffset < offset) {
      LogBatchHeader header = peek();
      if (header == null) {
        break;
      }
      position += header.length();
      nextOffset = header.nextOffset();
      peeked = null;
    }
  }

  /** Takes the peeked batch as the current one. */
  private void step(LogBatchHeader header) {
    // To go on says that the bytes of the batch before were good: its reader would have ended.
    learn();
    if (ahead != reader) {
      publish();
      useDirectory(ahead.segment());
    }
    seen = null;
    currentDirectory = directory;
    currentEntry = directory == null ? NONE : directory.find(position);
    ByteBuffer free = currentBytes;
    currentBytes = peekedBytes;
    peekedBytes = free;
    current = header;
    currentPosition = position;
    if (ahead != reader) {
      reader.close();
      reader = ahead;
    }
    peeked = null;
    position += header.length();
    nextOffset = header.nextOffset();
  }

  /** The header of the next batch, null when the log has no more. */
  private @Nullable LogBatchHeader peek() throws IOException {
    if (peeked != null) {
      return peeked;
    }
    if (position >= ahead.segment().size() && !enterNextSegment()) {
      return null;
    }
    SegmentDirectory known = ahead == reader ? directory : null;
    int entry = known == null ? NONE : known.find(position);
    if (known != null && entry >= 0) {
      known.header(entry, peekedBytes.clear());
      peeked = LogBatchHeader.wrap(peekedBytes);
      return peeked;
    }
    fillWindow();
    peekedBytes.clear();
    int at = (int) (position - windowStart);
    if (window.limit() - at < LogBatchHeader.SIZE) {
      throw Corruption.at(
          ahead.segment().path(),
          position,
          LogBatchHeader.SIZE + " bytes of batch header",
          "the end of the file after " + (window.limit() - at));
    }
    peekedBytes.put(0, window, at, LogBatchHeader.SIZE);
    LogBatchHeader header = LogBatchHeader.wrap(peekedBytes);
    Damage damage =
        BatchWalk.checkHeader(
            header, position, ahead.segment().size(), nextOffset, Integer.MIN_VALUE);
    if (damage != null) {
      throw Corruption.at(ahead.segment().path(), damage);
    }
    peeked = header;
    return header;
  }

  private boolean enterNextSegment() throws IOException {
    LogSegment next = log.segments().after(ahead.segment());
    if (next == null || (next.isEmpty() && next.baseOffset() == nextOffset)) {
      return false;
    }
    // Also an empty one behind a hole: the cursor passes the hole with that.
    if (ahead != reader) {
      ahead.close();
    }
    ahead = new SegmentReader(log.context().files(), next);
    position = SegmentHeader.SIZE;
    nextOffset = next.baseOffset();
    window.limit(0);
    return !next.isEmpty();
  }

  private void fillWindow() throws IOException {
    long at = position - windowStart;
    if (at >= 0 && at + LogBatchHeader.SIZE <= window.limit()) {
      return;
    }
    window.clear();
    window.limit((int) Math.min(WINDOW, ahead.segment().size() - position));
    ahead.read(window, position);
    window.flip();
    windowStart = position;
  }

  /** Header of the current batch, verified. Valid until the next move. */
  public LogBatchHeader header() {
    LogBatchHeader header = current;
    if (header == null) {
      throw new IllegalStateException("The cursor on " + log.bucket() + " stands on no batch");
    }
    return header;
  }

  /** Fills the target from the current batch, from so many bytes after its start. */
  public void read(int offset, ByteBuffer target) {
    LogBatchHeader header = header();
    int wanted = target.remaining();
    if (offset < 0 || (long) offset + wanted > header.length()) {
      throw new IllegalArgumentException(
          "Read of " + wanted + " bytes at " + offset + " leaves the batch of " + header.length());
    }
    SegmentDirectory known = currentDirectory;
    if (known != null && currentEntry >= 0 && known.read(currentEntry, offset, target)) {
      return;
    }
    int start = target.position();
    readFile(offset, target, wanted);
    if (learns && offset == LogBatchHeader.SIZE && wanted == header.sectionsLength()) {
      byte[] sections = new byte[wanted];
      target.get(start, sections);
      seen = sections;
    }
  }

  private void readFile(int offset, ByteBuffer target, int wanted) {
    long from = currentPosition + offset;
    long inWindow = from - windowStart;
    if (ahead == reader && inWindow >= 0 && inWindow + wanted <= window.limit()) {
      target.put(window.slice((int) inWindow, wanted));
      return;
    }
    int read;
    try {
      read = reader.read(target, from);
    } catch (IOException e) {
      requireNotCut();
      throw BucketLog.storageError("Cannot read " + location(), e);
    }
    // A batch that is taken back while it is read is no damage.
    requireNotCut();
    if (read < wanted) {
      throw corruption(offset, wanted + " bytes", "the end of the file after " + read);
    }
  }

  private void requireNotCut() {
    if (log.rewrites() != rewrites && header().nextOffset() > reader.segment().lowestCut()) {
      throw LogSegments.cut(header().baseOffset(), log.endOffset());
    }
  }

  /** The failure that says where in the current batch bytes are damaged. */
  public SluiceException corruption(int offset, String expected, String found) {
    return Corruption.at(file(), currentPosition + offset, expected, found);
  }

  /** Base offset of the next batch, or where it will be. */
  public long nextOffset() {
    return nextOffset;
  }

  /** File and position of the current batch. */
  public String location() {
    return file() + " at position " + currentPosition;
  }

  private Path file() {
    return reader.segment().path();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      publish();
      reader.close();
      ahead.close();
      log.cursors().decrementAndGet();
    }
  }
}
