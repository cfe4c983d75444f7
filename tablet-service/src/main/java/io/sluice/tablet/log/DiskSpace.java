package io.sluice.tablet.log;

import java.io.IOException;
import java.nio.file.Path;

/** Tells how full the disk of a directory is. */
public interface DiskSpace {
  /** The machine's own answer. */
  DiskSpace SYSTEM = new SystemDiskSpace();

  /** Used part of the disk, 0 to 1. */
  double usedPart(Path directory) throws IOException;
}
