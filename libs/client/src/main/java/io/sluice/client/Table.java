package io.sluice.client;

import io.sluice.client.internal.ClientCore;
import io.sluice.client.internal.WriterOpening;

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

  /** A writer with the connection's settings. */
  public AppendWriter appendWriter() {
    return appendWriter(WriterOptions.defaults());
  }

  /** A writer with settings of its own. */
  public AppendWriter appendWriter(WriterOptions options) {
    return WriterOpening.open(core, description, options);
  }

  /** Starts the description of a scan: all columns, from the earliest offset, bounded. */
  public Scan scan() {
    return new Scan(core, description);
  }
}
