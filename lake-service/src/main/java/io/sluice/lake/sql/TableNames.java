package io.sluice.lake.sql;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import java.util.List;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.jspecify.annotations.Nullable;

/** Names in definitions. */
final class TableNames {
  private TableNames() {}

  /** The table of an identifier; its database is the one of the request when it names none. */
  static TablePath path(SqlNode identifier, @Nullable String database) {
    List<String> names = ((SqlIdentifier) identifier).names;
    return switch (names.size()) {
      case 1 -> new TablePath(requireDatabase(database, names.get(0)), names.get(0));
      case 2 -> new TablePath(names.get(0), names.get(1));
      default ->
          throw new SluiceException(
              ErrorCode.INVALID_SQL,
              "Table "
                  + String.join(".", names)
                  + " has "
                  + names.size()
                  + " names; write database.table");
    };
  }

  /** The single name of an identifier. */
  static String single(SqlNode identifier, String what) {
    List<String> names = ((SqlIdentifier) identifier).names;
    if (names.size() != 1) {
      throw new SluiceException(
          ErrorCode.INVALID_SQL,
          what + " " + String.join(".", names) + " must have one name, without a catalog");
    }
    return names.get(0);
  }

  /** The database of the request, for something that names none. */
  static String requireDatabase(@Nullable String database, String name) {
    if (database == null || database.isBlank()) {
      throw new SluiceException(
          ErrorCode.INVALID_SQL,
          "Table '"
              + name
              + "' has no database: write database.table, or send the field \"database\"");
    }
    return database;
  }
}
