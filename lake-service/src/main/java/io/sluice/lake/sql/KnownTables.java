package io.sluice.lake.sql;

import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.lake.dialect.NearestNames;
import io.sluice.lake.union.Cluster;
import java.util.List;

/** Looks tables up; what is said of a missing one has the nearest name there is. Thread-safe. */
final class KnownTables {
  private final Cluster cluster;

  KnownTables(Cluster cluster) {
    this.cluster = cluster;
  }

  /** The table; TABLE_NOT_FOUND with the nearest name. */
  TableDescription describe(TablePath path) {
    try {
      return cluster.describe(path);
    } catch (SluiceException e) {
      throw named(e, path);
    }
  }

  /** A missing table's failure with the nearest name; any other one as it is. */
  SluiceException named(SluiceException failure, TablePath path) {
    if (failure.code() != ErrorCode.TABLE_NOT_FOUND) {
      return failure;
    }
    List<String> names =
        cluster.tables(path.database()).stream().map(table -> table.path().table()).toList();
    return new SluiceException(
        failure.code(),
        "Table " + path + " does not exist" + NearestNames.hint(path.table(), names),
        failure);
  }
}
