package io.sluice.format.filter;

import java.util.List;

/** What a filter's text says, before any table is known. Positions count characters from 1. */
sealed interface Condition {

  /** All of them, at least two. */
  record And(List<Condition> terms) implements Condition {}

  /** Any of them, at least two. */
  record Or(List<Condition> terms) implements Condition {}

  /** The opposite; unknown stays unknown. */
  record Not(Condition term) implements Condition {}

  /** A comparison with a literal. */
  record Compare(ColumnName column, Operator operator, Literal literal) implements Condition {}

  /** Equal to one of the literals. */
  record In(ColumnName column, List<Literal> literals) implements Condition {}

  /** The value is NULL. */
  record IsNull(ColumnName column) implements Condition {}

  /** The text has the form of the pattern. */
  record Like(ColumnName column, String pattern) implements Condition {}

  /** A BOOLEAN column by itself. */
  record Truth(ColumnName column) implements Condition {}

  /** TRUE or FALSE by itself. */
  record Constant(boolean value) implements Condition {}

  /**
   * A column, or a field inside it, as it is written.
   *
   * @param parts names from the outermost to the innermost
   * @param position where it begins
   */
  record ColumnName(List<String> parts, int position) {
    /** The name with dots, for messages. */
    String text() {
      return String.join(".", parts);
    }
  }

  /** How a column is compared with a literal. */
  enum Operator {
    EQUAL,
    LESS,
    LESS_OR_EQUAL,
    GREATER,
    GREATER_OR_EQUAL;

    /** The operator when both sides change places. */
    Operator flipped() {
      return switch (this) {
        case EQUAL -> EQUAL;
        case LESS -> GREATER;
        case LESS_OR_EQUAL -> GREATER_OR_EQUAL;
        case GREATER -> LESS;
        case GREATER_OR_EQUAL -> LESS_OR_EQUAL;
      };
    }
  }
}
