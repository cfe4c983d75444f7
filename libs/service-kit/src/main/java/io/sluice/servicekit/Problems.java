package io.sluice.servicekit;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.net.URI;
import java.util.Locale;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;

/**
 * RFC 9457 problem details as every REST API of Sluice sends them: {@code type} is {@code
 * urn:sluice:error:CODE}, {@code detail} the message, and the members {@code code}, {@code
 * retriable} and (when there are any) {@code details} are what a program reads.
 */
public final class Problems {
  private Problems() {}

  /** The problem of a failure. */
  public static ProblemDetail of(SluiceException failure) {
    String message = failure.getMessage();
    ProblemDetail problem =
        of(failure.code(), failure.code().httpStatus(), message == null ? "" : message);
    if (!failure.details().isEmpty()) {
      problem.setProperty("details", failure.details());
    }
    return problem;
  }

  /** A problem under another HTTP status than the usual one of its code. */
  static ProblemDetail of(ErrorCode code, int httpStatus, String message) {
    ProblemDetail problem =
        ProblemDetail.forStatusAndDetail(HttpStatusCode.valueOf(httpStatus), message);
    problem.setType(URI.create("urn:sluice:error:" + code.name()));
    problem.setTitle(title(code));
    problem.setProperty("code", code.name());
    problem.setProperty("retriable", code.retriable());
    return problem;
  }

  private static String title(ErrorCode code) {
    String words = code.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    return Character.toUpperCase(words.charAt(0)) + words.substring(1);
  }
}
