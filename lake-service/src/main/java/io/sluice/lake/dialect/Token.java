package io.sluice.lake.dialect;

/**
 * A token of a statement.
 *
 * @param kind what it is
 * @param start index of its first character in the source
 * @param end index after its last character
 * @param text as written for words, numbers, strings and symbols; the name itself for quoted names
 */
public record Token(Kind kind, int start, int end, String text) {
  /** What a token is. */
  public enum Kind {
    /** A keyword or a name without quotes. */
    WORD,
    /** A name in backticks. */
    BACKTICKED,
    /** A name in double quotes. */
    DOUBLE_QUOTED,
    /** A string in single quotes. */
    STRING,
    /** A number. */
    NUMBER,
    /** One character of anything else. */
    SYMBOL
  }

  /** Whether this is that keyword, which is given in upper case. */
  public boolean isWord(String keyword) {
    return kind == Kind.WORD && text.equalsIgnoreCase(keyword);
  }

  /** Whether this is that character. */
  public boolean isSymbol(char symbol) {
    return kind == Kind.SYMBOL && text.charAt(0) == symbol;
  }

  /** What a string says, without its quotes. */
  public String unquoted() {
    return text.substring(1, text.length() - 1).replace("''", "'");
  }

  /** Whether this can stand for a name. */
  public boolean isName() {
    return kind == Kind.WORD || kind == Kind.BACKTICKED || kind == Kind.DOUBLE_QUOTED;
  }
}
