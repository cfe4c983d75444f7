package io.sluice.cli.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Memory and open files of a process, from {@code /proc/PID}. */
public final class ProcessResources {
  private static final String RESIDENT = "VmRSS:";

  private final Path directory;

  private ProcessResources(Path directory) {
    this.directory = directory;
  }

  /** Of the process with this id. */
  public static ProcessResources of(long pid) {
    return new ProcessResources(Path.of("/proc", Long.toString(pid)));
  }

  /** Bytes of memory that it holds (resident set). */
  public long residentBytes() throws IOException {
    return parseResidentBytes(Files.readAllLines(directory.resolve("status")));
  }

  /** The line is {@code VmRSS: 123456 kB}. */
  static long parseResidentBytes(List<String> status) throws IOException {
    for (String line : status) {
      if (line.startsWith(RESIDENT)) {
        return Long.parseLong(line.substring(RESIDENT.length()).strip().split("\\s+")[0]) * 1024;
      }
    }
    throw new IOException("No " + RESIDENT + " in the status of the process");
  }

  /** Files, sockets and the like that it has open. */
  public long openFiles() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("fd"))) {
      return files.count();
    }
  }
}
