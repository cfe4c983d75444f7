package io.sluice.cli.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** CPU time a process has used so far, user and system, from {@code /proc/PID/stat}. */
public final class ProcessCpu {
  /** Linux reports these times in ticks of 10 ms to programs, whatever the kernel's own rate. */
  private static final double TICKS_PER_SECOND = 100;

  /** Fields counted from the one after the command's name in parentheses, which is field 3. */
  private static final int USER_TIME = 14 - 3;

  private static final int SYSTEM_TIME = 15 - 3;

  private final Path stat;

  private ProcessCpu(Path stat) {
    this.stat = stat;
  }

  /** Of the process with this id. */
  public static ProcessCpu of(long pid) {
    return new ProcessCpu(Path.of("/proc", Long.toString(pid), "stat"));
  }

  /** Of this process. */
  public static ProcessCpu ofSelf() {
    return of(ProcessHandle.current().pid());
  }

  /** CPU seconds used so far. */
  public double seconds() throws IOException {
    return parseSeconds(Files.readString(stat));
  }

  /**
   * The command's name may hold spaces and parentheses, so fields are counted from the last one.
   */
  static double parseSeconds(String stat) throws IOException {
    int nameEnd = stat.lastIndexOf(')');
    String[] fields = stat.substring(nameEnd + 1).trim().split("\\s+");
    if (nameEnd < 0 || fields.length <= SYSTEM_TIME) {
      throw new IOException("Not the form of /proc/PID/stat: '" + stat.strip() + "'");
    }
    return (Long.parseLong(fields[USER_TIME]) + Long.parseLong(fields[SYSTEM_TIME]))
        / TICKS_PER_SECOND;
  }
}
