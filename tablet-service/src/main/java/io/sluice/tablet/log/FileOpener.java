package io.sluice.tablet.log;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;

/** Opens and deletes the files of a data directory, so that a test can put faults into that. */
@FunctionalInterface
public interface FileOpener {
  /** The machine's own files. */
  FileOpener SYSTEM = FileChannel::open;

  /** As {@link FileChannel#open(Path, OpenOption...)}. */
  FileChannel open(Path path, OpenOption... options) throws IOException;

  /** Deletes a file when it is there. */
  default boolean delete(Path path) throws IOException {
    return Files.deleteIfExists(path);
  }
}
