package io.sluice.client.internal;

import io.sluice.client.Lookuper;
import io.sluice.client.PrefixLookuper;
import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.List;

/** Opens lookupers. */
public final class LookuperOpening {
  private LookuperOpening() {}

  /**
   * A lookuper of the table.
   *
   * @param columns the columns of its rows, empty for all
   */
  public static Lookuper open(ClientCore core, TableDescription table, List<String> columns) {
    if (table.schema().primaryKey().isEmpty()) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED,
          "Table " + table.path() + " has no primary key to look up; read it with scan()");
    }
    return core.remember(new PipelinedLookuper(core, table, new RowValues(table, columns)));
  }

  /**
   * A lookuper of rows by a prefix of their keys; UNSUPPORTED when the table has none.
   *
   * @param columns the columns of its rows, empty for all
   */
  public static PrefixLookuper openPrefixes(
      ClientCore core, TableDescription table, List<String> columns) {
    return core.remember(
        new PipelinedPrefixLookuper(
            core, table, new PrefixKeys(table), new RowValues(table, columns)));
  }
}
