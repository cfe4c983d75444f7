package io.sluice.cli.demo;

import io.sluice.cli.terminal.Progress;
import io.sluice.cli.terminal.Terminal;
import io.sluice.cli.terminal.TextTable;
import io.sluice.common.TimeSource;

/** The shape of the demo's output: numbered steps with indented, aligned figures below each. */
final class DemoOutput {
  private static final String INDENT = "   ";
  private static final int LABEL_WIDTH = 22;

  private final Terminal terminal;
  private final TimeSource time;
  private int step;

  DemoOutput(Terminal terminal, TimeSource time) {
    this.terminal = terminal;
    this.time = time;
  }

  /** Begins the next step. */
  void step(String title) {
    step++;
    terminal.blank();
    terminal.line(terminal.bold(step + ". " + title));
  }

  /** A figure with its name, and a remark that may be empty. */
  void fact(String label, String figure, String remark) {
    String padding = " ".repeat(Math.max(1, LABEL_WIDTH - label.length()));
    terminal.line(
        INDENT + label + padding + figure + (remark.isEmpty() ? "" : "   " + terminal.dim(remark)));
  }

  /** A sentence. */
  void note(String text) {
    terminal.line(INDENT + terminal.dim(text));
  }

  /** Whether something is as it must be. */
  void verdict(boolean right, String what) {
    terminal.line(
        INDENT + (right ? terminal.green("right") : terminal.red("WRONG")) + "   " + what);
  }

  /** A line of a statement. */
  void code(String line) {
    terminal.line(line.isBlank() ? "" : INDENT + terminal.cyan(line));
  }

  /** A table, its titles dimmed. */
  void table(TextTable table) {
    boolean title = true;
    for (String line : table.lines()) {
      terminal.line(INDENT + (title ? terminal.dim(line) : line));
      title = false;
    }
  }

  /** A bar for work of a known size. */
  Progress progress(String unit, long total) {
    return new Progress(terminal, time, INDENT, unit, total);
  }

  Terminal terminal() {
    return terminal;
  }
}
