package io.sluice.tablet.replica;

import io.sluice.format.batch.LogBatchHeader;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * One put: a batch that has passed the checks of its content, its sections in order.
 *
 * @param header the 96 bytes with the leader's fields zero
 * @param sections change types, statistics, metadata, checksums, body: each with position and limit
 *     set, without padding; for a log table the body may be several buffers
 * @param targetColumns ids of the columns that the rows have, in their order, and write; empty for
 *     whole rows, as always for a log table
 * @param ackedThrough last sequence whose final answer the writer holds, -1 for none
 * @param waitForVisible answer when visible has passed the batch, not when it is written
 */
public record AppendRequest(
    LogBatchHeader header,
    List<ByteBuffer> sections,
    List<Integer> targetColumns,
    long ackedThrough,
    boolean waitForVisible) {
  public AppendRequest {
    targetColumns = List.copyOf(targetColumns);
  }

  /** A put of whole rows. */
  public AppendRequest(
      LogBatchHeader header, List<ByteBuffer> sections, long ackedThrough, boolean waitForVisible) {
    this(header, sections, List.of(), ackedThrough, waitForVisible);
  }
}
