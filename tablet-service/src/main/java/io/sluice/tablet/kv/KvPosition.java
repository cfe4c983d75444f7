package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;

/**
 * How far a store is.
 *
 * @param appliedOffset the store holds the fold of all changelog records below this offset
 * @param rowCount rows at that offset
 */
public record KvPosition(long appliedOffset, long rowCount) {
  static final KvPosition START = new KvPosition(0, 0);

  public KvPosition {
    if (appliedOffset < 0 || rowCount < 0) {
      throw new SluiceException(
          ErrorCode.CORRUPT_STORAGE,
          "A store with "
              + rowCount
              + " rows at offset "
              + appliedOffset
              + " cannot be: the changelog contradicts it");
    }
  }
}
