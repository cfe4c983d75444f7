package io.sluice.servicekit;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import jakarta.validation.ConstraintViolationException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.tomcat.util.http.InvalidParameterException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.method.annotation.HandlerMethodValidationException;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.NoHandlerFoundException;
import org.springframework.web.servlet.resource.NoResourceFoundException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;

/** Answers every failure of a REST handler, and of Spring before one, with problem details. */
@RestControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
final class ProblemDetailsAdvice {
  private static final Logger LOG = LoggerFactory.getLogger(ProblemDetailsAdvice.class);
  private static final int MAX_CAUSES = 8;

  /** So says the JSON reader when a field of a primitive type is left out. */
  private static final String NULL_FOR_PRIMITIVE = "Cannot map `null` into type";

  @ExceptionHandler(SluiceException.class)
  ResponseEntity<ProblemDetail> sluice(SluiceException failure) {
    if (failure.code() == ErrorCode.INTERNAL) {
      LOG.error("A request failed by a defect", failure);
    }
    return answer(Problems.of(failure), HttpHeaders.EMPTY);
  }

  @ExceptionHandler({CompletionException.class, ExecutionException.class})
  ResponseEntity<ProblemDetail> asynchronous(Exception failure) {
    Throwable cause = failure;
    for (int i = 0; i < MAX_CAUSES && cause.getCause() != null; i++) {
      cause = cause.getCause();
      if (cause instanceof SluiceException sluice) {
        return sluice(sluice);
      }
    }
    return unexpected(failure);
  }

  @ExceptionHandler({NoHandlerFoundException.class, NoResourceFoundException.class})
  ResponseEntity<ProblemDetail> unknownPath(ErrorResponse failure) {
    return answer(
        Problems.of(
            ErrorCode.NOT_FOUND,
            404,
            "There is nothing here: "
                + failure.getBody().getDetail()
                + " See /v3/api-docs for the paths."),
        HttpHeaders.EMPTY);
  }

  @ExceptionHandler(HttpMessageNotReadableException.class)
  ResponseEntity<ProblemDetail> unreadableBody(HttpMessageNotReadableException failure) {
    Throwable cause = failure.getCause();
    String reason = "";
    for (int i = 0; i < MAX_CAUSES && cause != null; i++) {
      if (cause instanceof ResponseStatusException known) {
        // The limit of bodies, met by the JSON reader.
        return other(known);
      }
      if (cause instanceof UnrecognizedPropertyException unknown) {
        reason = unknownField(unknown);
      } else if (cause instanceof MismatchedInputException missing
          && text(missing).startsWith(NULL_FOR_PRIMITIVE)) {
        reason =
            place(missing.getPath()) + " is missing; it must be " + kind(missing.getTargetType());
      }
      cause = cause.getCause();
    }
    return answer(
        Problems.of(
            ErrorCode.INVALID_ARGUMENT,
            400,
            "Cannot read the request body: " + (reason.isEmpty() ? reason(failure) : reason)),
        HttpHeaders.EMPTY);
  }

  /** Names the field, where it stands, and those that may stand there. */
  private static String unknownField(UnrecognizedPropertyException unknown) {
    // The last one is the field itself.
    List<JacksonException.Reference> path = unknown.getPath();
    String place = place(path.subList(0, Math.max(0, path.size() - 1)));
    return "unknown field '"
        + unknown.getPropertyName()
        + (place.isEmpty() ? "'" : "' in " + place)
        + "; there may be "
        + unknown.getKnownPropertyIds().stream()
            .map(String::valueOf)
            .sorted()
            .collect(Collectors.joining(", "));
  }

  /** Where in a body that is: {@code columns[1].name}. */
  private static String place(List<JacksonException.Reference> path) {
    StringBuilder place = new StringBuilder();
    for (JacksonException.Reference step : path) {
      String name = step.getPropertyName();
      if (name == null) {
        place.append('[').append(step.getIndex()).append(']');
      } else {
        place.append(place.isEmpty() ? "" : ".").append(name);
      }
    }
    return place.toString();
  }

  /** What Tomcat finds wrong with a query before any handler sees it. */
  @ExceptionHandler(InvalidParameterException.class)
  ResponseEntity<ProblemDetail> unreadableQuery(InvalidParameterException failure) {
    return answer(
        Problems.of(
            ErrorCode.INVALID_ARGUMENT,
            400,
            "The query of the request cannot be decoded; encode its values as UTF-8 with percent"
                + " signs: "
                + text(failure)),
        HttpHeaders.EMPTY);
  }

  @ExceptionHandler(MethodArgumentTypeMismatchException.class)
  ResponseEntity<ProblemDetail> mismatch(MethodArgumentTypeMismatchException failure) {
    Class<?> wanted = failure.getRequiredType();
    return answer(
        Problems.of(
            ErrorCode.INVALID_ARGUMENT,
            400,
            "Parameter "
                + failure.getName()
                + " is '"
                + failure.getValue()
                + "'; it must be "
                + kind(wanted)),
        HttpHeaders.EMPTY);
  }

  /** What a parameter of a Java type is to whoever sends it. */
  static String kind(@Nullable Class<?> type) {
    if (type == boolean.class || type == Boolean.class) {
      return "true or false";
    }
    if (type == int.class || type == Integer.class || type == long.class || type == Long.class) {
      return "a whole number";
    }
    return "of another form";
  }

  @ExceptionHandler(MethodArgumentNotValidException.class)
  ResponseEntity<ProblemDetail> invalidBody(MethodArgumentNotValidException failure) {
    String fields =
        failure.getBindingResult().getFieldErrors().stream()
            .map(error -> error.getField() + " " + error.getDefaultMessage())
            .sorted()
            .collect(Collectors.joining("; "));
    return answer(
        Problems.of(ErrorCode.INVALID_ARGUMENT, 400, "The request is invalid: " + fields),
        HttpHeaders.EMPTY);
  }

  @ExceptionHandler(HandlerMethodValidationException.class)
  ResponseEntity<ProblemDetail> invalidParameters(HandlerMethodValidationException failure) {
    String parameters =
        failure.getParameterValidationResults().stream()
            .flatMap(
                result ->
                    result.getResolvableErrors().stream()
                        .map(
                            error ->
                                result.getMethodParameter().getParameterName()
                                    + " "
                                    + error.getDefaultMessage()))
            .sorted()
            .collect(Collectors.joining("; "));
    return answer(
        Problems.of(ErrorCode.INVALID_ARGUMENT, 400, "The request is invalid: " + parameters),
        HttpHeaders.EMPTY);
  }

  @ExceptionHandler(ConstraintViolationException.class)
  ResponseEntity<ProblemDetail> violations(ConstraintViolationException failure) {
    return answer(
        Problems.of(ErrorCode.INVALID_ARGUMENT, 400, "The request is invalid: " + text(failure)),
        HttpHeaders.EMPTY);
  }

  /** Everything else: what Spring knows a status for keeps it; the rest is a defect. */
  @ExceptionHandler(Exception.class)
  ResponseEntity<ProblemDetail> other(Exception failure) {
    if (failure instanceof ErrorResponse known && known.getStatusCode().is4xxClientError()) {
      String detail = known.getBody().getDetail();
      return answer(
          Problems.of(
              ErrorCode.INVALID_ARGUMENT,
              known.getStatusCode().value(),
              detail == null ? text(failure) : detail),
          known.getHeaders());
    }
    return unexpected(failure);
  }

  private static ResponseEntity<ProblemDetail> unexpected(Exception failure) {
    LOG.error("A request failed by a defect", failure);
    return answer(
        Problems.of(ErrorCode.INTERNAL, 500, "Internal error; the service's log says more"),
        HttpHeaders.EMPTY);
  }

  private static ResponseEntity<ProblemDetail> answer(ProblemDetail problem, HttpHeaders headers) {
    ResponseEntity.BodyBuilder answer =
        ResponseEntity.status(problem.getStatus())
            .headers(headers)
            .contentType(MediaType.APPLICATION_PROBLEM_JSON);
    Map<String, Object> properties = problem.getProperties();
    if (properties != null && Boolean.TRUE.equals(properties.get("retriable"))) {
      answer.header(HttpHeaders.RETRY_AFTER, "1");
    }
    return answer.body(problem);
  }

  /** The first line of the innermost message, which for JSON says what is wrong and where. */
  private static String reason(HttpMessageNotReadableException failure) {
    Throwable cause = failure;
    for (int i = 0; i < MAX_CAUSES && cause.getCause() != null; i++) {
      cause = cause.getCause();
    }
    if (cause instanceof SluiceException) {
      return text(cause);
    }
    if (cause == failure) {
      return "it is missing or empty";
    }
    String message = text(cause);
    int end = message.indexOf('\n');
    return withoutClasses(end < 0 ? message : message.substring(0, end));
  }

  /** The JSON reader names Java's classes, which say nothing to whoever sent the request. */
  static String withoutClasses(String message) {
    return message
        .replace("Cannot deserialize value of type ", "Cannot read ")
        .replaceAll("not a valid `[^`]*` value", "not a valid value")
        .replaceAll(" \\(token `JsonToken\\.\\w+`\\)", "")
        .replaceAll("`java\\.lang\\.(Integer|Long|Short|Byte)`|`(int|long)`", "a whole number")
        .replaceAll("`java\\.lang\\.Boolean`|`boolean`", "true or false")
        .replaceAll("`java\\.lang\\.(Double|Float)`|`double`", "a number")
        .replaceAll("`java\\.lang\\.String`", "a text")
        .replaceAll("`java\\.util\\.\\w*(List|Collection|Set)[^`]*`", "an array")
        .replaceAll("`([a-z]\\w*\\.)+[A-Z][^`]*`", "an object");
  }

  private static String text(Throwable failure) {
    @Nullable String message = failure.getMessage();
    return message == null ? failure.getClass().getSimpleName() : message;
  }
}
