package io.sluice.systemtests.replicated;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A small file system in memory in the place of a server's data directory, which can be filled.
 * Only root may mount one.
 */
final class SmallDisk implements AutoCloseable {
  private static final int SECONDS = 10;
  private static final int CHUNK = 1 << 20;

  private final Path directory;
  private final Path filler;
  private boolean mounted = true;

  private SmallDisk(Path directory) {
    this.directory = directory;
    this.filler = directory.resolve("filler");
  }

  /** Thrown where none can be mounted. */
  static final class Unavailable extends Exception {
    private static final long serialVersionUID = 1;

    Unavailable(String why) {
      super(why);
    }
  }

  /** Mounts a file system of that size. */
  static SmallDisk mount(Path directory, int megabytes) throws Unavailable {
    try {
      Files.createDirectories(directory);
      run("mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", "none", directory.toString());
      return new SmallDisk(directory);
    } catch (IOException e) {
      throw new Unavailable("Cannot mount a small file system: " + e.getMessage());
    }
  }

  /** Takes all the space but a megabyte. */
  void fill() {
    try (OutputStream out = Files.newOutputStream(filler)) {
      byte[] chunk = new byte[CHUNK];
      while (Files.getFileStore(directory).getUsableSpace() > 2 * CHUNK) {
        out.write(chunk);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot fill " + directory, e);
    }
  }

  /** Gives the space back. */
  void free() {
    try {
      Files.deleteIfExists(filler);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot free " + directory, e);
    }
  }

  /** Unmounts it, also under processes that still use it. Twice is harmless. */
  @Override
  public void close() {
    if (mounted) {
      mounted = false;
      try {
        run("umount", "-l", directory.toString());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static void run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IOException(String.join(" ", command) + " does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted during " + String.join(" ", command), e);
    }
    if (process.exitValue() != 0) {
      throw new IOException(new String(process.getInputStream().readAllBytes()).strip());
    }
  }
}
