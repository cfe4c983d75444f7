package io.sluice.client;

import io.sluice.common.TableBucket;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * An open scan. Rows of a bucket come in offset order, each once, also when servers restart or
 * leaders move meanwhile. Received batches wait in a bounded buffer; a scanner that is not polled
 * holds back its servers. For one thread at a time; {@link #close} may come from another.
 */
public interface LogScanner extends AutoCloseable {
  /**
   * The batches that have arrived, waiting for the first one at most so long. Empty when none came
   * or the scan is {@link #finished}. The caller closes each batch.
   *
   * @throws io.sluice.common.SluiceException why the scan cannot go on, after all that came before:
   *     SCHEMA_CHANGED when the table changed so that its rows do not fit the schema that this scan
   *     began with (open the table again and go on at {@link #bucketPositions}), TABLE_CHANGED when
   *     it was dropped, PARTITION_NOT_FOUND when a partition of a scan with an end was dropped
   */
  List<ScanBatch> poll(Duration timeout);

  /** Whether a bounded scan has given out its last batch. */
  boolean finished();

  /** Bytes of Flight messages received so far. */
  long bytesReceived();

  /**
   * For each bucket, by its number, the offset after the last row given out: where to go on.
   * INVALID_ARGUMENT for a partitioned table, see {@link #bucketPositions}.
   */
  Map<Integer, Long> positions();

  /**
   * For each bucket the offset after the last row given out, or behind rows that a filter left out:
   * where {@link Scan#fromPositions} goes on. Valid also after a failure and after {@link #close}.
   * A following scan adds buckets of new partitions and forgets those of dropped ones.
   */
  Map<TableBucket, Long> bucketPositions();

  /** Ends the scan and frees what was not polled. Batches given out stay. Twice is harmless. */
  @Override
  void close();
}
