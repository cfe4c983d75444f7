package io.sluice.tablet.log;

import io.sluice.common.TimeSource;

/**
 * What the log takes from the machine.
 *
 * @param time clocks
 * @param files opens files
 * @param disk free space
 */
public record StoragePlatform(TimeSource time, FileOpener files, DiskSpace disk) {
  /** The machine's files and disk with the given clocks. */
  public static StoragePlatform of(TimeSource time) {
    return new StoragePlatform(time, FileOpener.SYSTEM, DiskSpace.SYSTEM);
  }
}
