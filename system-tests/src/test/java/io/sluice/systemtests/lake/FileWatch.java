package io.sluice.systemtests.lake;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Sees new files in a folder, which need not be there yet. */
final class FileWatch {
  private static final long PAUSE_NANOS = 200_000;

  private final Path folder;
  private final Set<String> known;

  private FileWatch(Path folder) {
    this.folder = folder;
    this.known = names();
  }

  /** Counts as known what is there now. */
  static FileWatch of(Path folder) {
    return new FileWatch(folder);
  }

  /** Whether a new file of such a name came within the time. */
  boolean await(Predicate<String> name, Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (System.nanoTime() < deadline) {
      for (String found : names()) {
        if (!known.contains(found) && name.test(found)) {
          return true;
        }
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    return false;
  }

  private Set<String> names() {
    Set<String> names = new HashSet<>();
    try (Stream<Path> files = Files.list(folder)) {
      files.forEach(file -> names.add(file.getFileName().toString()));
    } catch (NoSuchFileException notYet) {
      return names;
    } catch (IOException e) {
      throw new IllegalStateException("Cannot list " + folder, e);
    }
    return names;
  }
}
