package io.sluice.lake.sql;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.lake.dialect.Rendering;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.config.Lex;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.parser.SqlParseException;
import org.apache.calcite.sql.parser.SqlParser;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.flink.sql.parser.impl.FlinkSqlParserImpl;
import org.apache.flink.sql.parser.validate.FlinkSqlConformance;

/** Flink's own parser with Flink's own settings, so that its DDL can be pasted. Thread-safe. */
final class FlinkParser {
  private static final int MAX_NAME = 256;

  private static final SqlParser.Config CONFIG =
      SqlParser.config()
          .withParserFactory(FlinkSqlParserImpl.FACTORY)
          .withConformance(FlinkSqlConformance.DEFAULT)
          .withLex(Lex.JAVA)
          .withIdentifierMaxLength(MAX_NAME);

  /** A word where none was expected is often a name that the dialect has reserved. */
  private static final Pattern UNEXPECTED_WORD = Pattern.compile("^Encountered \"([A-Za-z_]+)");

  private FlinkParser() {}

  /**
   * Parses one statement.
   *
   * @param completion what is appended to make the rendered part a whole statement
   * @throws SluiceException INVALID_SQL with the place
   */
  static SqlNode parse(Rendering text, String completion) {
    try {
      return SqlParser.create(text.text() + completion, CONFIG).parseStmt();
    } catch (SqlParseException e) {
      SqlParserPos place = e.getPos();
      String message = firstLine(e);
      if (place == null) {
        throw new SluiceException(ErrorCode.INVALID_SQL, message, e);
      }
      throw text.failureAt(
          ErrorCode.INVALID_SQL, message, place.getLineNum(), place.getColumnNum(), e);
    } catch (StackOverflowError e) {
      throw new SluiceException(ErrorCode.INVALID_SQL, "The statement is nested too deep", e);
    }
  }

  /** The parser's first line without its place, which is told in places of the source. */
  private static String firstLine(SqlParseException failure) {
    String message = String.valueOf(failure.getMessage()).split("\n", 2)[0];
    String told = message.replaceAll("\\s*at line \\d+, column \\d+\\.?", "");
    Matcher word = UNEXPECTED_WORD.matcher(told);
    return "The statement cannot be parsed: "
        + told
        + (word.find()
            ? "; if " + word.group(1) + " is meant as a name, write it in backticks"
            : "");
  }
}
