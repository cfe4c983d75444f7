package io.sluice.cli.sql;

import io.sluice.cli.rest.RestClient;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** Runs statements at the SQL service. Thread-safe. */
public final class SqlClient {
  /** The service bounds a statement itself; this only ends the wait for one that is gone. */
  private static final Duration TIMEOUT = Duration.ofMinutes(15);

  private static final String PATH = "/api/v1/sql";

  private final RestClient rest;

  /**
   * @param url of the SQL service
   */
  public SqlClient(String url) {
    this.rest = new RestClient(url, "lake-sql-1", TIMEOUT);
  }

  /**
   * What applies to a statement.
   *
   * @param database of tables that are named without one, empty for none
   * @param maxRows rows wanted at most, 0 for the service's limit
   * @param allowPartial whether the log alone will do while the lake does not answer
   */
  public record Options(String database, long maxRows, boolean allowPartial) {
    public static final Options NONE = new Options("", 0, false);
  }

  /**
   * Runs one statement.
   *
   * @throws io.sluice.cli.rest.RestProblem when the service refuses it
   * @throws io.sluice.cli.CliException when the service does not answer
   */
  public SqlResult run(String statement, Options options) {
    Map<String, Object> body = new HashMap<>();
    body.put("sql", statement);
    if (!options.database().isEmpty()) {
      body.put("database", options.database());
    }
    if (options.maxRows() > 0) {
      body.put("maxRows", options.maxRows());
    }
    if (options.allowPartial()) {
      body.put("allow_partial", true);
    }
    return SqlResult.of(rest.post(PATH, body));
  }
}
