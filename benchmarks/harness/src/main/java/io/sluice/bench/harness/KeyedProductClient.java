package io.sluice.bench.harness;

/** A product that has tables with a primary key. */
public interface KeyedProductClient extends ProductClient {
  /**
   * A writer with connections of its own that puts rows in the place of those with their key. Every
   * write is acknowledged by all replicas.
   *
   * @param columns the columns that it writes, ascending, the key columns among them; the others
   *     stay as they are
   * @param settings what differs from the client's defaults, in the product's own words
   */
  KeyedWriter upserts(TargetTable table, RowRing ring, int[] columns, Settings settings)
      throws Exception;

  /**
   * Looks rows up. Readers with the same settings may share connections.
   *
   * @param settings what differs from the client's defaults, in the product's own words
   */
  KeyedReader lookups(TargetTable table, Settings settings) throws Exception;

  /**
   * A reader of all columns of the table's changelog from its end as it is now, in the form {@link
   * ReadForm#RAW}.
   *
   * @param settings what differs from the client's defaults, in the product's own words
   */
  RowReader changelog(TargetTable table, Settings settings) throws Exception;
}
