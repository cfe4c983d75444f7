package io.sluice.format.schema;

import io.sluice.common.ErrorCode;
import io.sluice.common.Names;
import io.sluice.common.SluiceException;
import org.jspecify.annotations.Nullable;

/**
 * A column of a table.
 *
 * @param id stable id inside the table, from 1, never reused
 * @param name current name
 * @param type its type
 * @param nullable whether NULL may be stored
 * @param comment free text, empty when none
 * @param initialDefault canonical text of what rows stored before the column was added read as,
 *     null for NULL; fixed when the column is added
 * @param writeDefault canonical text of what a writer that leaves the column out stores, null for
 *     NULL
 */
public record Column(
    int id,
    String name,
    DataType type,
    boolean nullable,
    String comment,
    @Nullable String initialDefault,
    @Nullable String writeDefault) {
  private static final int MAX_NAME = 255;

  public Column {
    Names.checkColumn(name);
    if (id < 1) {
      throw new SluiceException(
          ErrorCode.INVALID_SCHEMA, "Column '" + name + "' has id " + id + "; ids start at 1");
    }
  }

  /** A column without defaults. */
  public Column(int id, String name, DataType type, boolean nullable, String comment) {
    this(id, name, type, nullable, comment, null, null);
  }

  /** A column without a comment. */
  public static Column of(int id, String name, DataType type, boolean nullable) {
    return new Column(id, name, type, nullable, "");
  }

  /**
   * Something inside of a column as a column of its own, named by its path; one that is too long
   * for a name loses its beginning.
   */
  public static Column inner(String path, DataType type, boolean nullable) {
    boolean fits = path.length() <= MAX_NAME;
    String name = fits ? path : "..." + path.substring(path.length() - MAX_NAME + 3);
    return of(1, name, type, nullable);
  }
}
