package io.sluice.cli.demo;

import io.sluice.cli.CliException;
import io.sluice.client.Admin;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;

/** Drops what an earlier demo left, and never a table of somebody else. */
final class OwnTables {
  private OwnTables() {}

  /**
   * Drops the table when there is one.
   *
   * @param comment the comment that marks it as made by the demo
   * @return whether there was one
   */
  static boolean drop(Admin admin, TablePath path, String comment) {
    try {
      if (!admin.describe(path).comment().equals(comment)) {
        throw new CliException(
            "Table " + path + " exists and was not made by the demo",
            "Rename it, or drop it with ./sluice drop " + path + " if nobody needs it.");
      }
    } catch (SluiceException e) {
      if (e.code() == ErrorCode.TABLE_NOT_FOUND) {
        return false;
      }
      throw e;
    }
    return admin.dropTable(path, true);
  }
}
