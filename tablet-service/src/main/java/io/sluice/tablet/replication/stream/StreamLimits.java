package io.sluice.tablet.replication.stream;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.concurrent.TimeUnit;

/**
 * Sizes and times of the streams.
 *
 * @param answerBytes an answer takes no more batches once it has so many bytes
 * @param bucketBytes bytes of one bucket in an answer, unless its next batch alone is larger
 * @param maxWaitMs how long a leader holds an answer back that has nothing to tell
 * @param newsDelayMs how long news without data wait for data to travel with
 * @param backOffMs first pause after a refusal or a broken stream; each next one is twice as long
 * @param maxBackOffMs longest pause
 * @param silenceMs a stream whose request is not answered for so long is broken
 * @param ioThreads threads that read logs for followers
 */
public record StreamLimits(
    int answerBytes,
    int bucketBytes,
    int maxWaitMs,
    long newsDelayMs,
    long backOffMs,
    long maxBackOffMs,
    long silenceMs,
    int ioThreads) {
  /**
   * What a bucket may have in an answer: several batches as clients send them, which are a little
   * larger than 1 MiB with their headers. With one of exactly 1 MiB each would be read twice.
   */
  private static final int BUCKET_BYTES = (4 << 20) + (256 << 10);

  /** The times of the design. */
  public static final StreamLimits DEFAULT =
      new StreamLimits(8 << 20, BUCKET_BYTES, 500, 2, 20, 1_000, 5_000, 2);

  /** A replica outside of the in-sync set that is so near to the log end needs no throttle. */
  static final long NEAR_RECORDS = 1_000;

  /** One that is farther behind than this is throttled again. */
  static final long FAR_RECORDS = 1_000_000;

  /** Pause after a failure that takes its time to go away, such as a full disk. */
  static final long FAILURE_PAUSE_MS = 1_000;

  /** A leader ends a session that has not fetched for so long. */
  static final long IDLE_SESSION_MS = 60_000;

  /** While so much of a stream waits to be stored, as behind a slow disk, little more is asked. */
  static final long STORING_BYTES = 64 << 20;

  /** What is asked for then; one batch comes however large it is. */
  static final int FEW_BYTES = 64 << 10;

  public StreamLimits {
    if (answerBytes < 1
        || bucketBytes < 1
        || maxWaitMs < 1
        || newsDelayMs < 0
        || backOffMs < 1
        || maxBackOffMs < backOffMs
        || silenceMs <= maxWaitMs
        || ioThreads < 1) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Limits of replication streams must be positive, and silence longer than the longest"
              + " wait");
    }
  }

  /** The same with so many threads that read logs. */
  public StreamLimits withReadThreads(int threads) {
    return new StreamLimits(
        answerBytes,
        bucketBytes,
        maxWaitMs,
        newsDelayMs,
        backOffMs,
        maxBackOffMs,
        silenceMs,
        threads);
  }

  long silenceNanos() {
    return TimeUnit.MILLISECONDS.toNanos(silenceMs);
  }

  long nextBackOffMs(long before) {
    return Math.min(maxBackOffMs, before * 2);
  }
}
