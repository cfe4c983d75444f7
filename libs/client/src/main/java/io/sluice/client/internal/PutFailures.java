package io.sluice.client.internal;

import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.error.PutErrors;
import io.sluice.protocol.flight.v1.PutAnswer;

/** The failures of puts, with the table, bucket and server in their messages. */
final class PutFailures {
  private PutFailures() {}

  /** What an answer with an error says. */
  static SluiceException of(
      PutStream stream, TableDescription table, PendingBatch batch, PutAnswer answer) {
    SluiceException failure = PutErrors.fromPutError(answer.getError());
    return new SluiceException(
        failure.code(),
        "Server "
            + stream.address()
            + " refused rows of "
            + table.path()
            + " "
            + batch.bucket()
            + ": "
            + failure.getMessage(),
        failure.details(),
        failure);
  }

  /** Whether the batch's leader should be looked up again: not when it is only busy. */
  static boolean leaderMayHaveMoved(SluiceException failure) {
    return failure.code() != ErrorCode.BACKPRESSURE
        && failure.code() != ErrorCode.DISK_FULL
        && failure.code() != ErrorCode.LEADER_NOT_READY;
  }

  /** Delivery was given up; the rows may or may not be stored. */
  static SluiceException timedOut(TableDescription table, PendingBatch batch, String leader) {
    SluiceException last = batch.lastFailure();
    return new SluiceException(
        ErrorCode.TIMEOUT,
        "Rows of "
            + table.path()
            + " "
            + batch.bucket()
            + " were not acknowledged within the delivery time-out after "
            + batch.failures()
            + " failed attempts; "
            + leader
            + (last == null ? "" : "; last: " + last.getMessage()),
        last);
  }

  /** Why a named writer takes nothing more after rows that are not known to be stored. */
  static SluiceException namedWriterEnds(TableDescription table, SluiceException why) {
    return new SluiceException(
        why.code(),
        "The named writer of "
            + table.path()
            + " ended at a failure, so that no later row is taken for the last one stored; open it"
            + " again under its name and go on after its committed position. The failure: "
            + why.getMessage(),
        why.details(),
        why);
  }

  static SluiceException silent(PutStream stream, long nanos) {
    return new SluiceException(
        ErrorCode.UNAVAILABLE,
        "Server " + stream.address() + " has not answered for " + nanos / 1_000_000 + " ms");
  }
}
