package io.sluice.bench.harness;

/** In what form a reader takes values from its client. */
public enum ReadForm {
  /**
   * The cheapest the client offers: vectors where there are any, else its rows; of a text the
   * length and the first byte in the form in which it arrived.
   */
  RAW,
  /** Row by row, and every text as a {@link String}. */
  ROWS
}
