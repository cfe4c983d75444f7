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
  private volatile @Nullable Seal seal;
  private volatile boolean named;

  /**
   * What is left to do for a sealed segment once it is forced.
   *
   * @param writers writer state at its end, null when none is to be saved
   */
  record Seal(@Nullable ByteBuffer writers) {}

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
    return String.format("%020d", baseOffset) + LOG_SUFFIX;
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
    LogSegment segment = new LogSegment(files, directory, header.baseOffset());
    try (FileChannel channel =
        opener.open(
            segment.path(),
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      DurableFiles.writeFully(channel, new ByteBuffer[] {header.encode()}, 1);
    } catch (IOException e) {
      removeFailed(segment.path(), e);
      throw e;
    }
    segment.describe(SegmentHeader.SIZE, header.baseOffset(), 0, 0, new SegmentIndex());
    return segment;
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
    activeIndex().addIfFar(header, baseOffset, position, indexIntervalBytes);
    if (position == SegmentHeader.SIZE) {
      firstTimeMs = header.appendTimeMs();
    }
    lastTimeMs = header.appendTimeMs();
    size = position + header.length();
    endOffset = header.nextOffset();
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

  /** Cuts the file and forces the cut. */
  void truncate(int newSize) throws IOException {
    OpenFiles.Opened opened = files.acquire(writeFile);
    try {
      opened.channel.truncate(newSize);
      opened.channel.force(true);
    } finally {
      files.release(opened);
    }
  }

  /** The index, loaded when it was not; null when its file is missing or damaged. */
  @Nullable SegmentIndex loadIndex(FileOpener opener) throws IOException {
    SegmentIndex current = index;
    if (current == null) {
      current = SegmentIndexFile.load(opener, indexPath(), baseOffset);
      index = current;
    }
    return current;
  }

  /** Sets an index that was rebuilt. */
  void setIndex(SegmentIndex rebuilt) {
    index = rebuilt;
  }

  /** Saves the index, when it is loaded, of a segment that is forced. */
  void saveIndex(FileOpener opener) throws IOException {
    SegmentIndex current = index;
    if (current != null) {
      SegmentIndexFile.write(opener, indexPath(), head(current.count()), current);
    }
  }

  private SegmentIndexFile.Head head(int entries) {
    return new SegmentIndexFile.Head(baseOffset, endOffset, size, lastTimeMs, entries);
  }

  /** Lets the index be loaded from its file when it is next needed. */
  void unloadIndex() {
    index = null;
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
    return directory.get().resolve(String.format("%020d", baseOffset) + INDEX_SUFFIX);
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

  /** Forgets the open channels. */
  void close() {
    files.drop(readFile);
    files.drop(writeFile);
  }
}
