package io.sluice.cli.table;

import io.sluice.client.ScanBatch;

/** Prints the rows of a scan in one form. */
interface RowPrinter {
  /** Prints the first {@code rows} rows of the batch. */
  void print(ScanBatch batch, int rows);

  /** Ends the output after so many rows. */
  void finish(long rows);
}
