package io.sluice.client;

import io.sluice.client.internal.ClientCore;
import io.sluice.client.internal.LookuperOpening;
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
   * A writer of a primary-key table. UNSUPPORTED when the table has none; INVALID_ARGUMENT when a
   * partial update lacks a column that it must have.
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
   * Starts the description of a scan: all columns, from the earliest offset, bounded. What it reads
   * of a primary-key table is the changelog, unless {@link Scan#current} is asked for.
   */
  public Scan scan() {
    return new Scan(core, description);
  }
}
