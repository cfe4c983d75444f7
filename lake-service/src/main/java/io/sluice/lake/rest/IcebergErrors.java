package io.sluice.lake.rest;

import io.sluice.common.SluiceException;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.BadRequestException;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.ForbiddenException;
import org.apache.iceberg.exceptions.NamespaceNotEmptyException;
import org.apache.iceberg.exceptions.NoSuchIcebergTableException;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.exceptions.ServiceUnavailableException;
import org.apache.iceberg.exceptions.UnprocessableEntityException;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.rest.responses.ErrorResponse;

/** Failures as the REST catalog's clients understand them. */
final class IcebergErrors {
  private IcebergErrors() {}

  /** The answer for a failure. Stack traces stay here. */
  static ErrorResponse of(Throwable failure) {
    String message = failure.getMessage();
    return ErrorResponse.builder()
        .responseCode(status(failure))
        .withType(type(failure))
        .withMessage(message == null ? failure.getClass().getSimpleName() : message)
        .build();
  }

  private static String type(Throwable failure) {
    return failure instanceof SluiceException known
        ? known.code().name()
        : failure.getClass().getSimpleName();
  }

  private static int status(Throwable failure) {
    if (failure instanceof SluiceException known) {
      return known.code().httpStatus();
    } else if (failure instanceof UnknownRouteException) {
      return 404;
    } else if (failure instanceof NoSuchTableException
        || failure instanceof NoSuchNamespaceException
        || failure instanceof NoSuchIcebergTableException) {
      return 404;
    } else if (failure instanceof AlreadyExistsException
        || failure instanceof CommitFailedException
        || failure instanceof NamespaceNotEmptyException) {
      return 409;
    } else if (failure instanceof ForbiddenException) {
      return 403;
    } else if (failure instanceof ServiceUnavailableException) {
      return 503;
    } else if (failure instanceof UnprocessableEntityException) {
      return 422;
    } else if (failure instanceof UnsupportedOperationException) {
      return 406;
    } else if (failure instanceof BadRequestException
        || failure instanceof ValidationException
        || failure instanceof IllegalArgumentException) {
      return 400;
    } else if (failure instanceof CommitStateUnknownException
        || failure instanceof NotFoundException) {
      return 500;
    }
    return 500;
  }
}
