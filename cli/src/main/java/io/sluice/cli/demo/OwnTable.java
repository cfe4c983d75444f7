package io.sluice.cli.demo;

import io.sluice.cli.CliException;
import io.sluice.client.Admin;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;

/**
 * A table that the demo makes, and drops when it runs again; one of somebody else it never drops.
 *
 * @param path its name
 * @param comment marks it as made by the demo
 * @param inLake whether a copy of it is in the lake
 */
record OwnTable(TablePath path, String comment, boolean inLake) {
  /** Whether an earlier demo left it. Fails when there is a table of somebody else. */
  boolean isThere(Admin admin) {
    try {
      if (!admin.describe(path).comment().equals(comment)) {
        throw new CliException(
            "Table " + path + " exists and was not made by the demo",
            "Rename it, or drop it with ./sluice drop " + path + " if nobody needs it.");
      }
      return true;
    } catch (SluiceException e) {
      if (e.code() == ErrorCode.TABLE_NOT_FOUND || e.code() == ErrorCode.DATABASE_NOT_FOUND) {
        return false;
      }
      throw e;
    }
  }
}
