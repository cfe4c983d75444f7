package io.sluice.cli.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** When a process began, from {@code /proc}. */
public final class ProcessAge {
  /** Linux reports times in ticks of 10 ms to programs, whatever the kernel's own rate. */
  private static final double TICKS_PER_SECOND = 100;

  /** Field of the start time, counted from the one after the command's name, which is field 3. */
  private static final int START_TIME = 22 - 3;

  private static final double MS_PER_SECOND = 1e3;

  private ProcessAge() {}

  /**
   * When the process began, in milliseconds since 1970, within some 20 ms. The time of its start is
   * kept since the machine's, whose own time is known to the second only, so it goes by age.
   */
  public static double startEpochMs(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
    String uptime = Files.readString(Path.of("/proc/uptime"));
    return System.currentTimeMillis() - MS_PER_SECOND * ageSeconds(stat, uptime);
  }

  /**
   * @param stat text of {@code /proc/PID/stat}; the command's name may hold spaces and parentheses
   * @param uptime text of {@code /proc/uptime}
   */
  static double ageSeconds(String stat, String uptime) throws IOException {
    String[] fields = stat.substring(stat.lastIndexOf(')') + 1).trim().split("\\s+");
    String[] times = uptime.trim().split("\\s+");
    if (fields.length <= START_TIME) {
      throw new IOException("Not the form of /proc/PID/stat: '" + stat.strip() + "'");
    }
    return Double.parseDouble(times[0]) - Long.parseLong(fields[START_TIME]) / TICKS_PER_SECOND;
  }
}
