package io.sluice.lake.sql;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.BinaryType;
import io.sluice.format.schema.DataType.BooleanType;
import io.sluice.format.schema.DataType.BytesType;
import io.sluice.format.schema.DataType.CharType;
import io.sluice.format.schema.DataType.DateType;
import io.sluice.format.schema.DataType.DecimalType;
import io.sluice.format.schema.DataType.DoubleType;
import io.sluice.format.schema.DataType.FloatType;
import io.sluice.format.schema.DataType.IntegerType;
import io.sluice.format.schema.DataType.StringType;
import io.sluice.format.schema.DataType.TimeType;
import io.sluice.format.schema.DataType.TimestampLtzType;
import io.sluice.format.schema.DataType.TimestampType;
import io.sluice.format.schema.DefaultValues;
import io.sluice.lake.dialect.SqlText;
import io.sluice.lake.dialect.Token;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The literal after DEFAULT.
 *
 * @param kind what was written
 * @param value the number, the text without its quotes, the hexadecimal digits, or true and false
 * @param tokens how many tokens it has
 */
record DefaultLiteral(Kind kind, String value, int tokens) {
  /** What FLOAT and DOUBLE have no literal of their own for. */
  private static final Set<String> NO_NUMBERS = Set.of("NaN", "Infinity", "-Infinity");

  /** What a literal is. */
  enum Kind {
    NULL("NULL"),
    NUMBER("a number"),
    TEXT("a text"),
    BOOLEAN("TRUE or FALSE"),
    BYTES("bytes"),
    DATE("a DATE"),
    TIME("a TIME"),
    TIMESTAMP("a TIMESTAMP");

    private final String words;

    Kind(String words) {
      this.words = words;
    }
  }

  /**
   * Reads the literal that begins at a token.
   *
   * @throws SluiceException INVALID_SQL when there is none, with its place
   */
  static DefaultLiteral read(SqlText text, int at) {
    List<Token> tokens = text.tokens();
    Token word = tokens.get(Math.min(at, tokens.size()) - 1);
    if (at >= tokens.size()) {
      throw text.failure(ErrorCode.INVALID_SQL, "DEFAULT needs a literal", word);
    }
    Token first = tokens.get(at);
    Token second = at + 1 < tokens.size() ? tokens.get(at + 1) : first;
    boolean signed = first.isSymbol('-') || first.isSymbol('+');
    if (signed && second.kind() == Token.Kind.NUMBER) {
      return new DefaultLiteral(Kind.NUMBER, (first.isSymbol('-') ? "-" : "") + second.text(), 2);
    }
    if (first.kind() == Token.Kind.NUMBER) {
      return new DefaultLiteral(Kind.NUMBER, first.text(), 1);
    }
    if (first.kind() == Token.Kind.STRING) {
      return new DefaultLiteral(Kind.TEXT, first.unquoted(), 1);
    }
    DefaultLiteral named = first.kind() == Token.Kind.WORD ? named(first, second) : null;
    if (named == null) {
      throw text.failure(
          ErrorCode.INVALID_SQL,
          "DEFAULT takes a literal, not '"
              + first.text()
              + "': a number, a text in single quotes, TRUE, FALSE, NULL, DATE '...',"
              + " TIMESTAMP '...' or X'...'",
          first);
    }
    return named;
  }

  private static @Nullable DefaultLiteral named(Token word, Token next) {
    String name = word.text().toUpperCase(Locale.ROOT);
    if (name.equals("NULL")) {
      return new DefaultLiteral(Kind.NULL, "", 1);
    }
    if (name.equals("TRUE") || name.equals("FALSE")) {
      return new DefaultLiteral(Kind.BOOLEAN, name.toLowerCase(Locale.ROOT), 1);
    }
    if (next.kind() != Token.Kind.STRING) {
      return null;
    }
    String value = next.unquoted();
    return switch (name) {
      case "DATE" -> new DefaultLiteral(Kind.DATE, value, 2);
      case "TIME" -> new DefaultLiteral(Kind.TIME, value, 2);
      case "TIMESTAMP" -> new DefaultLiteral(Kind.TIMESTAMP, value, 2);
      case "X" -> new DefaultLiteral(Kind.BYTES, value.toLowerCase(Locale.ROOT), 2);
      default -> null;
    };
  }

  /**
   * The default as the canonical text of its column's type, null for NULL.
   *
   * @throws SluiceException INVALID_VALUE when a literal of another kind has to be written, or the
   *     value does not fit
   */
  @Nullable String canonicalFor(String column, DataType type) {
    String text = textFor(column, type);
    if (text == null) {
      return null;
    }
    try {
      return DefaultValues.canonical(type, text);
    } catch (SluiceException e) {
      throw new SluiceException(
          ErrorCode.INVALID_VALUE,
          "The default of column '" + column + "' does not fit: " + e.getMessage(),
          e);
    }
  }

  private @Nullable String textFor(String column, DataType type) {
    if (kind == Kind.NULL) {
      return null;
    }
    Kind wanted = wanted(type);
    boolean temporal = wanted == Kind.DATE || wanted == Kind.TIME || wanted == Kind.TIMESTAMP;
    boolean floating = type instanceof FloatType || type instanceof DoubleType;
    boolean asText = kind == Kind.TEXT && (temporal || (floating && NO_NUMBERS.contains(value)));
    if (kind != wanted && !asText) {
      throw new SluiceException(
          ErrorCode.INVALID_VALUE,
          "The default of column '"
              + column
              + "' of type "
              + type
              + (wanted == Kind.NULL
                  ? " can only be NULL"
                  : " is " + wanted.words + ", not " + kind.words + " (" + value + ")"));
    }
    return value;
  }

  private static Kind wanted(DataType type) {
    if (type instanceof BooleanType) {
      return Kind.BOOLEAN;
    }
    if (type instanceof IntegerType
        || type instanceof DecimalType
        || type instanceof FloatType
        || type instanceof DoubleType) {
      return Kind.NUMBER;
    }
    if (type instanceof CharType || type instanceof StringType) {
      return Kind.TEXT;
    }
    if (type instanceof BinaryType || type instanceof BytesType) {
      return Kind.BYTES;
    }
    if (type instanceof DateType) {
      return Kind.DATE;
    }
    if (type instanceof TimeType) {
      return Kind.TIME;
    }
    return type instanceof TimestampType || type instanceof TimestampLtzType
        ? Kind.TIMESTAMP
        : Kind.NULL;
  }
}
