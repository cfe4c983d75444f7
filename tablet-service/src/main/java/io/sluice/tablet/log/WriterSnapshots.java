package io.sluice.tablet.log;

import io.sluice.common.SluiceException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The {@code writers-<offset>.snapshot} files of a log. The one where a segment begins is kept as
 * long as that segment, so that the log can be cut anywhere and can tell how it begins; of the
 * others the newest few. The files that were there are told one by one, as one look at the
 * directory serves all of a log's files. Owned by {@link LogForcing}.
 */
final class WriterSnapshots {
  private static final Logger log = LoggerFactory.getLogger(WriterSnapshots.class);
  private static final String MAGIC = "SLUCWRIT";
  private static final String PREFIX = "writers-";
  private static final String SUFFIX = ".snapshot";
  private static final int KEPT = 2;

  private final FileOpener files;
  private final Supplier<Path> directory;
  private final TreeSet<Long> offsets = new TreeSet<>();

  /**
   * The states as of an offset.
   *
   * @param offset batches from here on are not in them
   * @param states the states
   */
  record Loaded(long offset, WriterStates states) {}

  WriterSnapshots(FileOpener files, Supplier<Path> directory) {
    this.files = files;
    this.directory = directory;
  }

  /** Whether a file of that name is a snapshot. */
  static boolean isSnapshot(String name) {
    return offsetOf(name) >= 0;
  }

  private static long offsetOf(String name) {
    return name.startsWith(PREFIX) && name.endsWith(SUFFIX)
        ? LogSegment.offsetOf(name.substring(PREFIX.length(), name.length() - SUFFIX.length()))
        : -1;
  }

  /** Takes in a file of the directory when it is a snapshot. */
  boolean found(String name) {
    long offset = offsetOf(name);
    return offset >= 0 && offsets.add(offset);
  }

  /** Forgets all: their files are gone. */
  void clear() {
    offsets.clear();
  }

  /**
   * Saves the states as of an offset and removes those no longer needed.
   *
   * @param segmentBase whether a segment begins at an offset
   */
  void save(long offset, ByteBuffer snapshot, LongPredicate segmentBase) throws IOException {
    file(offset).write(snapshot);
    offsets.add(offset);
    int newer = 0;
    for (long each : List.copyOf(offsets.descendingSet())) {
      if (++newer > KEPT && !segmentBase.test(each)) {
        remove(each);
      }
    }
  }

  /** Whether there is one as of that offset. */
  boolean has(long offset) {
    return offsets.contains(offset);
  }

  /**
   * The states where the log begins. When their file is lost, those writers of the next one that
   * did not write since.
   */
  WriterStates loadFirst(long logStart) throws IOException {
    for (long offset : logStart == 0 ? List.<Long>of() : List.copyOf(offsets.tailSet(logStart))) {
      WriterStates found = read(offset);
      if (found != null) {
        return offset == logStart ? found : found.below(logStart);
      }
    }
    return new WriterStates();
  }

  /** The newest good snapshot at or below an offset; the states at the given start if none. */
  Loaded load(long atMost, long logStart) throws IOException {
    for (long offset : offsets.descendingSet()) {
      WriterStates found = offset <= atMost && offset >= logStart ? read(offset) : null;
      if (found != null) {
        return new Loaded(offset, found);
      }
    }
    return new Loaded(logStart, loadFirst(logStart));
  }

  private @Nullable WriterStates read(long offset) throws IOException {
    try {
      ByteBuffer payload = file(offset).read();
      return payload != null && payload.getLong(0) == offset ? WriterStates.of(payload) : null;
    } catch (SluiceException damaged) {
      log.warn("Writer snapshot is not used; the log is read instead: {}", damaged.getMessage());
      return null;
    }
  }

  /** Removes snapshots of what lies before the start of the log; the one at it stays. */
  void trimTo(long startOffset) throws IOException {
    while (!offsets.isEmpty() && offsets.first() < startOffset) {
      remove(offsets.first());
    }
  }

  /**
   * Removes snapshots of what was cut off.
   *
   * @return whether there were any
   */
  boolean cutTo(long endOffset) throws IOException {
    boolean any = false;
    while (!offsets.isEmpty() && offsets.last() > endOffset) {
      remove(offsets.last());
      any = true;
    }
    return any;
  }

  private void remove(long offset) throws IOException {
    files.delete(path(offset));
    offsets.remove(offset);
  }

  private Path path(long offset) {
    return directory.get().resolve(PREFIX + LogSegment.digits(offset) + SUFFIX);
  }

  private CheckedFile file(long offset) {
    return new CheckedFile(files, path(offset), MAGIC);
  }
}
