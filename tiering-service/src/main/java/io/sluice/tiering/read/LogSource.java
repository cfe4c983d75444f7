package io.sluice.tiering.read;

import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;

/** The logs of tables. Thread-safe. */
public interface LogSource {
  /**
   * The table as it is now.
   *
   * @throws SluiceException TABLE_CHANGED when the table of that name is another one, else what the
   *     coordinator or a tablet says
   */
  TableLog open(TablePath path, long tableId);
}
