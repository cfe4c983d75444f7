package io.sluice.cli;

import io.sluice.cli.rest.RestProblem;
import io.sluice.cli.terminal.Terminal;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Words a failure in one message for a person; the stack trace is shown only when asked for. */
final class Failures {
  private Failures() {}

  /** Writes the failure of a command. */
  static void show(
      Terminal terminal, Settings settings, String command, Throwable failure, boolean verbose) {
    Throwable cause = unwrap(failure);
    terminal.problem(terminal.red("sluice " + command + ": ") + message(cause));
    String hint = hint(cause, settings);
    if (!hint.isEmpty()) {
      terminal.problem(hint);
    }
    if (verbose) {
      terminal.stackTrace(failure);
    } else if (!isExpected(cause)) {
      terminal.problem("Run it again with --verbose to see where this comes from.");
    }
  }

  private static Throwable unwrap(Throwable failure) {
    Throwable cause = failure;
    while ((cause instanceof ExecutionException || cause instanceof CompletionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  private static boolean isExpected(Throwable cause) {
    return cause instanceof CliException
        || cause instanceof RestProblem
        || (cause instanceof SluiceException failure && failure.code() != ErrorCode.INTERNAL);
  }

  private static String message(Throwable cause) {
    String message = cause.getMessage();
    if (isExpected(cause) && message != null) {
      return message;
    }
    return message == null
        ? cause.getClass().getSimpleName()
        : cause.getClass().getSimpleName() + ": " + message;
  }

  private static String hint(Throwable cause, Settings settings) {
    if (cause instanceof CliException failure) {
      return failure.hint();
    }
    if (cause instanceof SluiceException failure) {
      return switch (failure.code()) {
        case UNAVAILABLE, TIMEOUT, NOT_COORDINATOR_LEADER ->
            "Is the cluster at "
                + settings.coordinators()
                + " up? ./sluice status shows it, ./sluice up starts it.";
        case TABLE_NOT_FOUND, DATABASE_NOT_FOUND -> "./sluice tables lists what there is.";
        default -> "";
      };
    }
    return "";
  }
}
