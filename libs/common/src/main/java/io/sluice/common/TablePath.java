package io.sluice.common;

/**
 * The full name of a table.
 *
 * @param database database name
 * @param table table name
 */
public record TablePath(String database, String table) implements Comparable<TablePath> {
  public TablePath {
    Names.checkDatabase(database);
    Names.checkTable(table);
  }

  /** Parses {@code database.table}; INVALID_NAME when it is not of that form. */
  public static TablePath parse(String text) {
    int dot = text.indexOf('.');
    if (dot < 0 || dot != text.lastIndexOf('.')) {
      throw new SluiceException(
          ErrorCode.INVALID_NAME,
          "Table name '" + text + "' must have the form database.table, for example demo.flights");
    }
    return new TablePath(text.substring(0, dot), text.substring(dot + 1));
  }

  @Override
  public int compareTo(TablePath other) {
    int byDatabase = database.compareTo(other.database);
    return byDatabase != 0 ? byDatabase : table.compareTo(other.table);
  }

  @Override
  public String toString() {
    return database + "." + table;
  }
}
