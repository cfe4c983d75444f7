package io.sluice.bench.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What processes of this machine had used at one moment, from {@code /proc}.
 *
 * @param nanos when, by {@link System#nanoTime}
 * @param client CPU seconds of this process
 * @param servers CPU seconds of the product's servers
 * @param machine CPU seconds of all programs together
 * @param loopbackBytes bytes that have gone over the loopback interface
 */
record Usage(long nanos, double client, double servers, double machine, long loopbackBytes) {
  /** Linux reports these times in ticks of 10 ms to programs, whatever the kernel's own rate. */
  private static final double TICKS_PER_SECOND = 100;

  /** Fields of {@code /proc/PID/stat} after the command's name, which is the second one. */
  private static final int USER_TIME = 14 - 3;

  private static final int SYSTEM_TIME = 15 - 3;

  /** Now. */
  static Usage now(int[] serverPids) throws IOException {
    double servers = 0;
    for (int pid : serverPids) {
      servers += processSeconds(Files.readString(Path.of("/proc", Integer.toString(pid), "stat")));
    }
    return new Usage(
        System.nanoTime(),
        processSeconds(Files.readString(Path.of("/proc/self/stat"))),
        servers,
        machineSeconds(Files.readString(Path.of("/proc/stat"))),
        loopbackBytes(Files.readAllLines(Path.of("/proc/self/net/dev"))));
  }

  /** User and system time of a process. Its name may hold blanks and parentheses. */
  static double processSeconds(String stat) {
    String[] fields = stat.substring(stat.lastIndexOf(')') + 1).trim().split("\\s+");
    return (Long.parseLong(fields[USER_TIME]) + Long.parseLong(fields[SYSTEM_TIME]))
        / TICKS_PER_SECOND;
  }

  /** User, nice and system time of all processors: the first three figures of the first line. */
  static double machineSeconds(String stat) {
    String[] fields = stat.substring(0, stat.indexOf('\n')).trim().split("\\s+");
    return (Long.parseLong(fields[1]) + Long.parseLong(fields[2]) + Long.parseLong(fields[3]))
        / TICKS_PER_SECOND;
  }

  /** Received bytes of the interface {@code lo}; what it sends, it receives. */
  static long loopbackBytes(List<String> lines) {
    for (String line : lines) {
      String text = line.trim();
      if (text.startsWith("lo:")) {
        return Long.parseLong(text.substring("lo:".length()).trim().split("\\s+")[0]);
      }
    }
    return 0;
  }
}
