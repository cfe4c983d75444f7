package io.sluice.tablet.log;

import io.sluice.format.batch.LogBatchHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One {@code .log} file: a header and batches back to back. One thread appends; any thread reads
 * what lies below {@link #size()}.
 */
final class LogSegment {
  static final String LOG_SUFFIX = ".log";
  static final String INDEX_SUFFIX = ".index";

  private static final int OFFSET_DIGITS = 20;

  private final OpenFiles files;
  private final Supplier<Path> directory;
  private final SharedFile readFile;
  private final SharedFile writeFile;
  private final long baseOffset;

  private volatile int size;
  private volatile long endOffset;
  private volatile long firstTimeMs;
  private volatile long lastTimeMs;
  private volatile @Nullable SegmentIndex index;
  private volatile boolean indexUsed;
  private volatile @Nullable Seal seal;
  private volatile boolean named;
  private volatile boolean deleted;
  private volatile @Nullable Cut cut;

  /**
   * What is left to do for a sealed segment once it is forced.
   *
   * @param writersOffset offset the writer state is as of: the segment's end or later
   * @param writers writer state as of then
   */
  record Seal(long writersOffset, ByteBuffer writers) {}

  /**
   * Why a segment is not one of its log any more, although nothing was deleted below it.
   *
   * @param offset from here on the log was taken back; -1 when all of it was
   * @param successor the active segment since then
   */
  record Cut(long offset, LogSegment successor) {}

  /** A segment whose contents are known: see {@link #describe}. */
  LogSegment(OpenFiles files, Supplier<Path> directory, long baseOffset) {
    this.files = files;
    this.directory = directory;
    this.baseOffset = baseOffset;
    this.endOffset = baseOffset;
    this.readFile = SharedFile.reading(directory, logName(baseOffset));
    this.writeFile = SharedFile.writing(directory, logName(baseOffset));
  }

  /** Name of the {@code .log} file that starts at an offset. */
  static String logName(long baseOffset) {
    return digits(baseOffset) + LOG_SUFFIX;
  }

  /** An offset as file names have it. */
  static String digits(long offset) {
    String digits = Long.toString(offset);
    return "0".repeat(OFFSET_DIGITS - digits.length()) + digits;
  }

  /** The offset that a file name begins with, 20 digits and nothing else; -1 when it does not. */
  static long offsetOf(String digits) {
    if (digits.length() != OFFSET_DIGITS) {
      return -1;
    }
    for (int i = 0; i < OFFSET_DIGITS; i++) {
      if (digits.charAt(i) < '0' || digits.charAt(i) > '9') {
        return -1;
      }
    }
    return Long.parseLong(digits);
  }

  /**
   * Creates the file with its header, in place of one that is there; when that fails, there is none
   * afterwards. A file left behind would be in the way of the batches that the segment before it
   * still takes.
   *
   * @throws BrokenSegmentException when the failed file cannot be removed
   */
  static LogSegment create(
      OpenFiles files, FileOpener opener, Supplier<Path> directory, SegmentHeader header)
      throws IOException {
    LogSegment segment = empty(files, directory, header.baseOffset());
    segment.createFile(opener, header);
    return segment;
  }

  /** A segment without batches, whose file is to be made. */
  static LogSegment empty(OpenFiles files, Supplier<Path> directory, long baseOffset) {
    LogSegment segment = new LogSegment(files, directory, baseOffset);
    segment.describe(SegmentHeader.SIZE, baseOffset, 0, 0, new SegmentIndex());
    return segment;
  }

  /** Makes the file of an empty segment; see {@link #create}. */
  void createFile(FileOpener opener, SegmentHeader header) throws IOException {
    try (FileChannel channel =
        opener.open(
            path(),
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      DurableFiles.writeFully(channel, new ByteBuffer[] {header.encode()}, 1);
    } catch (IOException e) {
      removeFailed(path(), e);
      throw e;
    }
  }

  private static void removeFailed(Path file, IOException cause) throws BrokenSegmentException {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      cause.addSuppressed(e);
      throw new BrokenSegmentException(file, 0, cause);
    }
  }

  /** Sets what recovery or the index file told of the contents. */
  void describe(
      int newSize,
      long newEndOffset,
      long newFirstTimeMs,
      long newLastTimeMs,
      @Nullable SegmentIndex newIndex) {
    index = newIndex;
    firstTimeMs = newFirstTimeMs;
    lastTimeMs = newLastTimeMs;
    size = newSize;
    endOffset = newEndOffset;
  }

  /**
   * Appends one batch: all of it or, when the file fails, nothing.
   *
   * @param buffers the batch's bytes in order; their positions move
   * @param count buffers to write
   * @param header the batch's header, stamped
   * @param indexIntervalBytes distance of index entries
   * @throws BrokenSegmentException when a part was written and could not be cut off again
   */
  void append(ByteBuffer[] buffers, int count, LogBatchHeader header, int indexIntervalBytes)
      throws IOException {
    int position = size;
    write(buffers, count, position);
    activeIndex().addIfFar(header, baseOffset, position, indexIntervalBytes);
    if (position == SegmentHeader.SIZE) {
      firstTimeMs = header.appendTimeMs();
    }
    lastTimeMs = header.appendTimeMs();
    size = position + header.length();
    endOffset = header.nextOffset();
  }

  /**
   * Appends stored batches as they are, with one write: all of them or, when the file fails, none.
   *
   * @param batches one or more whole batches back to back; its position moves to its limit
   * @throws BrokenSegmentException when a part was written and could not be cut off again
   */
  void appendStored(ByteBuffer batches, int indexIntervalBytes) throws IOException {
    int position = size;
    ByteBuffer all = batches.duplicate();
    write(new ByteBuffer[] {batches}, 1, position);
    long end = endOffset;
    long time = lastTimeMs;
    while (all.hasRemaining()) {
      LogBatchHeader header = LogBatchHeader.wrap(all);
      activeIndex().addIfFar(header, baseOffset, position, indexIntervalBytes);
      time = header.appendTimeMs();
      if (position == SegmentHeader.SIZE) {
        firstTimeMs = time;
      }
      position += header.length();
      end = header.nextOffset();
      all.position(all.position() + header.length());
    }
    lastTimeMs = time;
    size = position;
    endOffset = end;
  }

  private void write(ByteBuffer[] buffers, int count, int position) throws IOException {
    OpenFiles.Opened opened = files.acquire(writeFile);
    try {
      try {
        opened.channel.position(position);
        DurableFiles.writeFully(opened.channel, buffers, count);
      } catch (IOException e) {
        cutBack(opened.channel, position, e);
        throw e;
      }
    } finally {
      files.release(opened);
    }
  }

  private void cutBack(FileChannel channel, int position, IOException cause)
      throws BrokenSegmentException {
    try {
      channel.truncate(position);
    } catch (IOException e) {
      cause.addSuppressed(e);
      throw new BrokenSegmentException(path(), position, cause);
    }
  }

  private SegmentIndex activeIndex() {
    SegmentIndex current = index;
    if (current == null) {
      throw new IllegalStateException("The index of active segment " + path() + " is not loaded");
    }
    return current;
  }

  /** Forces all that is written, and the file's name the first time. */
  void force(FileOpener opener) throws IOException {
    if (!named) {
      DurableFiles.forceDirectory(opener, directory.get());
    }
    OpenFiles.Opened opened = files.acquire(writeFile);
    try {
      opened.channel.force(true);
    } finally {
      files.release(opened);
    }
    named = true;
  }

  /** Cuts the file to what of it counts, and forces the cut. */
  void truncate() throws IOException {
    OpenFiles.Opened opened = files.acquire(writeFile);
    try {
      opened.channel.truncate(size);
      opened.channel.force(true);
    } finally {
      files.release(opened);
    }
  }

  /** The index, loaded when it was not; null when its file is missing or damaged. */
  @Nullable SegmentIndex loadIndex(FileOpener opener) throws IOException {
    SegmentIndex current = index;
    if (current == null) {
      current = loadOnce(opener);
    }
    if (!indexUsed) {
      indexUsed = true;
    }
    return current;
  }

  /** One index for all: the owner adds to the one that readers see. */
  private synchronized @Nullable SegmentIndex loadOnce(FileOpener opener) throws IOException {
    if (index == null) {
      SegmentIndex loaded = SegmentIndexFile.load(opener, indexPath(), baseOffset);
      if (loaded != null) {
        setIndex(loaded);
      }
    }
    return index;
  }

  /** Whether the index is in memory. */
  boolean hasIndex() {
    return index != null;
  }

  /** Sets an index that was loaded or rebuilt. */
  void setIndex(SegmentIndex loaded) {
    firstTimeMs = loaded.firstTimeMs();
    index = loaded;
  }

  /**
   * Saves the index, when it is loaded, of a segment that is forced. One that is being deleted or
   * cut gets none: it would tell of what is no longer there.
   */
  synchronized void saveIndex(FileOpener opener) throws IOException {
    SegmentIndex current = index;
    if (current != null && !deleted) {
      SegmentIndexFile.write(opener, indexPath(), head(current.count()), current);
    }
  }

  private SegmentIndexFile.Head head(int entries) {
    return new SegmentIndexFile.Head(baseOffset, endOffset, size, lastTimeMs, entries);
  }

  /** What the segment holds now, to be saved when that is forced. By who appends to it. */
  SegmentIndexFile.Part part() {
    SegmentIndex current = activeIndex();
    return new SegmentIndexFile.Part(head(current.count()), current.stored());
  }

  /** Lets the index be loaded from its file when it is next needed. */
  synchronized void unloadIndex() {
    index = null;
  }

  /** Unloads an index that nobody has asked for since the last call. */
  void unloadUnused() {
    if (indexUsed) {
      indexUsed = false;
    } else if (index != null) {
      unloadIndex();
    }
  }

  /** Says that nothing will be appended any more and what is to be saved once it is forced. */
  void seal(Seal toSave) {
    seal = toSave;
  }

  /** What is to be saved once this is forced; null when it is not sealed or all is saved. */
  @Nullable Seal pendingSeal() {
    return seal;
  }

  /** Says that index and writer state are saved. */
  void sealed() {
    seal = null;
  }

  SharedFile readFile() {
    return readFile;
  }

  Path path() {
    return readFile.path();
  }

  Path indexPath() {
    return directory.get().resolve(digits(baseOffset) + INDEX_SUFFIX);
  }

  long baseOffset() {
    return baseOffset;
  }

  /** Offset after the last record. */
  long endOffset() {
    return endOffset;
  }

  /** Bytes of the file that hold the header and whole batches. */
  int size() {
    return size;
  }

  /** Append time of the first batch, 0 when there is none or it is not known. */
  long firstTimeMs() {
    return firstTimeMs;
  }

  /** Append time of the last batch, 0 when there is none. */
  long lastTimeMs() {
    return lastTimeMs;
  }

  /** Entries of the loaded index, 0 when it is not loaded. */
  int indexEntries() {
    SegmentIndex current = index;
    return current == null ? 0 : current.count();
  }

  boolean isEmpty() {
    return size <= SegmentHeader.SIZE;
  }

  /**
   * The active segment that takes the place of this one when the log is cut inside it: the same
   * file, of which the first part counts. Who reads this one learns of it by {@link #cut}.
   */
  LogSegment successor(int newSize, long newEndOffset, long newLastTimeMs, SegmentIndex whole) {
    LogSegment successor = new LogSegment(files, directory, baseOffset);
    SegmentIndex kept = whole.below(newSize);
    successor.describe(newSize, newEndOffset, kept.firstTimeMs(), newLastTimeMs, kept);
    successor.named = named;
    return successor;
  }

  /** Says that the log was cut in this segment or below it; before a byte of it changes. */
  synchronized void cut(Cut newCut) {
    deleted = true;
    cut = newCut;
    files.directories().forget(this);
  }

  /** Whether the log was cut in this segment or below it. */
  boolean isCut() {
    return cut != null;
  }

  /** The lowest offset that the log was cut at since this was one of its segments. */
  long lowestCut() {
    long lowest = Long.MAX_VALUE;
    for (Cut each = cut; each != null; each = each.successor().cut) {
      lowest = Math.min(lowest, each.offset());
    }
    return lowest;
  }

  /**
   * Removes both files, the segment itself last: an index alone would speak of a lost segment. Who
   * has it open reads on.
   */
  void delete(FileOpener opener) throws IOException {
    setDeleted();
    opener.delete(indexPath());
    opener.delete(path());
    // After the files: one who opens the segment now finds none, and leaves no channel behind.
    close();
  }

  private synchronized void setDeleted() {
    deleted = true;
  }

  /** Whether this was deleted or replaced: nothing need be kept of it. */
  boolean deleted() {
    return deleted;
  }

  /** Forgets the open channels and what is known of the batches. */
  void close() {
    files.directories().forget(this);
    files.drop(readFile);
    files.drop(writeFile);
  }
}
