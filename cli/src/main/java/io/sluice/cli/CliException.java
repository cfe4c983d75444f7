package io.sluice.cli;

import org.jspecify.annotations.Nullable;

/**
 * A command failed for a reason a person can act on: one message and, where there is one, a way
 * out.
 */
public final class CliException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String hint;

  public CliException(String message) {
    this(message, "", null);
  }

  public CliException(String message, String hint) {
    this(message, hint, null);
  }

  /**
   * @param hint what to do about it, empty when there is nothing to say
   */
  public CliException(String message, String hint, @Nullable Throwable cause) {
    super(message, cause);
    this.hint = hint;
  }

  /** What to do about it, empty when there is nothing to say. */
  public String hint() {
    return hint;
  }
}
