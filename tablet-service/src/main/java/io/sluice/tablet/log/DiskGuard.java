package io.sluice.tablet.log;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says whether the data disk takes writes. Open → full when used above {@link
 * DiskLimits#refuseAbove()} or when a write found no space; full → open when used below {@link
 * DiskLimits#acceptBelow()}. Of one data directory. One thread checks, any asks.
 */
public final class DiskGuard {
  private static final Logger log = LoggerFactory.getLogger(DiskGuard.class);

  private final DiskLimits limits;
  private final DiskSpace space;
  private final Path directory;
  private volatile double usedPart;
  private volatile boolean full;

  public DiskGuard(DiskLimits limits, DiskSpace space, Path directory) {
    this.limits = limits;
    this.space = space;
    this.directory = directory;
  }

  /** Looks at the disk. When it cannot be read, the last answer stands. */
  public void check() {
    double used;
    try {
      used = space.usedPart(directory);
    } catch (IOException e) {
      log.warn("Cannot tell how full the disk of {} is", directory, e);
      return;
    }
    usedPart = used;
    if (full && used < limits.acceptBelow()) {
      full = false;
      log.info("Disk of {} is {} full: writes are accepted again", directory, percent(used));
    } else if (!full && used > limits.refuseAbove()) {
      full = true;
      log.warn("Disk of {} is {} full: writes are refused", directory, percent(used));
    }
  }

  /**
   * A write found no space, whatever the disk says of itself (a quota, blocks kept for others):
   * refuse others until the next check finds room, which lets a write try again.
   */
  public void foundNoSpace() {
    if (!full) {
      full = true;
      log.warn("A write found no space on the disk of {}: writes are refused", directory);
    }
  }

  /** Used part of the disk at the last check, 0 to 1. */
  public double usedPart() {
    return usedPart;
  }

  /** The data directory whose disk this is. */
  public Path directory() {
    return directory;
  }

  /** What the guard goes by. */
  public DiskLimits limits() {
    return limits;
  }

  /** Whether writes are refused. */
  public boolean full() {
    return full;
  }

  /** The refusal of a write. */
  public SluiceException refusal(String what) {
    return new SluiceException(
        ErrorCode.DISK_FULL,
        "Cannot append to "
            + what
            + ": the disk of "
            + directory
            + " is "
            + percent(usedPart)
            + " full; writes are refused until it is below "
            + percent(limits.acceptBelow()));
  }

  private static String percent(double part) {
    return String.format(Locale.ROOT, "%.1f %%", part * 100);
  }
}
