package io.sluice.tablet.log;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;

/** Opens every file of a data directory, so that a test can put faults into them. */
public interface FileOpener {
  /** The machine's own files. */
  FileOpener SYSTEM = FileChannel::open;

  /** As {@link FileChannel#open(Path, OpenOption...)}. */
  FileChannel open(Path path, OpenOption... options) throws IOException;
}
