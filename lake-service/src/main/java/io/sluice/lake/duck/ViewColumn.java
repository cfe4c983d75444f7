package io.sluice.lake.duck;

import io.sluice.format.schema.DataType;

/**
 * A column that a query can name.
 *
 * @param name its name in queries
 * @param type its type
 * @param columnId its id in the table's schema, 0 for a column that every row has
 * @param origin where its values come from
 */
record ViewColumn(String name, DataType type, int columnId, Origin origin) {
  /** Where the values of a column come from. */
  enum Origin {
    /** The table's schema. */
    TABLE,
    /** The bucket of the row. */
    BUCKET,
    /** The offset of the row. */
    OFFSET,
    /** The time when the row was stored. */
    TIMESTAMP,
    /** What a change does to its row. */
    CHANGE_TYPE
  }
}
