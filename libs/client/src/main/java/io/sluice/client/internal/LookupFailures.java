package io.sluice.client.internal;

import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import org.jspecify.annotations.Nullable;

/** The failures of lookups, with the table, bucket and server in their messages. */
final class LookupFailures {
  private LookupFailures() {}

  /** What a server's refusal says. */
  static SluiceException atServer(
      TableDescription table, LookupStream stream, LookupStream.Sent sent, SluiceException why) {
    return new SluiceException(
        why.code(),
        "Server "
            + stream.address()
            + " refused lookups in "
            + table.path()
            + " bucket "
            + shown(sent.bucket().bucket())
            + ": "
            + why.getMessage(),
        why.details(),
        why);
  }

  /**
   * No answer came in time.
   *
   * @param leader address of the bucket's leader, null when none is known
   */
  static SluiceException timedOut(
      TableDescription table,
      TableBucket bucket,
      PendingLookup lookup,
      @Nullable String leader,
      long timeoutNanos) {
    SluiceException last = lookup.lastFailure();
    return new SluiceException(
        ErrorCode.TIMEOUT,
        "A lookup in "
            + table.path()
            + " bucket "
            + shown(bucket)
            + " had no answer within "
            + timeoutNanos / 1_000_000
            + " ms after "
            + lookup.failures()
            + " failed attempts; "
            + (leader == null ? "no leader is known" : "its leader is " + leader)
            + (last == null ? "" : "; last: " + last.getMessage()),
        last);
  }

  private static String shown(TableBucket bucket) {
    return bucket.partitionId() == TableBucket.NO_PARTITION
        ? Integer.toString(bucket.bucket())
        : bucket.bucket() + " of partition " + bucket.partitionId();
  }
}
