package io.sluice.tablet.log;

import io.sluice.common.SluiceException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The {@code writers-<offset>.snapshot} files of a log; the newest few are kept. */
final class WriterSnapshots {
  private static final Logger log = LoggerFactory.getLogger(WriterSnapshots.class);
  private static final String MAGIC = "SLUCWRIT";
  private static final String PREFIX = "writers-";
  private static final String SUFFIX = ".snapshot";
  private static final int KEPT = 2;

  private final FileOpener files;
  private final Supplier<Path> directory;

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

  /** Saves the states as of an offset and removes those no longer needed. */
  void save(long offset, ByteBuffer snapshot) throws IOException {
    file(offset).write(snapshot);
    List<Long> offsets = offsets();
    for (int i = 0; i < offsets.size() - KEPT; i++) {
      Files.deleteIfExists(path(offsets.get(i)));
    }
  }

  /** The newest good snapshot at or below an offset; empty states at the given start if none. */
  Loaded load(long atMost, long logStart) throws IOException {
    List<Long> offsets = offsets();
    Collections.reverse(offsets);
    for (long offset : offsets) {
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

  /** Removes snapshots of what was cut off. */
  void cutTo(long endOffset) throws IOException {
    for (long offset : offsets()) {
      if (offset > endOffset) {
        Files.deleteIfExists(path(offset));
      }
    }
  }

  private List<Long> offsets() throws IOException {
    List<Long> offsets = new ArrayList<>();
    try (DirectoryStream<Path> all =
        Files.newDirectoryStream(directory.get(), PREFIX + "*" + SUFFIX)) {
      for (Path path : all) {
        String name = path.getFileName().toString();
        String digits = name.substring(PREFIX.length(), name.length() - SUFFIX.length());
        if (digits.matches("\\d{20}")) {
          offsets.add(Long.parseLong(digits));
        }
      }
    }
    Collections.sort(offsets);
    return offsets;
  }

  private Path path(long offset) {
    return directory.get().resolve(PREFIX + String.format("%020d", offset) + SUFFIX);
  }

  private CheckedFile file(long offset) {
    return new CheckedFile(files, path(offset), MAGIC);
  }
}
