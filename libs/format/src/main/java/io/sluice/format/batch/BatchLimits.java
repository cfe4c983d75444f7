package io.sluice.format.batch;

/** Sizes that no batch exceeds, whoever made it. */
public final class BatchLimits {
  /** Bytes of a batch of several rows on the wire. */
  public static final int MAX_BATCH_BYTES = 3584 * 1024;

  /** Bytes of a batch of one row on the wire. */
  public static final int MAX_SINGLE_ROW_BYTES = 32 * 1024 * 1024;

  /**
   * Bytes of a body without compression. It bounds what a reader allocates for a batch, however
   * well its bytes compress.
   */
  public static final int MAX_UNCOMPRESSED_BYTES = 64 * 1024 * 1024;

  /**
   * Rows of a batch. Columns that compress to nothing would otherwise let a small batch stand for
   * more rows than a reader can hold.
   */
  public static final int MAX_ROWS = 1 << 20;

  private BatchLimits() {}
}
