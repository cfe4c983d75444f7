package io.sluice.cli.options;

/** A command line that cannot be understood; the message says what is wrong and what was meant. */
public final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public UsageException(String message) {
    super(message);
  }
}
