package io.sluice.tablet.log;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;

/**
 * When a disk is too full to take writes.
 *
 * @param refuseAbove used part of the disk, 0 to 1, above which writes are refused
 * @param acceptBelow used part below which they are accepted again
 */
public record DiskLimits(double refuseAbove, double acceptBelow) {
  /** Refuse above 90 %, accept below 85 %. */
  public static final DiskLimits DEFAULT = new DiskLimits(0.90, 0.85);

  public DiskLimits {
    if (!(acceptBelow > 0 && acceptBelow <= refuseAbove && refuseAbove <= 1)) {
      throw new SluiceException(
          ErrorCode.INVALID_OPTION,
          "Disk limits refuse above "
              + refuseAbove
              + " and accept below "
              + acceptBelow
              + "; they must be 0 < accept <= refuse <= 1");
    }
  }
}
