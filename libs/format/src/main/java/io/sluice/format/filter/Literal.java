package io.sluice.format.filter;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;

/** A value as it is written in a filter. */
sealed interface Literal {

  /** Where it begins in the text, from 1. */
  int position();

  /** What it is, for messages. */
  String described();

  /** A number. */
  record NumberLiteral(BigDecimal value, int position) implements Literal {
    @Override
    public String described() {
      return "number " + value;
    }
  }

  /** Text between single quotes. */
  record TextLiteral(String value, int position) implements Literal {
    @Override
    public String described() {
      return "text '" + (value.length() > 40 ? value.substring(0, 37) + "..." : value) + "'";
    }
  }

  /** TRUE or FALSE. */
  record TruthLiteral(boolean value, int position) implements Literal {
    @Override
    public String described() {
      return value ? "TRUE" : "FALSE";
    }
  }

  /** {@code X'0aff'}; the digits are checked. */
  record BytesLiteral(String hex, int position) implements Literal {
    @Override
    public String described() {
      return "bytes X'" + (hex.length() > 40 ? hex.substring(0, 37) + "..." : hex) + "'";
    }
  }

  /** {@code DATE '2024-01-31'}. */
  record DateLiteral(LocalDate value, int position) implements Literal {
    @Override
    public String described() {
      return "DATE '" + value + "'";
    }
  }

  /** {@code TIME '23:59:59.5'}. */
  record TimeLiteral(LocalTime value, int position) implements Literal {
    @Override
    public String described() {
      return "TIME '" + value + "'";
    }
  }

  /** {@code TIMESTAMP '2024-01-31 23:59:59'}, without a zone. */
  record TimestampLiteral(LocalDateTime value, int position) implements Literal {
    @Override
    public String described() {
      return "TIMESTAMP '" + value + "'";
    }
  }

  /** {@code TIMESTAMP '2024-01-31 23:59:59Z'} or with an offset. */
  record InstantLiteral(Instant value, int position) implements Literal {
    @Override
    public String described() {
      return "TIMESTAMP '" + value + "'";
    }
  }
}
