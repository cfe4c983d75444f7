package io.sluice.tablet.replica;

import io.sluice.common.SluiceException;
import io.sluice.format.batch.LogBatchHeader;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Makes a batch of the rows that are left when the first ones were stored by an earlier put. Called
 * by several threads.
 */
public interface BatchSlicer {
  /**
   * Decodes the batch, drops its first rows and encodes the rest, whose sequences follow those of
   * the dropped rows.
   *
   * @param table table of the batch, for the schema its header names
   * @param request the put, one sequence per record; its buffers are only read
   * @param rows how many to drop, less than the batch has
   * @throws SluiceException BACKPRESSURE when there is no memory for it now; CORRUPT_BATCH when the
   *     batch cannot be decoded
   */
  Slice dropFirst(HostedTable table, AppendRequest request, int rows);

  /** The rest of a batch; its buffers live until it is closed. */
  interface Slice extends AutoCloseable {
    /** Header with the leader's fields zero. */
    LogBatchHeader header();

    /** Sections in order, without padding. */
    List<ByteBuffer> sections();

    @Override
    void close();
  }
}
