package io.sluice.tablet.log;

import io.sluice.common.SluiceException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The {@code writers-<offset>.snapshot} files of a log; the newest few are kept. The files that
 * were there are told one by one, as one look at the directory serves all of a log's files. Owned
 * by {@link LogForcing}.
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

  /** Takes in a file of the directory when it is a snapshot. */
  boolean found(String name) {
    if (!name.startsWith(PREFIX) || !name.endsWith(SUFFIX)) {
      return false;
    }
    long offset =
        LogSegment.offsetOf(name.substring(PREFIX.length(), name.length() - SUFFIX.length()));
    return offset >= 0 && offsets.add(offset);
  }

  /** Saves the states as of an offset and removes those no longer needed. */
  void save(long offset, ByteBuffer snapshot) throws IOException {
    file(offset).write(snapshot);
    offsets.add(offset);
    while (offsets.size() > KEPT) {
      remove(offsets.first());
    }
  }

  /** The newest good snapshot at or below an offset; empty states at the given start if none. */
  Loaded load(long atMost, long logStart) throws IOException {
    for (long offset : offsets.descendingSet()) {
      if (offset <= atMost && offset >= logStart) {
        try {
          ByteBuffer payload = file(offset).read();
          if (payload != null && payload.getLong(0) == offset) {
            return new Loaded(offset, WriterStates.of(payload));
          }
        } catch (SluiceException damaged) {
          log.warn(
              "Writer snapshot is not used; the log is read instead: {}", damaged.getMessage());
        }
      }
    }
    return new Loaded(logStart, new WriterStates());
  }

  /** Removes snapshots of what lies before the start of the log; the one at it stays. */
  void trimTo(long startOffset) throws IOException {
    while (!offsets.isEmpty() && offsets.first() < startOffset) {
      remove(offsets.first());
    }
  }

  /** Removes snapshots of what was cut off. */
  void cutTo(long endOffset) throws IOException {
    while (!offsets.isEmpty() && offsets.last() > endOffset) {
      remove(offsets.last());
    }
  }

  private void remove(long offset) throws IOException {
    Files.deleteIfExists(path(offset));
    offsets.remove(offset);
  }

  private Path path(long offset) {
    return directory.get().resolve(PREFIX + LogSegment.digits(offset) + SUFFIX);
  }

  private CheckedFile file(long offset) {
    return new CheckedFile(files, path(offset), MAGIC);
  }
}
