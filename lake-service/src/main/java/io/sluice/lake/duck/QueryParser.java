package io.sluice.lake.duck;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.lake.dialect.Rendering;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Parses queries with DuckDB's own parser, in an instance that holds no table and runs nothing of
 * the text. Only what is one SELECT comes through. Thread-safe; queries are parsed one at a time.
 */
public final class QueryParser implements AutoCloseable {
  /** DuckDB itself stops at an expression depth of 1,000, which makes about three levels each. */
  private static final int MAX_DEPTH = 6000;

  private final JsonMapper json =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(MAX_DEPTH)
                          .maxStringLength(Integer.MAX_VALUE)
                          .build())
                  .build())
          .build();
  private final DuckSession session;
  private final PreparedStatement serialize;

  private QueryParser(DuckSession session, PreparedStatement serialize) {
    this.session = session;
    this.serialize = serialize;
  }

  /** Opens the instance that parses. */
  public static QueryParser open(DuckSettings settings) {
    DuckSession session = DuckSession.open(settings, List.of(), new Cancellation());
    try {
      return new QueryParser(
          session, session.prepare("SELECT json_serialize_sql(CAST(? AS VARCHAR))"));
    } catch (SQLException e) {
      session.close();
      throw new SluiceException(
          ErrorCode.INTERNAL, "Cannot prepare the parser: " + DuckErrors.firstLine(e), e);
    }
  }

  /**
   * What the query refers to.
   *
   * @throws SluiceException INVALID_SQL when it cannot be parsed or is no query; PERMISSION_DENIED
   *     when it does what a query may not
   */
  public QueryReferences parse(Rendering text) {
    JsonNode tree;
    try {
      tree = json.readTree(serialize(text.text()));
    } catch (JacksonException e) {
      throw new SluiceException(
          ErrorCode.INVALID_SQL, "The query is nested too deep to be read", e);
    }
    if (tree.path("error").asBoolean(false)) {
      throw failure(text, tree);
    }
    JsonNode statements = tree.path("statements");
    if (statements.size() != 1) {
      throw new SluiceException(
          ErrorCode.INVALID_SQL,
          "The text holds " + statements.size() + " queries; send them one by one");
    }
    try {
      return new ReferenceCollector(text).collect(statements.path(0));
    } catch (StackOverflowError e) {
      throw new SluiceException(
          ErrorCode.INVALID_SQL, "The query is nested too deep to be read", e);
    }
  }

  private static SluiceException failure(Rendering text, JsonNode tree) {
    if (!tree.path("error_type").asString("").equals("parser")) {
      return new SluiceException(
          ErrorCode.INVALID_SQL, "The text is no query: it must be one SELECT");
    }
    String position = tree.path("position").asString("");
    String message = tree.path("error_message").asString("").split("\n", 2)[0];
    if (message.startsWith("Max expression depth")) {
      message = "An expression is nested too deep";
    }
    return text.failureAtByte(
        ErrorCode.INVALID_SQL,
        "The query cannot be parsed: " + message,
        position.matches("\\d{1,9}") ? Long.parseLong(position) : -1,
        null);
  }

  private synchronized String serialize(String query) {
    try {
      serialize.setString(1, query);
      try (ResultSet rows = serialize.executeQuery()) {
        if (!rows.next()) {
          throw new SluiceException(ErrorCode.INTERNAL, "The parser gave no answer");
        }
        return rows.getString(1);
      }
    } catch (SQLException e) {
      throw new SluiceException(
          ErrorCode.INVALID_SQL, "The query cannot be parsed: " + DuckErrors.firstLine(e), e);
    }
  }

  @Override
  public synchronized void close() {
    try {
      serialize.close();
    } catch (SQLException e) {
      throw new SluiceException(ErrorCode.INTERNAL, "Cannot close the parser", e);
    } finally {
      session.close();
    }
  }
}
