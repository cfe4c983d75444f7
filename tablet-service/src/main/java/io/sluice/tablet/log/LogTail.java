package io.sluice.tablet.log;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;

/**
 * Where a log ends and whether it can go on. The log's owner changes it, anybody reads it. The end
 * grows after a batch is in its segment, and falls before a segment is cut.
 */
final class LogTail {
  private volatile long endOffset;
  private volatile long lastTimeMs;
  private volatile boolean broken;
  private volatile int rewrites;
  private volatile int beginnings;
  // Of the log's owner.
  private String lastFailure = "";

  LogTail(long endOffset, long lastTimeMs) {
    this.endOffset = endOffset;
    this.lastTimeMs = lastTimeMs;
  }

  /** Sets the end and the append time of the last batch below it. */
  void set(long newEndOffset, long newLastTimeMs) {
    lastTimeMs = newLastTimeMs;
    endOffset = newEndOffset;
  }

  /** Offset after the last record, or behind the hole after it. */
  long endOffset() {
    return endOffset;
  }

  /** Append time of the last batch, 0 when there is none. */
  long lastTimeMs() {
    return lastTimeMs;
  }

  /** Says that nothing may be written any more: what the files hold is not known. */
  void breakDown() {
    broken = true;
  }

  /** Whether the log takes no writes any more. */
  boolean broken() {
    return broken;
  }

  /** Notes the failure of a write and returns it. The log's owner only. */
  SluiceException failed(SluiceException failure) {
    lastFailure = String.valueOf(failure.getMessage());
    return failure;
  }

  /** What writes to a log that takes none are refused with. The log's owner only. */
  SluiceException refusal(TableBucket bucket) {
    return new SluiceException(
        ErrorCode.STORAGE_ERROR,
        "The log of "
            + bucket
            + " takes no writes since one has failed: "
            + lastFailure
            + ". See to the disk and start the server again; with other replicas in sync the log"
            + " is begun anew by itself");
  }

  /**
   * Says that segments which readers may hold are not those of the log any more; before their files
   * change.
   */
  @SuppressWarnings("NonAtomicVolatileUpdate") // The log's owner alone changes it.
  void rewriting() {
    rewrites++;
  }

  /** Says that the files have changed. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // The log's owner alone changes it.
  void rewritten() {
    if (isRewriting(rewrites)) {
      rewrites++;
    }
  }

  /** Changes when {@link #rewriting} or {@link #rewritten} is called. */
  int rewrites() {
    return rewrites;
  }

  /** Whether files that readers look for are changing, by what {@link #rewrites} told. */
  static boolean isRewriting(int rewrites) {
    return rewrites % 2 != 0;
  }

  /** Says that the log begins anew; before {@link #rewriting}. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // The log's owner alone changes it.
  void begunAnew() {
    beginnings++;
  }

  /** Changes when {@link #begunAnew} is called. */
  int beginnings() {
    return beginnings;
  }
}
