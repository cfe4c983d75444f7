package io.sluice.lake.commit;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableOptions;

/**
 * Which lake tables belong to a Sluice table that tiers into them. Asked anew each time: a table
 * that was dropped a moment ago is free, one that was not is not.
 */
public final class ManagedTables {
  private final LakeRecord record;

  public ManagedTables(LakeRecord record) {
    this.record = record;
  }

  /**
   * Whether the Sluice table of that id exists and tiers into the lake; false for 0. UNAVAILABLE or
   * TIMEOUT when no coordinator answers.
   */
  public boolean isManaged(long tableId) {
    if (tableId == 0) {
      return false;
    }
    try {
      return TableOptions.lakeEnabled(record.table(tableId).getOptionsMap());
    } catch (SluiceException e) {
      return missing(e);
    }
  }

  /** Whether a Sluice table of that name tiers, or will tier, into a lake table of that name. */
  public boolean isReserved(String database, String table) {
    try {
      return TableOptions.lakeEnabled(record.table(database, table).getOptionsMap());
    } catch (SluiceException e) {
      return missing(e);
    }
  }

  private static boolean missing(SluiceException failure) {
    boolean none =
        failure.code() == ErrorCode.TABLE_NOT_FOUND
            || failure.code() == ErrorCode.DATABASE_NOT_FOUND
            || failure.code() == ErrorCode.INVALID_NAME;
    if (none) {
      return false;
    }
    throw failure;
  }
}
