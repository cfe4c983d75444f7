package io.sluice.lake.dialect;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.ArrayList;
import java.util.List;

/**
 * Cuts a statement into tokens as Flink and DuckDB both do: names in backticks or double quotes,
 * strings in single quotes, {@code --} and {@code /* *}{@code /} comments (not nested, as in Flink;
 * no parser ever sees them). Dollar-quoted strings and parameters are refused. For one text.
 */
final class SqlLexer {
  /** A piece of the source that is no token but must not reach a parser. */
  record Gap(int start, int end, boolean hint) {}

  private final String source;
  private final List<Token> tokens = new ArrayList<>();
  private final List<Gap> gaps = new ArrayList<>();
  private int at;

  SqlLexer(String source) {
    this.source = source;
  }

  List<Token> tokens() {
    return tokens;
  }

  List<Gap> gaps() {
    return gaps;
  }

  /** Reads all of it; INVALID_SQL where something does not end. */
  void run() {
    while (at < source.length()) {
      step(source.charAt(at));
    }
  }

  private void step(char c) {
    if (Character.isWhitespace(c)) {
      at++;
    } else if (c == '-' && peek(1) == '-') {
      lineComment();
    } else if (c == '/' && peek(1) == '*') {
      blockComment();
    } else if (c == '\'') {
      string(at, at, false);
    } else if (c == '`') {
      quoted('`', Token.Kind.BACKTICKED);
    } else if (c == '"') {
      quoted('"', Token.Kind.DOUBLE_QUOTED);
    } else if (isWordStart(c)) {
      word();
    } else if (c >= '0' && c <= '9') {
      number();
    } else {
      symbol(c);
    }
  }

  private void lineComment() {
    int start = at;
    int end = source.indexOf('\n', at);
    at = end < 0 ? source.length() : end;
    gaps.add(new Gap(start, at, false));
  }

  private void blockComment() {
    int start = at;
    int end = source.indexOf("*/", at + 2);
    if (end < 0) {
      throw failure("A comment begins here and does not end; close it with */", start);
    }
    at = end + 2;
    gaps.add(new Gap(start, at, source.charAt(start + 2) == '+'));
  }

  /** A string; with escapes a backslash takes the next character along, as DuckDB's E'...' does. */
  private void string(int start, int quote, boolean escapes) {
    int i = quote + 1;
    while (i < source.length()) {
      char c = source.charAt(i);
      if (escapes && c == '\\') {
        i += 2;
      } else if (c != '\'') {
        i++;
      } else if (i + 1 < source.length() && source.charAt(i + 1) == '\'') {
        i += 2;
      } else {
        add(Token.Kind.STRING, start, i + 1, source.substring(start, i + 1));
        return;
      }
    }
    throw failure("A string begins here and does not end; close it with '", start);
  }

  private void quoted(char quote, Token.Kind kind) {
    int start = at;
    StringBuilder name = new StringBuilder();
    int i = at + 1;
    while (i < source.length()) {
      char c = source.charAt(i);
      if (c != quote) {
        name.append(c);
        i++;
      } else if (i + 1 < source.length() && source.charAt(i + 1) == quote) {
        name.append(c);
        i += 2;
      } else {
        if (name.isEmpty()) {
          throw failure("A quoted name is empty", start);
        }
        add(kind, start, i + 1, name.toString());
        return;
      }
    }
    throw failure("A quoted name begins here and does not end; close it with " + quote, start);
  }

  private void word() {
    int start = at;
    int i = at;
    while (i < source.length() && isWordPart(source.charAt(i))) {
      i++;
    }
    boolean escapeString =
        i == start + 1
            && (source.charAt(start) == 'e' || source.charAt(start) == 'E')
            && i < source.length()
            && source.charAt(i) == '\'';
    if (escapeString) {
      string(start, i, true);
    } else {
      add(Token.Kind.WORD, start, i, source.substring(start, i));
    }
  }

  private void number() {
    int start = at;
    int i = at;
    while (i < source.length() && (isWordPart(source.charAt(i)) || source.charAt(i) == '.')) {
      i++;
    }
    add(Token.Kind.NUMBER, start, i, source.substring(start, i));
  }

  private void symbol(char c) {
    if (c == '$' || c == '?') {
      throw failure(
          "'"
              + c
              + "' is not part of this dialect: parameters and dollar-quoted strings are not"
              + " supported; write values as literals and strings in single quotes",
          at);
    }
    if (c == 0) {
      throw failure("The statement holds a zero character", at);
    }
    add(Token.Kind.SYMBOL, at, at + 1, String.valueOf(c));
  }

  private void add(Token.Kind kind, int start, int end, String text) {
    tokens.add(new Token(kind, start, end, text));
    at = end;
  }

  private char peek(int distance) {
    return at + distance < source.length() ? source.charAt(at + distance) : 0;
  }

  private static boolean isWordStart(char c) {
    return Character.isLetter(c) || c == '_' || Character.isSurrogate(c);
  }

  private static boolean isWordPart(char c) {
    return isWordStart(c) || Character.isDigit(c) || c == '$';
  }

  private SluiceException failure(String message, int index) {
    return SqlFailures.at(ErrorCode.INVALID_SQL, message, source, index);
  }
}
