package io.sluice.bench.harness;

/**
 * A product seen through its own client library. Writers and readers of one client may be used at
 * the same time by different threads; each of them by one thread.
 */
public interface ProductClient extends AutoCloseable {
  /** Creates a table of which nothing exists yet, and returns when it can be written. */
  void createTable(TargetTable table) throws Exception;

  /** Drops a table. */
  void dropTable(TargetTable table) throws Exception;

  /**
   * A writer with connections of its own. Everything is written with acks from all replicas.
   *
   * @param settings what differs from the client's defaults, in the product's own words
   */
  RowWriter writer(TargetTable table, RowRing ring, Settings settings) throws Exception;

  /**
   * A reader from the beginning of the table. Readers with the same settings may share connections,
   * where the product's client keeps those apart from its readers.
   *
   * @param columns positions of the columns to read, ascending
   * @param settings what differs from the client's defaults, in the product's own words
   */
  RowReader reader(TargetTable table, int[] columns, ReadForm form, Settings settings)
      throws Exception;

  /** Rows the servers say they store, by the end offsets of all buckets. */
  long storedRows(TargetTable table) throws Exception;

  /** Bytes of log the servers say they store; -1 when the product has no way to ask. */
  long storedBytes(TargetTable table) throws Exception;

  @Override
  void close() throws Exception;
}
