package io.sluice.cli.terminal;

import io.sluice.common.TimeSource;

/**
 * Progress towards a known total: a bar that is redrawn on a terminal, otherwise a plain line at
 * each quarter. Used by one thread.
 */
public final class Progress {
  private static final int BAR_WIDTH = 28;
  private static final long REDRAW_NANOS = 80_000_000L;

  private final Terminal terminal;
  private final TimeSource time;
  private final String indent;
  private final String unit;
  private final long total;
  private final long startNanos;
  private long drawnNanos;
  private int quartersShown;

  /**
   * @param indent what every line begins with
   * @param unit what is counted, for example "rows"
   */
  public Progress(Terminal terminal, TimeSource time, String indent, String unit, long total) {
    this.terminal = terminal;
    this.time = time;
    this.indent = indent;
    this.unit = unit;
    this.total = total;
    this.startNanos = time.nanoTime();
    this.drawnNanos = startNanos - REDRAW_NANOS;
  }

  /** Shows that {@code done} of the total is done. */
  public void update(long done) {
    if (terminal.interactive()) {
      long now = time.nanoTime();
      if (now - drawnNanos >= REDRAW_NANOS) {
        drawnNanos = now;
        terminal.rewrite(indent + bar(done) + "  " + figures(done));
      }
      return;
    }
    int quarter = total == 0 ? 0 : (int) (done * 4 / total);
    if (quarter > quartersShown && quarter < 4) {
      quartersShown = quarter;
      terminal.line(indent + figures(done));
    }
  }

  /** Removes the bar. Nothing is written when there is none. */
  public void finish() {
    if (terminal.interactive()) {
      terminal.rewrite("");
    }
  }

  private String figures(long done) {
    long nanos = time.nanoTime() - startNanos;
    return Figures.count(done)
        + " of "
        + Figures.count(total)
        + " "
        + unit
        + "  "
        + terminal.dim(Figures.rate(done, nanos) + " " + unit + "/s");
  }

  private String bar(long done) {
    int full = total == 0 ? BAR_WIDTH : (int) Math.min(BAR_WIDTH, done * BAR_WIDTH / total);
    return terminal.cyan("█".repeat(full)) + terminal.dim("░".repeat(BAR_WIDTH - full));
  }
}
