package io.sluice.lake.dialect;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

/**
 * One statement as it was sent, cut into tokens, to be rendered for either parser. Comments, hints
 * and the closing semicolon are blanks in every rendering. Immutable.
 */
public final class SqlText {
  /** The longest statement that is taken. */
  public static final int MAX_CHARACTERS = 1024 * 1024;

  private final String source;
  private final List<Token> tokens;
  private final List<SqlLexer.Gap> gaps;

  private SqlText(String source, List<Token> tokens, List<SqlLexer.Gap> gaps) {
    this.source = source;
    this.tokens = List.copyOf(tokens);
    this.gaps = List.copyOf(gaps);
  }

  /**
   * Reads one statement.
   *
   * @throws SluiceException INVALID_SQL when it is empty or too long, has more than one statement,
   *     or something in it does not end
   */
  public static SqlText of(String source) {
    if (source.length() > MAX_CHARACTERS) {
      throw new SluiceException(
          ErrorCode.INVALID_SQL,
          "The statement has "
              + source.length()
              + " characters; at most "
              + MAX_CHARACTERS
              + " are accepted");
    }
    SqlLexer lexer = new SqlLexer(source);
    lexer.run();
    List<Token> tokens = new ArrayList<>(lexer.tokens());
    List<SqlLexer.Gap> gaps = new ArrayList<>(lexer.gaps());
    while (!tokens.isEmpty() && tokens.get(tokens.size() - 1).isSymbol(';')) {
      Token last = tokens.remove(tokens.size() - 1);
      gaps.add(new SqlLexer.Gap(last.start(), last.end(), false));
    }
    if (tokens.isEmpty()) {
      throw new SluiceException(ErrorCode.INVALID_SQL, "There is no statement in the text");
    }
    for (Token token : tokens) {
      if (token.isSymbol(';')) {
        throw SqlFailures.at(
            ErrorCode.INVALID_SQL,
            "There is more than one statement; send them one by one",
            source,
            token.start());
      }
    }
    return new SqlText(source, tokens, gaps);
  }

  /** The text as sent. */
  public String source() {
    return source;
  }

  /** The tokens; at least one. */
  public List<Token> tokens() {
    return tokens;
  }

  /** Whether it has {@code /*+ hints *}{@code /}. */
  public boolean hasHints() {
    return gaps.stream().anyMatch(SqlLexer.Gap::hint);
  }

  /** A failure at a token. */
  public SluiceException failure(ErrorCode code, String message, Token token) {
    return SqlFailures.at(code, message, source, token.start());
  }

  /** For DuckDB, with everything before the given index blank. */
  public Rendering forDuckDb(int from) {
    return render(Token.Kind.BACKTICKED, '"', from, source.length(), Set.of(), Set.of());
  }

  /** For Flink's parser, up to the given index. */
  public Rendering forFlink(int until) {
    return forFlink(until, Set.of(), Set.of());
  }

  /**
   * For Flink's parser, up to the given index.
   *
   * @param hidden tokens that are blank there
   * @param names words that are names there, whatever the parser has reserved
   */
  public Rendering forFlink(int until, Set<Token> hidden, Set<Token> names) {
    return render(Token.Kind.DOUBLE_QUOTED, '`', 0, until, hidden, names);
  }

  /**
   * A part of the text.
   *
   * @param start index of its first character
   * @param end index after its last character
   */
  public record Piece(int start, int end) {}

  /** For DuckDB, a query for one row that has each of these pieces as a column, in brackets. */
  public Rendering forDuckDb(List<Piece> pieces) {
    RenderedText target = new RenderedText(source.length());
    String before = "SELECT (";
    for (Piece piece : pieces) {
      target.inserted(before, piece.start());
      render(target, Token.Kind.BACKTICKED, '"', piece.start(), piece.end(), Set.of(), Set.of());
      before = "), (";
    }
    target.inserted(")", source.length());
    return target.finish(source);
  }

  /** Renders [from, until) behind blanks. */
  private Rendering render(
      Token.Kind requoted, char quote, int from, int until, Set<Token> hidden, Set<Token> names) {
    RenderedText target = new RenderedText(until);
    blank(target, 0, from);
    render(target, requoted, quote, from, until, hidden, names);
    return target.finish(source);
  }

  /** Renders [from, until); names of one kind of quotes get the other quotes. */
  private void render(
      RenderedText target,
      Token.Kind requoted,
      char quote,
      int from,
      int until,
      Set<Token> hidden,
      Set<Token> names) {
    int at = from;
    int gap = 0;
    List<SqlLexer.Gap> ordered = orderedGaps();
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      if (token.start() < from || token.start() >= until) {
        continue;
      }
      while (gap < ordered.size() && ordered.get(gap).start() < token.start()) {
        SqlLexer.Gap next = ordered.get(gap++);
        if (next.end() > at) {
          at = copy(target, at, Math.max(at, next.start()));
          at = blank(target, at, next.end());
        }
      }
      at = copy(target, at, token.start());
      if (hidden.contains(token)) {
        at = blank(target, at, token.end());
      } else if (token.kind() == requoted || names.contains(token)) {
        target.quoted(token.text(), quote, token.start());
        at = token.end();
      } else if (quote == '"' && isBytesType(i)) {
        target.inserted("BLOB", token.start());
        at = token.end();
      } else if (quote == '"' && isBytesLiteral(i)) {
        target.inserted(bytesLiteral(tokens.get(i + 1)), token.start());
        at = tokens.get(i + 1).end();
        i++;
      } else {
        at = copy(target, at, token.end());
      }
    }
    blank(target, at, until);
  }

  /** Whether a token is the X of {@code X'0aff'}, which is text to DuckDB. */
  private boolean isBytesLiteral(int index) {
    return tokens.get(index).isWord("X")
        && index + 1 < tokens.size()
        && tokens.get(index + 1).kind() == Token.Kind.STRING
        && tokens.get(index + 1).start() == tokens.get(index).end();
  }

  private String bytesLiteral(Token digits) {
    byte[] bytes;
    try {
      bytes = HexFormat.of().parseHex(digits.unquoted());
    } catch (IllegalArgumentException e) {
      throw failure(
          ErrorCode.INVALID_SQL,
          "X"
              + digits.text()
              + " is no bytes: between the quotes stand two hexadecimal digits for each byte",
          digits);
    }
    return "('" + HexFormat.of().withUpperCase().withPrefix("\\x").formatHex(bytes) + "'::BLOB)";
  }

  /** Whether a token is the type of {@code CAST(x AS BYTES)}, which DuckDB calls BLOB. */
  private boolean isBytesType(int index) {
    return tokens.get(index).isWord("BYTES")
        && index > 0
        && index + 1 < tokens.size()
        && tokens.get(index - 1).isWord("AS")
        && tokens.get(index + 1).isSymbol(')')
        && isInCast(index);
  }

  /** Whether the brackets around a token are those of a CAST, and not of a query with an alias. */
  private boolean isInCast(int index) {
    int depth = 0;
    for (int i = index - 1; i > 0; i--) {
      Token token = tokens.get(i);
      if (token.isSymbol('(') && depth == 0) {
        return tokens.get(i - 1).isWord("CAST") || tokens.get(i - 1).isWord("TRY_CAST");
      }
      depth += token.isSymbol(')') ? 1 : token.isSymbol('(') ? -1 : 0;
    }
    return false;
  }

  private List<SqlLexer.Gap> orderedGaps() {
    List<SqlLexer.Gap> ordered = new ArrayList<>(gaps);
    ordered.sort((a, b) -> Integer.compare(a.start(), b.start()));
    return ordered;
  }

  private int copy(RenderedText target, int start, int end) {
    for (int i = start; i < end; i++) {
      target.add(source.charAt(i), i);
    }
    return Math.max(start, end);
  }

  private int blank(RenderedText target, int start, int end) {
    for (int i = start; i < end; i++) {
      target.add(source.charAt(i) == '\n' ? '\n' : ' ', i);
    }
    return Math.max(start, end);
  }

  /** Collects a rendering. */
  private static final class RenderedText {
    private final StringBuilder text;
    private int[] origins;

    RenderedText(int expected) {
      this.text = new StringBuilder(expected + 16);
      this.origins = new int[expected + 16];
    }

    void add(char c, int origin) {
      if (text.length() == origins.length) {
        origins = java.util.Arrays.copyOf(origins, origins.length * 2);
      }
      origins[text.length()] = origin;
      text.append(c);
    }

    void inserted(String added, int origin) {
      for (int i = 0; i < added.length(); i++) {
        add(added.charAt(i), origin);
      }
    }

    void quoted(String name, char quote, int origin) {
      add(quote, origin);
      for (int i = 0; i < name.length(); i++) {
        char c = name.charAt(i);
        add(c, origin);
        if (c == quote) {
          add(c, origin);
        }
      }
      add(quote, origin);
    }

    Rendering finish(String source) {
      return new Rendering(
          text.toString(), java.util.Arrays.copyOf(origins, text.length()), source);
    }
  }
}
