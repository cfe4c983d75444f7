package io.sluice.cli.bench.compare;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * The pause between two windows that write much, so that none pays for the one before: what that
 * wrote is on the disk, and its files, whose memory the next one needs, are gone.
 */
final class DiskRest {
  /** Every product deletes the files of a dropped table within so long. */
  private static final long DROPPED_MS = 2_500;

  private static final long LONGEST_SECONDS = 120;

  private DiskRest() {}

  /** Returns when everything that was written until now is on the disk. */
  static void await() throws IOException, InterruptedException {
    TimeUnit.MILLISECONDS.sleep(DROPPED_MS);
    Process sync = new ProcessBuilder("sync").inheritIO().start();
    if (!sync.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)) {
      sync.destroyForcibly();
      throw new IOException(
          "The disk has not taken what was written within " + LONGEST_SECONDS + " s");
    }
    if (sync.exitValue() != 0) {
      throw new IOException("sync ended with " + sync.exitValue());
    }
  }
}
