package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;

/**
 * Ids that were granted and are nobody else's.
 *
 * @param first the first of them, at least 1
 * @param count how many they are, at least 1
 */
public record IdRange(long first, long count) {
  public IdRange {
    if (first < 1 || count < 1 || first > Long.MAX_VALUE - count) {
      throw new SluiceException(
          ErrorCode.INTERNAL, "A grant of " + count + " ids from " + first + " cannot be");
    }
  }
}
