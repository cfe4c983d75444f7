package io.sluice.tablet.log;

import io.sluice.testkit.FaultyFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;

/**
 * Files of a process that is killed before it opens or deletes one of them: from then on every use
 * fails. Nothing is forced, as a kill leaves the page cache.
 */
final class KillingFiles implements FileOpener {
  private final FaultyFiles files = new FaultyFiles().withoutForcing();
  private int left = Integer.MAX_VALUE;

  /** The process is killed. */
  static final class Killed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Killed() {
      super("killed", null, false, false);
    }
  }

  /** Kills after so many more files. */
  void killAfter(int count) {
    left = count;
  }

  /** Another process uses the files. */
  void live() {
    left = Integer.MAX_VALUE;
  }

  private void use() {
    if (left != Integer.MAX_VALUE && left-- <= 0) {
      left = 0;
      throw new Killed();
    }
  }

  @Override
  public FileChannel open(Path path, OpenOption... options) throws IOException {
    use();
    return files.open(path, options);
  }

  @Override
  public boolean delete(Path path) throws IOException {
    use();
    return Files.deleteIfExists(path);
  }
}
