package io.sluice.format.filter;

import io.sluice.common.SluiceException;
import io.sluice.format.schema.TableSchema;

/**
 * A condition over the columns of a table as people write it, for example {@code delay > 60 AND
 * origin IN ('SFO', 'LAX')}. Grammar and meaning: {@code docs/filters.md}. Immutable; it names
 * columns of no table yet, {@link #bind} checks it against one.
 */
public final class Filter {
  private final String text;
  private final Condition condition;

  private Filter(String text, Condition condition) {
    this.text = text;
    this.condition = condition;
  }

  /**
   * Reads the text of a condition.
   *
   * @throws SluiceException INVALID_FILTER naming the place (from 1), what is there and what may
   *     stand there
   */
  public static Filter parse(String text) {
    return new Filter(text, new FilterParser(text).parse());
  }

  /**
   * The condition over the columns of that schema.
   *
   * @throws SluiceException INVALID_FILTER naming the place, the column, its type and what is
   *     allowed
   */
  public BoundFilter bind(TableSchema schema) {
    return new FilterBinder(text, schema).bind(condition);
  }

  /** The text it was read from. */
  public String text() {
    return text;
  }

  @Override
  public String toString() {
    return text;
  }
}
