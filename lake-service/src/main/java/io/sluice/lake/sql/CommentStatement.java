package io.sluice.lake.sql;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.lake.dialect.SqlText;
import io.sluice.lake.dialect.Token;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.jspecify.annotations.Nullable;

/**
 * {@code COMMENT ON TABLE t IS 'text'} and {@code COMMENT ON COLUMN t.c IS 'text'}, which Flink's
 * parser does not know.
 *
 * @param table names of the table
 * @param column the column, null for the table itself
 * @param comment the text, empty for NULL
 */
record CommentStatement(SqlIdentifier table, @Nullable String column, String comment) {
  private static final int FIRST_NAME = 3;

  /** Reads it; INVALID_SQL with the place. */
  static CommentStatement parse(SqlText text) {
    List<Token> tokens = text.tokens();
    boolean ofColumn = tokens.size() > 2 && tokens.get(2).isWord("COLUMN");
    if (tokens.size() <= FIRST_NAME
        || !tokens.get(1).isWord("ON")
        || !(ofColumn || tokens.get(2).isWord("TABLE"))) {
      throw refused(text, tokens.get(0));
    }
    List<String> names = new ArrayList<>();
    int at = FIRST_NAME;
    while (at < tokens.size() && tokens.get(at).isName()) {
      names.add(tokens.get(at).text());
      if (at + 1 < tokens.size() && tokens.get(at + 1).isSymbol('.')) {
        at++;
      }
      at++;
      if (!tokens.get(at - 1).isSymbol('.')) {
        break;
      }
    }
    boolean complete =
        !names.isEmpty()
            && at + 2 == tokens.size()
            && tokens.get(at).isWord("IS")
            && (tokens.get(at + 1).kind() == Token.Kind.STRING || tokens.get(at + 1).isWord("NULL"))
            && (!ofColumn || names.size() > 1);
    if (!complete) {
      throw refused(text, tokens.get(Math.min(at, tokens.size() - 1)));
    }
    String column = ofColumn ? names.remove(names.size() - 1) : null;
    return new CommentStatement(
        new SqlIdentifier(names, SqlParserPos.ZERO), column, comment(tokens.get(at + 1)));
  }

  private static String comment(Token token) {
    return token.kind() == Token.Kind.STRING ? token.unquoted() : "";
  }

  private static SluiceException refused(SqlText text, Token token) {
    return text.failure(
        ErrorCode.INVALID_SQL,
        "Write COMMENT ON TABLE db.t IS 'text', or COMMENT ON COLUMN db.t.c IS 'text'",
        token);
  }
}
