package io.sluice.format.schema;

import io.sluice.common.ErrorCode;
import io.sluice.common.Names;
import io.sluice.common.SluiceException;

/**
 * A column of a table.
 *
 * @param id stable id inside the table, from 1, never reused
 * @param name current name
 * @param type its type
 * @param nullable whether NULL may be stored
 * @param comment free text, empty when none
 */
public record Column(int id, String name, DataType type, boolean nullable, String comment) {
  public Column {
    Names.checkColumn(name);
    if (id < 1) {
      throw new SluiceException(
          ErrorCode.INVALID_SCHEMA, "Column '" + name + "' has id " + id + "; ids start at 1");
    }
  }

  /** A column without a comment. */
  public static Column of(int id, String name, DataType type, boolean nullable) {
    return new Column(id, name, type, nullable, "");
  }
}
