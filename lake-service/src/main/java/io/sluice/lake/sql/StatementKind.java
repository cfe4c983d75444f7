package io.sluice.lake.sql;

import io.sluice.common.ErrorCode;
import io.sluice.lake.dialect.SqlText;
import io.sluice.lake.dialect.Token;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** What a statement is, by its first words; what is not to be run is refused here by name. */
enum StatementKind {
  /** SELECT and its like. */
  QUERY,
  /** EXPLAIN of a query. */
  EXPLAIN,
  /** INSERT INTO. */
  INSERT,
  /** UPDATE and DELETE. */
  CHANGE,
  /** What Flink's parser reads, and COMMENT ON: CREATE, ALTER, DROP, SHOW, DESCRIBE, USE. */
  DEFINITION,
  /** What prepares a session of Flink, which changes nothing here. */
  SESSION;

  private static final Set<String> QUERY_WORDS =
      Set.of("SELECT", "WITH", "VALUES", "FROM", "TABLE");
  private static final Set<String> DEFINITION_WORDS =
      Set.of("CREATE", "ALTER", "COMMENT", "DROP", "SHOW", "DESCRIBE", "DESC", "USE");

  /** Statements of the engine that would reach out of the query, with what to do instead. */
  private static final Map<String, String> FORBIDDEN =
      Map.ofEntries(
          Map.entry("COPY", "ask for Accept: text/csv to get a result as CSV"),
          Map.entry("EXPORT", "ask for Accept: text/csv to get a result as CSV"),
          Map.entry("IMPORT", "write with INSERT INTO, or with any Arrow Flight client"),
          Map.entry("ATTACH", "name the tables of Sluice as database.table"),
          Map.entry("DETACH", "name the tables of Sluice as database.table"),
          Map.entry("INSTALL", "the engine runs without further extensions"),
          Map.entry("LOAD", "the engine runs without further extensions"),
          Map.entry("PRAGMA", "the engine's settings belong to the service"),
          Map.entry("SET", "the engine's settings belong to the service"),
          Map.entry("RESET", "the engine's settings belong to the service"),
          Map.entry("CALL", "there are no procedures"),
          Map.entry("CHECKPOINT", "every statement runs by itself"),
          Map.entry("VACUUM", "the service looks after its files itself"),
          Map.entry("ANALYZE", "the service looks after its statistics itself"),
          Map.entry("PREPARE", "send the statement with its values as literals"),
          Map.entry("EXECUTE", "send the statement with its values as literals"),
          Map.entry("DEALLOCATE", "send the statement with its values as literals"),
          Map.entry("BEGIN", "every statement runs by itself"),
          Map.entry("START", "every statement runs by itself"),
          Map.entry("COMMIT", "every statement runs by itself"),
          Map.entry("ROLLBACK", "every statement runs by itself"),
          Map.entry("GRANT", "there are no users in this build"),
          Map.entry("REVOKE", "there are no users in this build"));

  private static final Set<String> LATER =
      Set.of(
          "TRUNCATE",
          "MERGE",
          "UPSERT",
          "REPLACE",
          "PIVOT",
          "UNPIVOT",
          "SUMMARIZE",
          "ADD",
          "REMOVE",
          "UNLOAD",
          "STOP",
          "COMPILE");

  private static final Set<String> CREATABLE = Set.of("TABLE", "DATABASE");

  static StatementKind of(SqlText text) {
    Token first = text.tokens().get(0);
    String word =
        first.kind() == Token.Kind.WORD ? first.text().toUpperCase(Locale.ROOT) : first.text();
    if (QUERY_WORDS.contains(word) || first.isSymbol('(')) {
      return QUERY;
    }
    if (word.equals("EXPLAIN")) {
      return EXPLAIN;
    }
    if (word.equals("INSERT")) {
      return INSERT;
    }
    if (word.equals("UPDATE") || word.equals("DELETE")) {
      return CHANGE;
    }
    if (SessionStatements.begins(text)) {
      return SESSION;
    }
    if (DEFINITION_WORDS.contains(word)) {
      checkObject(text, word);
      return DEFINITION;
    }
    String instead = FORBIDDEN.get(word);
    if (instead != null) {
      throw text.failure(ErrorCode.PERMISSION_DENIED, word + " is not allowed: " + instead, first);
    }
    if (LATER.contains(word)) {
      throw text.failure(ErrorCode.UNSUPPORTED, word + " is not in this build", first);
    }
    throw text.failure(
        ErrorCode.INVALID_SQL,
        "'"
            + first.text()
            + "' begins no statement; there are SELECT, WITH, VALUES, EXPLAIN, INSERT INTO, UPDATE,"
            + " DELETE FROM, CREATE TABLE, CREATE DATABASE, ALTER TABLE, COMMENT ON, DROP TABLE,"
            + " DROP DATABASE, SHOW TABLES, SHOW DATABASES, SHOW PARTITIONS, SHOW CREATE TABLE,"
            + " DESCRIBE and USE",
        first);
  }

  /** What may be created and dropped: nothing that lives in the engine or holds text to run. */
  private static void checkObject(SqlText text, String word) {
    boolean alters = word.equals("ALTER");
    if (!alters && !word.equals("CREATE") && !word.equals("DROP")) {
      return;
    }
    if (text.tokens().size() < 2) {
      throw text.failure(
          ErrorCode.INVALID_SQL,
          word + " of what? " + (alters ? "TABLE" : "TABLE or DATABASE"),
          text.tokens().get(0));
    }
    Token second = text.tokens().get(1);
    String object = second.text().toUpperCase(Locale.ROOT);
    if (alters && !object.equals("TABLE")) {
      throw text.failure(
          ErrorCode.UNSUPPORTED,
          "ALTER " + object + " is not in this build; ALTER TABLE is",
          second);
    }
    if (CREATABLE.contains(object)) {
      return;
    }
    if (text.tokens().size() > 2
        && object.startsWith("TEMP")
        && text.tokens().get(2).isWord("VIEW")) {
      throw text.failure(
          ErrorCode.UNSUPPORTED,
          "There is no session to keep a temporary view in; put it into the statement that reads"
              + " it: WITH v AS (SELECT ...) SELECT ... FROM v, also behind INSERT INTO t",
          second);
    }
    if (object.equals("TEMPORARY") || object.equals("TEMP") || object.equals("CATALOG")) {
      throw text.failure(
          ErrorCode.UNSUPPORTED, word + " " + object + " is not in this build", second);
    }
    throw text.failure(
        ErrorCode.PERMISSION_DENIED,
        word
            + " "
            + object
            + " is not allowed: there are tables and databases only; write a query with WITH"
            + " instead of a view or a macro",
        second);
  }
}
