package io.sluice.format.bucket;

/**
 * The bucket of a named writer's row in a table without a bucket key: it follows from the row's
 * sequence, so that a row that is sent again meets its earlier copy, whichever client sends it.
 */
public final class SequenceBuckets {
  /** Sequences in a row that share a bucket. */
  public static final int RUN = 1024;

  private SequenceBuckets() {}

  /** The bucket, from 0, of a sequence from 0 on. */
  public static int bucket(long sequence, int bucketCount) {
    return (int) (sequence / RUN % bucketCount);
  }

  /** The first sequence from {@code sequence} on that belongs to the bucket. */
  public static long firstFrom(long sequence, int bucket, int bucketCount) {
    long run = sequence / RUN;
    long away = Math.floorMod(bucket - run, (long) bucketCount);
    return away == 0 ? sequence : (run + away) * RUN;
  }
}
