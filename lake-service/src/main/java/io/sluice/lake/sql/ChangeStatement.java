package io.sluice.lake.sql;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.lake.dialect.SqlText;
import io.sluice.lake.dialect.SqlText.Piece;
import io.sluice.lake.dialect.Token;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.parser.SqlParserPos;

/**
 * {@code UPDATE t SET c = value, ... WHERE ...} and {@code DELETE FROM t WHERE ...}, where the
 * condition is one of columns with values: {@code c = value} and {@code c IN (value, ...)} with AND
 * between them.
 *
 * @param deletes whether it is a DELETE
 * @param table names of the table
 * @param assignments what UPDATE sets
 * @param conditions what the rows must have
 */
record ChangeStatement(
    boolean deletes,
    SqlIdentifier table,
    List<Assignment> assignments,
    List<Condition> conditions) {
  private static final String WAY_OUT =
      " This build changes rows by their keys: WHERE key = value [AND key2 = value ...], or key IN"
          + " (value, ...), for every column of the primary key. Rows found in another way can be"
          + " put by INSERT INTO ... SELECT, or their keys selected first";

  ChangeStatement {
    assignments = List.copyOf(assignments);
    conditions = List.copyOf(conditions);
  }

  /** A column that gets a value. */
  record Assignment(Token column, Piece value) {}

  /** A column that has one of some values. */
  record Condition(Token column, List<Piece> values) {
    Condition {
      values = List.copyOf(values);
    }
  }

  /** Reads it; INVALID_SQL or UNSUPPORTED with the place. */
  static ChangeStatement parse(SqlText text) {
    return new Reader(text).read();
  }

  /** Reads one statement from its first token to its last. */
  private static final class Reader {
    private final SqlText text;
    private final List<Token> tokens;
    private int at;

    Reader(SqlText text) {
      this.text = text;
      this.tokens = text.tokens();
    }

    ChangeStatement read() {
      boolean deletes = tokens.get(0).isWord("DELETE");
      at = 1;
      if (deletes) {
        expect("FROM", "Write DELETE FROM t WHERE key = value");
      }
      SqlIdentifier table = table();
      List<Assignment> assignments = new ArrayList<>();
      if (!deletes) {
        expect("SET", "Write UPDATE t SET column = value WHERE key = value");
        do {
          assignments.add(assignment());
        } while (take(','));
      }
      if (at >= tokens.size()) {
        throw text.failure(
            ErrorCode.UNSUPPORTED,
            (deletes ? "DELETE" : "UPDATE") + " without WHERE would change every row." + WAY_OUT,
            tokens.get(0));
      }
      expect("WHERE", "A WHERE was expected here");
      List<Condition> conditions = new ArrayList<>();
      conditions.add(condition());
      while (at < tokens.size()) {
        if (!tokens.get(at).isWord("AND")) {
          throw refused(tokens.get(at));
        }
        at++;
        conditions.add(condition());
      }
      return new ChangeStatement(deletes, table, assignments, conditions);
    }

    private SqlIdentifier table() {
      List<String> names = new ArrayList<>();
      do {
        names.add(name("The name of a table").text());
      } while (take('.'));
      return new SqlIdentifier(names, SqlParserPos.ZERO);
    }

    private Assignment assignment() {
      Token column = name("A column");
      if (!take('=')) {
        throw text.failure(
            ErrorCode.INVALID_SQL,
            "Write SET column = value, ...; parts of a column cannot be set alone",
            column);
      }
      return new Assignment(column, value("WHERE", ','));
    }

    private Condition condition() {
      Token column = keyColumn();
      if (take('=')) {
        return new Condition(column, List.of(value("AND", ';')));
      }
      if (at + 1 >= tokens.size() || !tokens.get(at).isWord("IN") || !symbol(at + 1, '(')) {
        throw refused(column);
      }
      at += 2;
      List<Piece> values = new ArrayList<>();
      do {
        values.add(value("", ','));
      } while (take(','));
      if (!take(')')) {
        throw refused(column);
      }
      return new Condition(column, values);
    }

    /**
     * The piece up to a word, a symbol or a bracket that closes outside of brackets, or the end.
     */
    private Piece value(String endWord, char endSymbol) {
      int first = at;
      int depth = 0;
      while (at < tokens.size()) {
        Token token = tokens.get(at);
        boolean opens = token.isSymbol('(') || token.isSymbol('[') || token.isSymbol('{');
        boolean closes = token.isSymbol(')') || token.isSymbol(']') || token.isSymbol('}');
        boolean outside = depth == 0;
        if (outside && (closes || token.isSymbol(endSymbol) || token.isWord(endWord))) {
          break;
        }
        if (outside && !endWord.equals("WHERE") && isCondition(token)) {
          throw refused(token);
        }
        depth += opens ? 1 : closes ? -1 : 0;
        at++;
      }
      if (at == first) {
        throw text.failure(
            ErrorCode.INVALID_SQL,
            "A value was expected here",
            tokens.get(Math.min(at, tokens.size() - 1)));
      }
      return new Piece(tokens.get(first).start(), tokens.get(at - 1).end());
    }

    /** Whether a token makes a value into another condition. */
    private static boolean isCondition(Token token) {
      return token.isWord("OR")
          || token.isWord("NOT")
          || token.isWord("IS")
          || token.isWord("IN")
          || token.isWord("LIKE")
          || token.isWord("BETWEEN")
          || token.isSymbol('=')
          || token.isSymbol('<')
          || token.isSymbol('>');
    }

    private Token name(String what) {
      if (at >= tokens.size() || !tokens.get(at).isName()) {
        throw text.failure(ErrorCode.INVALID_SQL, what + " was expected here", atOrLast());
      }
      return tokens.get(at++);
    }

    private Token keyColumn() {
      if (at >= tokens.size() || !tokens.get(at).isName()) {
        throw text.failure(
            ErrorCode.UNSUPPORTED,
            "A column of the primary key was expected here." + WAY_OUT,
            atOrLast());
      }
      return tokens.get(at++);
    }

    private Token atOrLast() {
      return tokens.get(Math.min(at, tokens.size() - 1));
    }

    private SluiceException refused(Token token) {
      return text.failure(
          ErrorCode.UNSUPPORTED, "This condition is not in this build." + WAY_OUT, token);
    }

    private void expect(String word, String otherwise) {
      if (at >= tokens.size() || !tokens.get(at).isWord(word)) {
        throw text.failure(ErrorCode.INVALID_SQL, otherwise, atOrLast());
      }
      at++;
    }

    private boolean take(char symbol) {
      boolean there = symbol(at, symbol);
      at += there ? 1 : 0;
      return there;
    }

    private boolean symbol(int index, char symbol) {
      return index < tokens.size() && tokens.get(index).isSymbol(symbol);
    }
  }
}
