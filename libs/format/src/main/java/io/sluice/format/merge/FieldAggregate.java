package io.sluice.format.merge;

/**
 * How a column is aggregated.
 *
 * @param function the function
 * @param delimiter what {@link AggFunction#LISTAGG} puts between two texts; may be empty
 * @param saturate whether a sum, product or count that the type cannot hold becomes its nearest
 *     value; else the put is refused
 */
public record FieldAggregate(AggFunction function, String delimiter, boolean saturate) {
  /** Delimiter of a table that names none. */
  public static final String DEFAULT_DELIMITER = ",";

  /** How a column is aggregated whose table does not say it. */
  public static final FieldAggregate DEFAULT =
      new FieldAggregate(AggFunction.LAST_VALUE_IGNORE_NULLS, DEFAULT_DELIMITER, false);
}
