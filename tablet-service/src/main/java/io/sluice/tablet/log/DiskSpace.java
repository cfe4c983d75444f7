package io.sluice.tablet.log;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/** Tells how full the disk of a directory is. */
public interface DiskSpace {
  /** The machine's own answer. */
  DiskSpace SYSTEM =
      directory -> {
        FileStore store = Files.getFileStore(directory);
        long total = store.getTotalSpace();
        return total <= 0 ? 0 : 1 - (double) store.getUsableSpace() / total;
      };

  /** Used part of the disk, 0 to 1. */
  double usedPart(Path directory) throws IOException;
}
