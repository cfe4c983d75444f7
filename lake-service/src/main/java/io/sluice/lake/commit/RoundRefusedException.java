package io.sluice.lake.commit;

import io.sluice.common.ErrorCode;

/**
 * Stops Iceberg's commit loop for good. It is deliberately not one of Iceberg's cleanable failures:
 * nothing that an attempt wrote is removed on the word of a later attempt.
 */
final class RoundRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  RoundRefusedException(ErrorCode code, String message) {
    super(message);
    this.code = code;
  }

  RoundOutcome.Refused outcome() {
    return new RoundOutcome.Refused(code, String.valueOf(getMessage()));
  }
}
