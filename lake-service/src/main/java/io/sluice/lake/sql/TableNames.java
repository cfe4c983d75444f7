package io.sluice.lake.sql;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.lake.catalog.CatalogStore;
import java.util.List;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.jspecify.annotations.Nullable;

/** Names in statements. */
final class TableNames {
  /** What may stand before the database: the name that the lake's catalog has for its clients. */
  static final String CATALOG = CatalogStore.NAME;

  private TableNames() {}

  /** The table of an identifier; its database is the one of the request when it names none. */
  static TablePath path(SqlNode identifier, @Nullable String database) {
    List<String> names = ((SqlIdentifier) identifier).names;
    return switch (names.size()) {
      case 1 -> new TablePath(requireDatabase(database, names.get(0)), names.get(0));
      case 2 -> new TablePath(names.get(0), names.get(1));
      case 3 -> {
        requireOwn(names.get(0), "Table " + String.join(".", names));
        yield new TablePath(names.get(1), names.get(2));
      }
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

  /** A database, perhaps behind the name of the catalog. */
  static String database(List<String> names) {
    String whole = String.join(".", names);
    if (names.size() > 2) {
      throw new SluiceException(
          ErrorCode.INVALID_SQL,
          "Database " + whole + " has " + names.size() + " names; it must have one");
    }
    if (names.size() == 2) {
      requireOwn(names.get(0), "Database " + whole);
    }
    return names.get(names.size() - 1);
  }

  private static void requireOwn(String catalog, String what) {
    if (!catalog.equalsIgnoreCase(CATALOG)) {
      throw new SluiceException(ErrorCode.INVALID_SQL, foreign(catalog, what));
    }
  }

  /** What is said of a thing in another catalog. */
  static String foreign(String catalog, String what) {
    return what
        + " is in a catalog '"
        + catalog
        + "'; here is only '"
        + CATALOG
        + "', which need not be written: leave '"
        + catalog
        + "' out";
  }

  /** The single name of an identifier. */
  static String single(SqlNode identifier, String what) {
    List<String> names = ((SqlIdentifier) identifier).names;
    if (names.size() != 1) {
      throw new SluiceException(
          ErrorCode.INVALID_SQL, what + " " + String.join(".", names) + " must have one name");
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
