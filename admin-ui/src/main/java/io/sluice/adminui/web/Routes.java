package io.sluice.adminui.web;

import java.util.regex.Pattern;

/**
 * Decides what of the API the console passes on: statements to lake-sql, reads and the two actions
 * of the tiering queue to the coordinator, and nothing else. Definitions are changed by SQL.
 */
final class Routes {
  /** The API that is passed on. */
  static final String API = "/api/v1/";

  private static final String SQL = API + "sql";
  private static final Pattern ACTION =
      Pattern.compile("/api/v1/tiering/tables/[^/]+/[^/]+/(pause|resume)");

  /** What could mean another path to the service than it means here. */
  private static final Pattern AMBIGUOUS =
      Pattern.compile("//|;|\\\\|/\\.{1,2}(/|$)|%2e|%2f|%5c|%00", Pattern.CASE_INSENSITIVE);

  private Routes() {}

  /** What becomes of a request. */
  enum Decision {
    TO_COORDINATOR,
    TO_SQL,
    /** The path is no path of the API. */
    NOT_FOUND,
    /** The path is passed on, but not with this method. */
    METHOD_NOT_ALLOWED
  }

  /**
   * Decides on a request.
   *
   * @param path of the request as it was sent, not decoded
   */
  static Decision decide(String method, String path) {
    if (!path.startsWith(API) || AMBIGUOUS.matcher(path).find()) {
      return Decision.NOT_FOUND;
    }
    if (path.equals(SQL)) {
      return method.equals("POST") ? Decision.TO_SQL : Decision.METHOD_NOT_ALLOWED;
    }
    if (ACTION.matcher(path).matches()) {
      return method.equals("POST") ? Decision.TO_COORDINATOR : Decision.METHOD_NOT_ALLOWED;
    }
    return method.equals("GET") ? Decision.TO_COORDINATOR : Decision.METHOD_NOT_ALLOWED;
  }
}
