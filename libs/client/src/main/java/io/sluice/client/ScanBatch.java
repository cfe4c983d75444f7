package io.sluice.client;

import io.sluice.format.batch.ChangeType;
import io.sluice.format.row.Row;
import java.util.List;
import org.apache.arrow.vector.VectorSchemaRoot;

/** Consecutive rows of one bucket. Owns its memory until closed. */
public interface ScanBatch extends AutoCloseable {
  /** The bucket. */
  int bucket();

  /** Offset of the first row. */
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
