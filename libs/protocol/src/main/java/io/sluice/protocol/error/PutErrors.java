package io.sluice.protocol.error;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.flight.v1.PutError;

/** {@link SluiceException} to and from the error inside a put answer. */
public final class PutErrors {
  private static final int MAX_MESSAGE_BYTES = 16 * 1024;

  private PutErrors() {}

  /** The error to put into an answer; any failure has one. */
  public static PutError toPutError(Throwable failure) {
    SluiceException known = StatusMapping.fromStatus(failure);
    String text = known.getMessage() == null ? known.code().name() : known.getMessage();
    return PutError.newBuilder()
        .setCode(known.code().name())
        .setMessage(WireText.cut(text, MAX_MESSAGE_BYTES))
        .setRetriable(known.code().retriable())
        .putAllDetails(known.details())
        .build();
  }

  /**
   * The failure that an answer reports. A code that this version does not know becomes UNAVAILABLE
   * when the server says a retry is safe, INTERNAL otherwise.
   */
  public static SluiceException fromPutError(PutError error) {
    ErrorCode code = ErrorCodes.byName(error.getCode());
    String message = error.getMessage();
    if (code == null) {
      code = error.getRetriable() ? ErrorCode.UNAVAILABLE : ErrorCode.INTERNAL;
      message = error.getCode() + ": " + message;
    }
    return new SluiceException(code, message, error.getDetailsMap(), null);
  }
}
