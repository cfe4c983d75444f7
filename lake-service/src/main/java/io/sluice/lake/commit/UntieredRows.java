package io.sluice.lake.commit;

import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;

/** Knows the rows of a table that are not in the lake yet. */
public interface UntieredRows {
  /** Every row is in the lake. */
  long NONE = -1;

  /**
   * When the oldest row at or beyond these offsets was stored, epoch milliseconds, {@link #NONE}
   * when there is none. Blocks for a bounded time.
   *
   * @throws SluiceException when a server does not say
   */
  long oldestMs(TablePath table, LakeOffsets offsets);
}
