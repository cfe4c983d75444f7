package io.sluice.format.filter;

import io.sluice.format.filter.FilterTokens.Kind;
import io.sluice.format.filter.FilterTokens.Token;
import io.sluice.format.filter.Literal.BytesLiteral;
import io.sluice.format.filter.Literal.NumberLiteral;
import io.sluice.format.filter.Literal.TextLiteral;
import io.sluice.format.filter.Literal.TruthLiteral;
import java.math.BigDecimal;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the literals of a filter from its tokens. */
final class LiteralParser {
  /** Exponents and digits of a number are bounded, as work with it grows with them. */
  private static final int MAX_DIGITS = 400;

  private static final Set<String> TYPED = Set.of("DATE", "TIME", "TIMESTAMP", "X");

  private final FilterTokens tokens;

  LiteralParser(FilterTokens tokens) {
    this.tokens = tokens;
  }

  /** Whether a literal comes next. DATE, TIME, TIMESTAMP and X without a text are column names. */
  boolean isNext() {
    Token token = tokens.peek();
    return switch (token.kind()) {
      case NUMBER, TEXT -> true;
      case SIGN -> token.isSign("-") || token.isSign("+");
      case WORD ->
          token.isWord("TRUE")
              || token.isWord("FALSE")
              || (TYPED.contains(token.text().toUpperCase(Locale.ROOT))
                  && tokens.peekSecond().kind() == Kind.TEXT);
      case QUOTED, END -> false;
    };
  }

  /** Takes the literal that comes next. */
  Literal next() {
    Token token = tokens.take();
    int position = token.position();
    return switch (token.kind()) {
      case TEXT -> new TextLiteral(token.text(), position);
      case NUMBER -> number(token.text(), position);
      case SIGN -> signed(token);
      default -> {
        if (token.isWord("TRUE") || token.isWord("FALSE")) {
          yield new TruthLiteral(token.isWord("TRUE"), position);
        }
        yield typed(token);
      }
    };
  }

  private Literal signed(Token sign) {
    if (tokens.peek().kind() != Kind.NUMBER) {
      throw tokens.unexpected("a number is expected");
    }
    String digits = tokens.take().text();
    return number(sign.isSign("-") ? "-" + digits : digits, sign.position());
  }

  private Literal number(String text, int position) {
    BigDecimal value = null;
    if (text.length() <= MAX_DIGITS) {
      try {
        value = new BigDecimal(text);
      } catch (NumberFormatException e) {
        throw tokens.errorAt(position, "'" + text + "' is no number: " + e.getMessage());
      }
    }
    if (value == null
        || Math.abs((long) value.scale()) > MAX_DIGITS
        || Math.abs((long) value.precision() - value.scale()) > MAX_DIGITS) {
      throw tokens.errorAt(
          position, "a number may have at most " + MAX_DIGITS + " digits, with its exponent");
    }
    return new NumberLiteral(value, position);
  }

  private Literal typed(Token type) {
    Token text = tokens.take();
    String name = type.text().toUpperCase(Locale.ROOT);
    if (name.equals("X")) {
      String hex = text.text();
      if (!TemporalTexts.isHex(hex)) {
        throw tokens.errorAt(text.position(), "X takes pairs of hexadecimal digits, as X'00ff'");
      }
      return new BytesLiteral(hex, type.position());
    }
    Literal literal = temporal(name, text.text(), type.position());
    if (literal == null) {
      throw tokens.errorAt(
          text.position(), "'" + text.text() + "' is no " + name + "; " + TemporalTexts.form(name));
    }
    return literal;
  }

  private static @Nullable Literal temporal(String type, String text, int position) {
    return switch (type) {
      case "DATE" -> TemporalTexts.date(text, position);
      case "TIME" -> TemporalTexts.time(text, position);
      default -> TemporalTexts.timestamp(text, position);
    };
  }
}
