package io.sluice.client;

import io.sluice.common.TableBucket;
import io.sluice.format.batch.ChangeType;
import io.sluice.format.row.Row;
import java.util.List;
import org.apache.arrow.vector.VectorSchemaRoot;

/** Rows of one bucket in offset order. Owns its memory until closed. */
public interface ScanBatch extends AutoCloseable {
  /** Number of the bucket; in a partitioned table each partition has one of this number. */
  int bucket();

  /** The bucket with its table and partition. */
  TableBucket tableBucket();

  /** Offset of the first row. Rows that a filter left out lie between those that are here. */
  long baseOffset();

  /** Where to go on after this batch. */
  long nextOffset();

  /** Number of rows. */
  int rowCount();

  /** The columns asked for, in that order, then the metadata columns; valid until closed. */
  VectorSchemaRoot vectors();

  /** The rows in order. A row is a view that moves on with the iterator. */
  Iterable<Row> rows();

  /**
   * What each record does to its row, in order. INVALID_ARGUMENT when the scan was opened without
   * {@link Scan#withChangeType}.
   */
  List<ChangeType> changeTypes();

  /** When the rows were stored, epoch milliseconds. */
  long appendTimeMs();

  /** Frees the vectors. Twice is harmless. */
  @Override
  void close();
}
