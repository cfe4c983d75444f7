package io.sluice.tiering.job;

/** The round has to stop: it was fenced, or the worker stops or has lost the coordinator. */
final class RoundAbortedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  RoundAbortedException(String reason) {
    super(reason);
  }
}
