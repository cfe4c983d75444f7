package io.sluice.lake.sql;

import io.sluice.common.ErrorCode;
import io.sluice.lake.bitmap.BitmapOperation;
import io.sluice.lake.dialect.SqlText;
import io.sluice.lake.dialect.Token;
import java.util.List;

/**
 * Statements that prepare a session of Flink's SQL client. There is no session here: those that ask
 * for what is so anyway are taken and change nothing, so that scripts can be pasted; the others are
 * refused, as what follows them would not do what it says.
 */
final class SessionStatements {
  private static final String MODE = "execution.runtime-mode";

  private SessionStatements() {}

  /** Whether the tokens begin such a statement. */
  static boolean begins(SqlText text) {
    List<Token> tokens = text.tokens();
    if (tokens.size() < 2) {
      return false;
    }
    Token first = tokens.get(0);
    if (first.isWord("SET")) {
      return tokens.get(1).kind() == Token.Kind.STRING;
    }
    if (first.isWord("USE")) {
      return tokens.get(1).isWord("CATALOG");
    }
    return first.isWord("CREATE") && tokens.get(1).isWord("CATALOG")
        || (first.isWord("CREATE") || first.isWord("DROP"))
            && tokens.get(object(tokens)).isWord("FUNCTION");
  }

  /** Takes it. */
  static SqlResult run(SqlText text) {
    List<Token> tokens = text.tokens();
    if (tokens.get(0).isWord("SET")) {
      return set(text);
    }
    if (tokens.get(1).isWord("CATALOG")) {
      return catalog(text);
    }
    return function(text);
  }

  private static SqlResult set(SqlText text) {
    List<Token> tokens = text.tokens();
    boolean complete =
        tokens.size() == 4
            && tokens.get(2).isSymbol('=')
            && tokens.get(3).kind() == Token.Kind.STRING;
    if (!complete) {
      throw text.failure(
          ErrorCode.INVALID_SQL, "Write SET 'key' = 'value', as in Flink", tokens.get(0));
    }
    String key = tokens.get(1).unquoted();
    String value = tokens.get(3).unquoted();
    if (key.startsWith("sql-client.")) {
      return unchanged("how results are shown is up to the client that asks");
    }
    if (key.equals(MODE) && value.equalsIgnoreCase("batch")) {
      return unchanged("every statement runs once, as a batch");
    }
    if (key.equals(MODE)) {
      throw text.failure(
          ErrorCode.UNSUPPORTED,
          "Statements run once here, as a batch; what goes on as rows come is a job of Flink",
          tokens.get(3));
    }
    throw text.failure(
        ErrorCode.UNSUPPORTED,
        "'" + key + "' has no meaning here: there is no session and no job; leave it out",
        tokens.get(1));
  }

  /** The catalog of this cluster is the only one, whatever a script calls it. */
  private static SqlResult catalog(SqlText text) {
    List<Token> tokens = text.tokens();
    if (tokens.get(0).isWord("USE")) {
      return unchanged("the databases of this cluster are the only ones");
    }
    for (int i = 2; i + 2 < tokens.size(); i++) {
      boolean type =
          tokens.get(i).text().equals("'type'")
              && tokens.get(i + 1).isSymbol('=')
              && tokens.get(i + 2).kind() == Token.Kind.STRING;
      String value = type ? tokens.get(i + 2).unquoted() : "";
      if (value.equals("fluss") || value.equals("sluice")) {
        return unchanged("the databases of this cluster are the only ones");
      }
    }
    throw text.failure(
        ErrorCode.UNSUPPORTED,
        "Other catalogs cannot be reached from here; tables are those of this cluster",
        tokens.get(1));
  }

  private static SqlResult function(SqlText text) {
    List<Token> tokens = text.tokens();
    int name = object(tokens) + 1;
    while (name + 1 < tokens.size()
        && (tokens.get(name).isWord("IF")
            || tokens.get(name).isWord("NOT")
            || tokens.get(name).isWord("EXISTS"))) {
      name++;
    }
    if (name >= tokens.size()) {
      throw text.failure(ErrorCode.INVALID_SQL, "Which function?", tokens.get(0));
    }
    String function = tokens.get(name).text();
    if (BitmapOperation.isFunction(function)) {
      return unchanged(function + " is built in");
    }
    throw text.failure(
        ErrorCode.UNSUPPORTED,
        "Functions of your own are not in this build; built in are those on bitmaps"
            + " (RB_BUILD, RB_CARDINALITY, RB_OR_AGG ...) and those of DuckDB",
        tokens.get(name));
  }

  /** Index of the word that says what is created, behind TEMPORARY and SYSTEM. */
  private static int object(List<Token> tokens) {
    int at = 1;
    while (at + 1 < tokens.size()
        && (tokens.get(at).isWord("TEMPORARY") || tokens.get(at).isWord("SYSTEM"))) {
      at++;
    }
    return at;
  }

  private static SqlResult unchanged(String why) {
    return SqlResult.done("Nothing was changed: " + why);
  }
}
