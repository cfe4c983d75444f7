package io.sluice.cli.terminal;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** A terminal whose output a test reads. */
public final class CapturedTerminal {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final Terminal terminal;

  private CapturedTerminal(boolean interactive, boolean colours, int columns) {
    this.terminal =
        new Terminal(
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            interactive,
            colours,
            columns);
  }

  /** Output that is not a terminal. */
  public static CapturedTerminal plain() {
    return new CapturedTerminal(false, false, 0);
  }

  /** A terminal with or without colours. */
  public static CapturedTerminal interactive(boolean colours) {
    return new CapturedTerminal(true, colours, 0);
  }

  /** A terminal with lines of so many characters. */
  public static CapturedTerminal ofColumns(int columns) {
    return new CapturedTerminal(true, false, columns);
  }

  public Terminal terminal() {
    return terminal;
  }

  public String output() {
    return out.toString(StandardCharsets.UTF_8);
  }

  public String problems() {
    return err.toString(StandardCharsets.UTF_8);
  }
}
