package io.sluice.cli.rest;

/**
 * A service answered with problem details (RFC 9457).
 *
 * <p>{@code line} and {@code column} say where in a statement the problem is, both from 1; 0 when
 * the service did not say.
 */
public final class RestProblem extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final String code;
  private final String detail;
  private final int line;
  private final int column;

  RestProblem(int status, String code, String detail, int line, int column) {
    super(detail);
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.line = line;
    this.column = column;
  }

  /** The HTTP status. */
  public int status() {
    return status;
  }

  /** The code of docs/errors.md, empty when there was none. */
  public String code() {
    return code;
  }

  /** What is wrong, in words. */
  public String detail() {
    return detail;
  }

  public int line() {
    return line;
  }

  public int column() {
    return column;
  }
}
