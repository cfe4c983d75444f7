package io.sluice.client;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.GenericRow;
import io.sluice.format.row.Row;

/**
 * The values of a primary key, in key order. Whether they fit the key columns of a table is checked
 * where the key is used. Immutable as long as nobody changes a {@code byte[]} in it.
 */
public final class Key {
  private final GenericRow values;

  private Key(GenericRow values) {
    this.values = values;
  }

  /**
   * A key of these values, of the Java types that {@link Row} takes for their columns.
   * INVALID_VALUE for null: key columns are never NULL.
   */
  public static Key of(Object... values) {
    for (int i = 0; i < values.length; i++) {
      if (values[i] == null) {
        throw new SluiceException(
            ErrorCode.INVALID_VALUE,
            "Value " + i + " of the key is null; key columns are never NULL");
      }
    }
    return new Key(GenericRow.of(values));
  }

  /** The values as a row of the key columns. */
  public Row row() {
    return values;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Key that && values.equals(that.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  @Override
  public String toString() {
    return values.toString();
  }
}
