package io.sluice.format.schema;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** One version of a table's columns. Immutable; a schema id is never reused inside a table. */
public final class TableSchema {
  /** The largest number of columns a table may have. */
  public static final int MAX_COLUMNS = 4096;

  private final int schemaId;
  private final List<Column> columns;
  private final List<String> primaryKey;
  private final Map<String, Integer> positions = new HashMap<>();

  /**
   * @param schemaId version, from 1 to 65535
   * @param columns the columns in order, 1 to {@link #MAX_COLUMNS}
   * @param primaryKey names of key columns in key order, empty for a log table
   */
  public TableSchema(int schemaId, List<Column> columns, List<String> primaryKey) {
    this.schemaId = schemaId;
    this.columns = List.copyOf(columns);
    this.primaryKey = List.copyOf(primaryKey);
    if (schemaId < 1 || schemaId > 65535) {
      throw invalid("Schema id is " + schemaId + "; it must be between 1 and 65535");
    }
    if (columns.isEmpty() || columns.size() > MAX_COLUMNS) {
      throw invalid("A table has " + columns.size() + " columns; it must have 1 to " + MAX_COLUMNS);
    }
    Set<Integer> ids = new HashSet<>();
    for (int i = 0; i < this.columns.size(); i++) {
      Column column = this.columns.get(i);
      if (positions.put(column.name(), i) != null) {
        throw invalid("Column '" + column.name() + "' is defined twice; names must differ");
      }
      if (!ids.add(column.id())) {
        throw invalid("Column id " + column.id() + " is used twice");
      }
    }
    for (String key : this.primaryKey) {
      if (column(key).nullable()) {
        throw invalid("Primary key column '" + key + "' is nullable; declare it NOT NULL");
      }
    }
  }

  /** Version of this schema. */
  public int schemaId() {
    return schemaId;
  }

  /** All columns in order. */
  public List<Column> columns() {
    return columns;
  }

  /** Names of the key columns in key order, empty for a log table. */
  public List<String> primaryKey() {
    return primaryKey;
  }

  /** Number of columns. */
  public int size() {
    return columns.size();
  }

  /** Position of the column of that name; COLUMN_NOT_FOUND naming the known columns. */
  public int position(String name) {
    Integer position = positions.get(name);
    if (position == null) {
      throw new SluiceException(
          ErrorCode.COLUMN_NOT_FOUND,
          "Column '" + name + "' does not exist; the columns are " + knownColumns());
    }
    return position;
  }

  /** Whether a column of that name exists. */
  public boolean hasColumn(String name) {
    return positions.containsKey(name);
  }

  /** The column of that name; COLUMN_NOT_FOUND naming the known columns. */
  public Column column(String name) {
    return columns.get(position(name));
  }

  private String knownColumns() {
    List<String> names = columns.stream().limit(20).map(Column::name).toList();
    return String.join(", ", names) + (columns.size() > 20 ? ", ..." : "");
  }

  private static SluiceException invalid(String message) {
    return new SluiceException(ErrorCode.INVALID_SCHEMA, message);
  }

  @Override
  public boolean equals(Object other) {
    // Nearly always the same object, and a table may have thousands of columns.
    return this == other
        || other instanceof TableSchema that
            && schemaId == that.schemaId
            && columns.equals(that.columns)
            && primaryKey.equals(that.primaryKey);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * schemaId + columns.hashCode()) + primaryKey.hashCode();
  }

  @Override
  public String toString() {
    return "TableSchema{id=" + schemaId + ", columns=" + columns + ", key=" + primaryKey + "}";
  }
}
