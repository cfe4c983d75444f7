package io.sluice.common;

import java.util.List;

/**
 * Which columns of a table keep statistics in its batches.
 *
 * @param choice the kind of choice
 * @param names the columns, for {@link Choice#NAMED} only
 */
public record StatisticsColumns(Choice choice, List<String> names) {
  /** The kinds of choice. */
  public enum Choice {
    /** The option is not set: the first scalar columns. */
    DEFAULT,
    /** {@code *}: every scalar column. */
    ALL,
    /** {@code none}: no column. */
    NONE,
    /** A list of names. */
    NAMED
  }

  /** What a table has that says nothing. */
  public static final StatisticsColumns UNSET = new StatisticsColumns(Choice.DEFAULT, List.of());

  public StatisticsColumns {
    names = List.copyOf(names);
  }
}
