package io.sluice.common;

import java.util.Optional;

/**
 * One of the options of a column's aggregate function: {@code fields.<column>.agg} and what may
 * stand behind it. Columns may have points in their names; a key is read from its end.
 *
 * @param column name of the column
 * @param part which of its options
 */
public record AggregateOption(String column, Part part) {
  /** Which option of a column. */
  public enum Part {
    /** The function. */
    FUNCTION(".agg"),
    /** What {@code listagg} puts between two texts. */
    DELIMITER(".agg.delimiter"),
    /** What happens to a sum, product or count that its type cannot hold. */
    ON_OVERFLOW(".agg.on-overflow");

    private final String suffix;

    Part(String suffix) {
      this.suffix = suffix;
    }
  }

  private static final String PREFIX = "fields.";

  /** The option that a key is, empty when it is none of a function. */
  public static Optional<AggregateOption> of(String key) {
    for (Part part : Part.values()) {
      int nameLength = key.length() - PREFIX.length() - part.suffix.length();
      if (nameLength > 0 && key.startsWith(PREFIX) && key.endsWith(part.suffix)) {
        String column = key.substring(PREFIX.length(), PREFIX.length() + nameLength);
        return Optional.of(new AggregateOption(column, part));
      }
    }
    return Optional.empty();
  }

  /** Key of the function of a column. */
  public static String function(String column) {
    return new AggregateOption(column, Part.FUNCTION).key();
  }

  /** The key. */
  public String key() {
    return PREFIX + column + part.suffix;
  }
}
