package io.sluice.cli.bench.compare;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;

/**
 * The pause between two windows that write much, so that none pays for the one before, or for the
 * machine: what was written is on the disk, its files are gone, and there is memory for the next
 * one's.
 */
final class DiskRest {
  /** Every product deletes the files of a dropped table within so long. */
  private static final long DROPPED_MS = 2_500;

  private static final long LONGEST_SECONDS = 120;

  /** More than what a window writes. */
  private static final long MEMORY_BYTES = 2L << 30;

  private static final int WRITE_BYTES = 1 << 20;

  private DiskRest() {}

  /**
   * Returns when everything that was written until now is on the disk, and the file cache has had
   * {@code MEMORY_BYTES} a moment ago: the host of a virtual machine takes free memory back, and
   * gives it page by page to whoever writes next, at up to half a CPU second for a gigabyte.
   */
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
    haveMemory();
  }

  /** Writes a file that is gone again, with what it had in the file cache, before it is stored. */
  private static void haveMemory() throws IOException {
    Path file = Files.createTempFile("sluice-bench-", ".memory");
    ByteBuffer bytes = ByteBuffer.allocateDirect(WRITE_BYTES);
    try (FileChannel written =
        FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE)) {
      for (long at = 0; at < MEMORY_BYTES; at += WRITE_BYTES) {
        bytes.clear();
        while (bytes.hasRemaining()) {
          written.write(bytes);
        }
      }
    }
  }
}
