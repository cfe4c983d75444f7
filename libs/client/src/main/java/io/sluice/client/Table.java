package io.sluice.client;

import io.sluice.client.internal.ClientCore;
import io.sluice.client.internal.LookuperOpening;
import io.sluice.client.internal.RowCounts;
import io.sluice.client.internal.WriterOpening;
import java.util.List;

/** One table, as it was when it was opened. Holds nothing that must be closed. Thread-safe. */
public final class Table {
  private final ClientCore core;
  private final TableDescription description;

  Table(ClientCore core, TableDescription description) {
    this.core = core;
    this.description = description;
  }

  /** The table as it was described when it was opened. */
  public TableDescription description() {
    return description;
  }

  /** A writer of a log table with the connection's settings. */
  public AppendWriter appendWriter() {
    return appendWriter(WriterOptions.defaults());
  }

  /** A writer of a log table; UNSUPPORTED when the table has a primary key. */
  public AppendWriter appendWriter(WriterOptions options) {
    return WriterOpening.open(core, description, options);
  }

  /** A writer of a primary-key table with the connection's settings. */
  public UpsertWriter upsertWriter() {
    return upsertWriter(WriterOptions.defaults());
  }

  /**
   * A writer of a primary-key table. UNSUPPORTED when the table has none, or takes only whole rows
   * and columns are named; INVALID_ARGUMENT when a partial update lacks a column that it must have,
   * or has the one that gets its values from the table.
   */
  public UpsertWriter upsertWriter(WriterOptions options) {
    return WriterOpening.openUpserts(core, description, options);
  }

  /**
   * Finds rows by primary key; UNSUPPORTED when the table has none.
   *
   * @param columns the columns of the rows, in this order; all when none is named
   */
  public Lookuper lookuper(String... columns) {
    return LookuperOpening.open(core, description, List.of(columns));
  }

  /**
   * Finds all rows whose keys begin with the partition columns and the bucket key; UNSUPPORTED,
   * saying what the table would need, when the bucket key is not the first part of the primary key.
   *
   * @param columns the columns of the rows, in this order; all when none is named
   */
  public PrefixLookuper prefixLookuper(String... columns) {
    return LookuperOpening.openPrefixes(core, description, List.of(columns));
  }

  /**
   * The number of rows of a primary-key table now, each bucket at one moment; no row is read. Rows
   * that have outlived {@code table.kv.ttl} count until they are removed.
   *
   * @throws io.sluice.common.SluiceException UNSUPPORTED for a log table, and where the rows are
   *     not counted ({@code table.changelog.image = wal})
   */
  public long count() {
    return RowCounts.count(core, description);
  }

  /**
   * Starts the description of a scan: all columns, from the earliest offset, bounded. What it reads
   * of a primary-key table is the changelog, unless {@link Scan#current} is asked for.
   */
  public Scan scan() {
    return new Scan(core, description);
  }
}
