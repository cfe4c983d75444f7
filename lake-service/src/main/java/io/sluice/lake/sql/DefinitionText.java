package io.sluice.lake.sql;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.lake.dialect.Rendering;
import io.sluice.lake.dialect.SqlText;
import io.sluice.lake.dialect.Token;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The text of a definition with what it has beyond Flink's dialect taken out before Flink's parser
 * reads it: DEFAULT with a literal behind a column's type, the word COLUMN in ALTER TABLE, options
 * behind the columns that it adds, PURGE behind DROP TABLE, and paths of nested fields whose names
 * Flink has reserved. Immutable.
 */
final class DefinitionText {
  private static final Set<String> COLUMN_ACTIONS = Set.of("ADD", "MODIFY", "DROP", "RENAME");

  private final SqlText text;
  private final Set<Token> hidden = new HashSet<>();
  private final Set<Token> names = new HashSet<>();
  private final Map<List<String>, DefaultLiteral> defaults = new HashMap<>();
  private final Map<String, String> options = new LinkedHashMap<>();
  private final boolean purge;

  private DefinitionText(SqlText text) {
    this.text = text;
    this.purge = takePurge();
    if (isAlter()) {
      takeAlter();
    } else if (begins("CREATE", "TABLE")) {
      int list = indexOf('(', 2);
      if (list >= 0) {
        takeDefaults(list + 1);
      }
    }
  }

  /** Reads it; INVALID_SQL with the place when a DEFAULT has no literal. */
  static DefinitionText of(SqlText text) {
    return new DefinitionText(text);
  }

  /** What Flink's parser is given. */
  Rendering forFlink() {
    return text.forFlink(text.source().length(), hidden, names);
  }

  /** Whether DROP TABLE ends with PURGE. */
  boolean purge() {
    return purge;
  }

  /** Whether it is ALTER TABLE IF EXISTS, which Flink's parser forgets for partitions. */
  boolean ifTableExists() {
    return isAlter() && word(2, "IF") && word(3, "EXISTS");
  }

  /** The literal after DEFAULT of the column with that path, null when it has none. */
  @Nullable DefaultLiteral defaultOf(List<String> path) {
    return defaults.get(path);
  }

  /** The options behind the columns that ALTER TABLE adds; none when there are none. */
  Map<String, String> options() {
    return options;
  }

  private boolean takePurge() {
    int last = text.tokens().size() - 1;
    boolean purges =
        last > 2
            && begins("DROP", "TABLE")
            && word(last, "PURGE")
            && token(last - 1).isName()
            && !word(last - 1, "EXISTS");
    if (purges) {
      hidden.add(token(last));
    }
    return purges;
  }

  private boolean isAlter() {
    return begins("ALTER", "TABLE");
  }

  /** Finds the action behind the table's name. */
  private void takeAlter() {
    int at = ifTableExists() ? 4 : 2;
    at++;
    while (at < text.tokens().size() && token(at).isSymbol('.')) {
      at += 2;
    }
    if (at >= text.tokens().size() || COLUMN_ACTIONS.stream().noneMatch(token(at)::isWord)) {
      return;
    }
    for (int i = at + 2; i < text.tokens().size(); i++) {
      if (token(i).kind() == Token.Kind.WORD && token(i - 1).isSymbol('.')) {
        names.add(token(i));
      }
    }
    boolean defines = token(at).isWord("ADD") || token(at).isWord("MODIFY");
    if (token(at).isWord("ADD") && !word(at + 1, "PARTITION") && !word(at + 1, "IF")) {
      takeOptions(at + 1);
    }
    at++;
    // A column may have that name: it is the keyword where another name follows.
    if (word(at, "COLUMN") && at + 1 < text.tokens().size() && token(at + 1).isName()) {
      hidden.add(token(at));
      at++;
    }
    if (defines && at < text.tokens().size()) {
      takeDefaults(token(at).isSymbol('(') ? at + 1 : at);
    }
  }

  /** Takes WITH (...) or SET (...) at the end of an ALTER TABLE ... ADD. */
  private void takeOptions(int first) {
    int depth = 0;
    int at = first;
    while (at < text.tokens().size()) {
      Token token = token(at);
      boolean opens = at + 1 < text.tokens().size() && token(at + 1).isSymbol('(');
      if (depth == 0 && opens && (token.isWord("WITH") || token.isWord("SET"))) {
        takeOptionList(at);
        return;
      }
      depth += token.isSymbol('(') || token.isSymbol('<') ? 1 : 0;
      depth -= token.isSymbol(')') || token.isSymbol('>') ? 1 : 0;
      at++;
    }
  }

  private void takeOptionList(int word) {
    int at = word + 1;
    do {
      at++;
      boolean pair =
          at + 3 < text.tokens().size()
              && token(at).kind() == Token.Kind.STRING
              && token(at + 1).isSymbol('=')
              && token(at + 2).kind() == Token.Kind.STRING;
      if (!pair) {
        throw text.failure(
            ErrorCode.INVALID_SQL,
            "Write " + token(word).text() + " ('key' = 'value', ...) at the end",
            token(word));
      }
      String key = token(at).unquoted();
      if (options.put(key, token(at + 2).unquoted()) != null) {
        throw text.failure(
            ErrorCode.INVALID_OPTION, "Option " + key + " is given twice", token(at));
      }
      at += 3;
    } while (token(at).isSymbol(','));
    if (!token(at).isSymbol(')') || at + 1 < text.tokens().size()) {
      throw text.failure(
          ErrorCode.INVALID_SQL, "Options end the statement, with a bracket", token(at));
    }
    for (int i = word; i <= at; i++) {
      hidden.add(token(i));
    }
  }

  /** Takes the defaults out of the definitions that begin at a token, up to their list's end. */
  private void takeDefaults(int first) {
    List<String> path = path(first);
    int round = 0;
    int angle = 0;
    int at = first;
    while (at < text.tokens().size() && round >= 0) {
      Token token = token(at);
      round += token.isSymbol('(') ? 1 : token.isSymbol(')') ? -1 : 0;
      angle += token.isSymbol('<') ? 1 : token.isSymbol('>') ? -1 : 0;
      boolean outside = round == 0 && angle == 0;
      if (outside && token.isSymbol(',')) {
        path = path(at + 1);
      } else if (outside && at > first && token.isWord("DEFAULT") && !afterSeparator(at)) {
        at += takeDefault(path, at);
      }
      at++;
    }
  }

  private boolean afterSeparator(int at) {
    Token before = token(at - 1);
    return before.isSymbol(',') || before.isSymbol('.');
  }

  private int takeDefault(List<String> path, int at) {
    DefaultLiteral literal = DefaultLiteral.read(text, at + 1);
    for (int i = at; i <= at + literal.tokens(); i++) {
      hidden.add(token(i));
    }
    if (defaults.put(path, literal) != null) {
      throw text.failure(
          ErrorCode.INVALID_SQL,
          "Column '" + String.join(".", path) + "' has two defaults",
          token(at));
    }
    return literal.tokens();
  }

  /** The names at the beginning of a column's definition. */
  private List<String> path(int at) {
    List<String> path = new ArrayList<>();
    int next = at;
    while (next < text.tokens().size() && token(next).isName()) {
      path.add(token(next).text());
      if (next + 1 >= text.tokens().size() || !token(next + 1).isSymbol('.')) {
        break;
      }
      next += 2;
    }
    return List.copyOf(path);
  }

  private boolean begins(String first, String second) {
    return word(0, first) && word(1, second);
  }

  private boolean word(int at, String keyword) {
    return at < text.tokens().size() && token(at).isWord(keyword);
  }

  private Token token(int at) {
    return text.tokens().get(at);
  }

  private int indexOf(char symbol, int from) {
    for (int i = from; i < text.tokens().size(); i++) {
      if (token(i).isSymbol(symbol)) {
        return i;
      }
    }
    return -1;
  }

  /** A failure with the place of the statement's first word. */
  SluiceException failure(ErrorCode code, String message) {
    return text.failure(code, message, token(0));
  }
}
