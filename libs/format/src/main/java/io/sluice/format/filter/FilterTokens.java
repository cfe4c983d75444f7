package io.sluice.format.filter;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Cuts the text of a filter into tokens and words its errors. One use, one text. */
final class FilterTokens {
  private static final int SHOWN = 120;
  private static final Set<String> PAIRS = Set.of("<>", "!=", "<=", ">=");
  private static final Set<String> KEYWORDS =
      Set.of("AND", "OR", "NOT", "IN", "IS", "LIKE", "BETWEEN", "NULL", "TRUE", "FALSE");

  /** What a token is. */
  enum Kind {
    WORD,
    QUOTED,
    NUMBER,
    TEXT,
    SIGN,
    END
  }

  /**
   * One token.
   *
   * @param text the word, number or sign as written; what stands between quotes
   * @param position of its first character, from 1
   */
  record Token(Kind kind, String text, int position) {
    boolean isSign(String sign) {
      return kind == Kind.SIGN && text.equals(sign);
    }

    boolean isWord(String word) {
      return kind == Kind.WORD && text.equalsIgnoreCase(word);
    }

    boolean isKeyword() {
      return kind == Kind.WORD && KEYWORDS.contains(text.toUpperCase(Locale.ROOT));
    }

    private String described() {
      return switch (kind) {
        case END -> "the text ends";
        case TEXT -> "there is a text literal";
        default -> "there is '" + text + "'";
      };
    }
  }

  private final String text;
  private final List<Token> tokens = new ArrayList<>();
  private int next;

  FilterTokens(String text) {
    this.text = text;
    int at = skipBlanks(0);
    while (at < text.length()) {
      at = skipBlanks(add(at));
    }
    tokens.add(new Token(Kind.END, "", text.length() + 1));
  }

  private int skipBlanks(int from) {
    int at = from;
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return at;
  }

  private int add(int at) {
    char c = text.charAt(at);
    if (c == '\'' || c == '"' || c == '`') {
      return addQuoted(at, c);
    }
    if (isDigit(c)) {
      return addNumber(at);
    }
    if (isWordStart(c)) {
      int end = at + 1;
      while (end < text.length() && isWordPart(text.charAt(end))) {
        end++;
      }
      return take(Kind.WORD, at, end);
    }
    if (at + 1 < text.length() && PAIRS.contains(text.substring(at, at + 2))) {
      return take(Kind.SIGN, at, at + 2);
    }
    if ("=<>(),.-+".indexOf(c) >= 0) {
      return take(Kind.SIGN, at, at + 1);
    }
    throw errorAt(
        at + 1,
        "'"
            + Character.toString(text.codePointAt(at))
            + "' means nothing here; column names with other signs than letters, digits and _ stand"
            + " in double quotes, text in single quotes");
  }

  private int take(Kind kind, int from, int end) {
    tokens.add(new Token(kind, text.substring(from, end), from + 1));
    return end;
  }

  private int addQuoted(int from, char quote) {
    StringBuilder value = new StringBuilder();
    int at = from + 1;
    while (at < text.length()) {
      char c = text.charAt(at++);
      if (c != quote) {
        value.append(c);
      } else if (at < text.length() && text.charAt(at) == quote) {
        value.append(quote);
        at++;
      } else {
        Kind kind = quote == '\'' ? Kind.TEXT : Kind.QUOTED;
        if (kind == Kind.QUOTED && value.isEmpty()) {
          throw errorAt(from + 1, "a column name must not be empty");
        }
        tokens.add(new Token(kind, value.toString(), from + 1));
        return at;
      }
    }
    throw errorAt(from + 1, "the closing quote " + quote + " is missing");
  }

  private int addNumber(int from) {
    int end = digits(from);
    if (end + 1 < text.length() && text.charAt(end) == '.' && isDigit(text.charAt(end + 1))) {
      end = digits(end + 1);
    }
    if (end < text.length() && (text.charAt(end) == 'e' || text.charAt(end) == 'E')) {
      int exponent = end + 1;
      if (exponent < text.length() && "+-".indexOf(text.charAt(exponent)) >= 0) {
        exponent++;
      }
      end = exponent < text.length() && isDigit(text.charAt(exponent)) ? digits(exponent) : end;
    }
    if (end < text.length() && isWordPart(text.charAt(end))) {
      throw errorAt(
          from + 1,
          "a number must not run into a word; a column name that begins with a digit stands in"
              + " double quotes");
    }
    return take(Kind.NUMBER, from, end);
  }

  private int digits(int from) {
    int end = from;
    while (end < text.length() && isDigit(text.charAt(end))) {
      end++;
    }
    return end;
  }

  /** The token that comes next, which is not taken. */
  Token peek() {
    return tokens.get(next);
  }

  /** The token after the next, END when there is none. */
  Token peekSecond() {
    return tokens.get(Math.min(next + 1, tokens.size() - 1));
  }

  /** Takes the next token; END again and again at the end. */
  Token take() {
    Token token = tokens.get(next);
    next = Math.min(next + 1, tokens.size() - 1);
    return token;
  }

  boolean takeWord(String word) {
    if (!peek().isWord(word)) {
      return false;
    }
    take();
    return true;
  }

  boolean takeSign(String sign) {
    if (!peek().isSign(sign)) {
      return false;
    }
    take();
    return true;
  }

  void expectSign(String sign) {
    if (!takeSign(sign)) {
      throw unexpected("'" + sign + "' is expected");
    }
  }

  void expectWord(String word) {
    if (!takeWord(word)) {
      throw unexpected(word + " is expected");
    }
  }

  /** The error that the next token is not what the text may go on with. */
  SluiceException unexpected(String expected) {
    return errorAt(peek().position(), peek().described() + " where " + expected);
  }

  SluiceException errorAt(int position, String what) {
    return error(text, position, what);
  }

  /** INVALID_FILTER with the text and the place. */
  static SluiceException error(String text, int position, String what) {
    String shown = text.length() <= SHOWN ? text : text.substring(0, SHOWN - 3) + "...";
    return new SluiceException(
        ErrorCode.INVALID_FILTER,
        "Cannot use the filter \"" + shown + "\", at position " + position + ": " + what);
  }

  private static boolean isWordStart(char c) {
    return Character.isLetter(c) || c == '_';
  }

  private static boolean isWordPart(char c) {
    return isWordStart(c) || isDigit(c);
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
