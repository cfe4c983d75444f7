package io.sluice.systemtests.replicated;

import io.sluice.systemtests.replicated.History.Kind;
import java.util.List;
import java.util.Map;

/**
 * What is in the tables of a workload when nothing is under way, as a client reads it and as it
 * lies on the servers' disks.
 *
 * @param logs for each table the records of each bucket, by bucket
 * @param cells current rows of the table of cells, states by key
 * @param sums current rows of the table that adds up, sums by key
 * @param replicas for each bucket what its replicas have on disk
 */
record Reading(
    Map<Kind, List<Records>> logs,
    Map<Integer, Long> cells,
    Map<Integer, Long> sums,
    List<Replicated> replicas) {

  /**
   * The records of a bucket.
   *
   * @param end the end of what is visible
   */
  record Records(OffsetContents contents, long end) {}

  /**
   * The replicas of a bucket.
   *
   * @param name the bucket, for people
   * @param committed end of what all must have
   */
  record Replicated(String name, long committed, List<Copy> copies) {}

  /** What one server has of a bucket. */
  record Copy(int server, List<StoredBatch> batches) {
    /** The offset after the last batch, 0 when there is none. */
    long end() {
      return batches.isEmpty() ? 0 : batches.get(batches.size() - 1).nextOffset();
    }
  }

  /**
   * A batch on disk.
   *
   * @param crc of all its bytes
   */
  record StoredBatch(long baseOffset, long nextOffset, long crc) {}
}
