package io.sluice.lake.union;

import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;

/** What the SQL engine asks lake-service. Calls block within a deadline. Thread-safe. */
public interface Lake {
  /**
   * The files and offsets of the table's snapshot now.
   *
   * @throws SluiceException UNAVAILABLE or TIMEOUT when lake-service does not answer
   */
  LakeView view(long tableId);

  /** What lies in the lake under that name. */
  Leftover find(TablePath path);

  /** Drops the lake table of that name with its files. Returns whether there was one. */
  boolean purge(TablePath path);

  /**
   * A lake table found by name.
   *
   * @param exists whether there is one
   * @param tableId the Sluice table it was made for, 0 when it was made by somebody else
   * @param managed whether that table exists and tiers into it
   */
  record Leftover(boolean exists, long tableId, boolean managed) {}
}
