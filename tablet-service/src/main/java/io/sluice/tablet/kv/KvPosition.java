package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;

/**
 * How far a store is.
 *
 * @param appliedOffset the store holds the fold of all changelog records below this offset
 * @param rowCount rows at that offset, {@link #UNKNOWN_ROWS} when nobody knows: a record told of a
 *     row without telling whether it is new
 */
public record KvPosition(long appliedOffset, long rowCount) {
  /** The row count of a store whose changelog does not say which rows are new. */
  public static final long UNKNOWN_ROWS = -1;

  static final KvPosition START = new KvPosition(0, 0);

  public KvPosition {
    if (appliedOffset < 0 || rowCount < UNKNOWN_ROWS) {
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
