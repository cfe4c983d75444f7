package io.sluice.tiering.write;

/**
 * A durable file with the rows [start, end) of one bucket in offset order.
 *
 * @param json Iceberg's content file JSON for the lake table's partition spec
 * @param bucket the bucket
 * @param startOffset offset of the first row
 * @param endOffset offset after the last row
 * @param bytes size of the file
 */
public record WrittenFile(String json, int bucket, long startOffset, long endOffset, long bytes) {
  /** Number of rows. */
  public long rows() {
    return endOffset - startOffset;
  }
}
