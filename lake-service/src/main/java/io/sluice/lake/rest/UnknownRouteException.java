package io.sluice.lake.rest;

/** A path or method that the catalog does not have. */
final class UnknownRouteException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnknownRouteException(String method, String path) {
    super(
        "The catalog has nothing under "
            + method
            + " "
            + path
            + "; GET /iceberg/v1/config names what there is");
  }
}
