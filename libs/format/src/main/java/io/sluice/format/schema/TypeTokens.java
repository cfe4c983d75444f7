package io.sluice.format.schema;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Cuts the text of a type into words, numbers and signs, and words its errors. One use, one text.
 */
final class TypeTokens {
  private static final int SHOWN = 120;
  private static final String LOCATED = "Cannot read type '";

  private final String text;
  private int at;

  TypeTokens(String text) {
    this.text = text;
    skipBlanks();
  }

  /** Position of the next token, from 1. */
  int position() {
    return at + 1;
  }

  boolean atEnd() {
    return at == text.length();
  }

  /** Takes a word of letters, digits and underscores that starts with no digit; null if none. */
  @Nullable String word() {
    int end = wordEnd();
    if (end == at) {
      return null;
    }
    String word = text.substring(at, end);
    at = end;
    skipBlanks();
    return word;
  }

  boolean isWord(String word) {
    int end = wordEnd();
    return text.substring(at, end).toUpperCase(Locale.ROOT).equals(word);
  }

  boolean takeWord(String word) {
    if (!isWord(word)) {
      return false;
    }
    at = wordEnd();
    skipBlanks();
    return true;
  }

  void expectWord(String word) {
    if (!takeWord(word)) {
      throw error(word + " is expected here");
    }
  }

  /** Takes NOT NULL if it comes next. */
  boolean takeNotNull() {
    if (!takeWord("NOT")) {
      return false;
    }
    expectWord("NULL");
    return true;
  }

  /** Takes a field name: a word, or any text between back quotes, where a doubled one means one. */
  String identifier() {
    if (atEnd() || text.charAt(at) != '`') {
      String word = word();
      if (word == null) {
        throw error("a field name is expected here");
      }
      return word;
    }
    at++;
    StringBuilder name = new StringBuilder();
    while (at < text.length()) {
      char c = text.charAt(at++);
      if (c != '`') {
        name.append(c);
      } else if (at < text.length() && text.charAt(at) == '`') {
        name.append('`');
        at++;
      } else {
        skipBlanks();
        if (name.isEmpty()) {
          throw error("a field name must not be empty");
        }
        return name.toString();
      }
    }
    throw error("the closing back quote of a field name is missing");
  }

  boolean take(char sign) {
    if (at == text.length() || text.charAt(at) != sign) {
      return false;
    }
    at++;
    skipBlanks();
    return true;
  }

  void expect(char sign) {
    if (!take(sign)) {
      throw error("'" + sign + "' is expected here");
    }
  }

  /** Takes a number of 0 to 2147483647. */
  int number() {
    int from = at;
    long value = 0;
    while (at < text.length() && isDigit(text.charAt(at)) && value <= Integer.MAX_VALUE) {
      value = value * 10 + (text.charAt(at++) - '0');
    }
    if (from == at) {
      throw error("a number is expected here");
    }
    if (value > Integer.MAX_VALUE) {
      throw errorAt(from + 1, "the number is larger than " + Integer.MAX_VALUE);
    }
    skipBlanks();
    return (int) value;
  }

  SluiceException error(String what) {
    return errorAt(position(), what);
  }

  SluiceException errorAt(int position, String what) {
    String found = position > text.length() ? "at the end" : "at position " + position;
    return new SluiceException(
        ErrorCode.INVALID_SCHEMA, LOCATED + shown() + "' " + found + ": " + what);
  }

  /** The error with text and position, unless it names them already. */
  SluiceException located(SluiceException error, int position) {
    String message = String.valueOf(error.getMessage());
    return message.startsWith(LOCATED) ? error : errorAt(position, message);
  }

  private String shown() {
    return text.length() <= SHOWN ? text : text.substring(0, SHOWN - 3) + "...";
  }

  private int wordEnd() {
    int end = at;
    while (end < text.length() && isWordPart(text.charAt(end), end == at)) {
      end++;
    }
    return end;
  }

  private void skipBlanks() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
  }

  private static boolean isWordPart(char c, boolean first) {
    return Character.isLetter(c) || c == '_' || (!first && isDigit(c));
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
