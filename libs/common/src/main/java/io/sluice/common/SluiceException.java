package io.sluice.common;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A failure with an {@link ErrorCode}. The message names the object, the value and the way out; the
 * details are small machine-readable facts (for example {@code leader -> host:port}).
 */
public final class SluiceException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  // Causes may form a circle.
  private static final int MAX_CAUSES = 32;

  private final ErrorCode code;
  private final transient Map<String, String> details;

  public SluiceException(ErrorCode code, String message) {
    this(code, message, Map.of(), null);
  }

  public SluiceException(ErrorCode code, String message, @Nullable Throwable cause) {
    this(code, message, Map.of(), cause);
  }

  public SluiceException(
      ErrorCode code, String message, Map<String, String> details, @Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
    this.details = Map.copyOf(details);
  }

  /** The first of these failures among a failure and its causes, null when there is none. */
  public static @Nullable SluiceException findIn(Throwable failure) {
    Throwable cause = failure;
    for (int depth = 0; depth < MAX_CAUSES && cause != null; depth++) {
      if (cause instanceof SluiceException found) {
        return found;
      }
      cause = cause.getCause();
    }
    return null;
  }

  /** What kind of failure this is. */
  public ErrorCode code() {
    return code;
  }

  /** Machine-readable facts, never null. */
  public Map<String, String> details() {
    return details == null ? Map.of() : details;
  }
}
