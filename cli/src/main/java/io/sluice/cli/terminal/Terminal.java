package io.sluice.cli.terminal;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Where a command writes: plain lines to the output, problems to the error stream. Colours only on
 * a terminal, and never with {@code NO_COLOR} set or {@code TERM=dumb}. Not thread-safe: one thread
 * writes.
 */
public final class Terminal {
  private static final String RESET = "\u001b[0m";

  private final PrintStream out;
  private final PrintStream err;
  private final boolean interactive;
  private final boolean colours;
  private final int columns;

  /**
   * @param interactive whether the output is a terminal on which a line may be rewritten
   * @param colours whether escape sequences for colours may be written
   * @param columns characters in a line, 0 when there is no bound
   */
  public Terminal(
      PrintStream out, PrintStream err, boolean interactive, boolean colours, int columns) {
    this.out = out;
    this.err = err;
    this.interactive = interactive;
    this.colours = colours;
    this.columns = columns;
  }

  /** The terminal of this process. */
  public static Terminal ofProcess(Map<String, String> environment) {
    boolean interactive = isTerminal() && !"dumb".equals(environment.get("TERM"));
    String noColor = environment.getOrDefault("NO_COLOR", "");
    return new Terminal(
        utf8(FileDescriptor.out),
        utf8(FileDescriptor.err),
        interactive,
        interactive && noColor.isEmpty(),
        interactive ? columns(environment.getOrDefault("COLUMNS", "")) : 0);
  }

  /** The launcher asks the terminal and says it in COLUMNS. */
  private static int columns(String text) {
    try {
      return Math.max(0, Integer.parseInt(text));
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  /** Terminals take UTF-8 nearly everywhere, even where the locale of the process is not set. */
  private static PrintStream utf8(FileDescriptor descriptor) {
    return new PrintStream(
        new BufferedOutputStream(new FileOutputStream(descriptor)), false, StandardCharsets.UTF_8);
  }

  private static boolean isTerminal() {
    Path output = Path.of("/proc/self/fd/1");
    try {
      if (Files.isSymbolicLink(output)) {
        String target = Files.readSymbolicLink(output).toString();
        return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
      }
    } catch (IOException e) {
      return false;
    }
    return System.console() != null;
  }

  /** Whether a line may be rewritten. */
  public boolean interactive() {
    return interactive;
  }

  /** Characters in a line, 0 when there is no bound. */
  public int columns() {
    return columns;
  }

  /** Writes a line. */
  public void line(String text) {
    out.println(text);
    out.flush();
  }

  /** Writes an empty line. */
  public void blank() {
    line("");
  }

  /** Writes text that already ends with a line break. */
  public void text(String text) {
    out.print(text);
    out.flush();
  }

  /** Replaces the current line; only on an interactive terminal. */
  public void rewrite(String text) {
    out.print("\r\u001b[K" + text);
    out.flush();
  }

  /** Writes a line to the error stream. */
  public void problem(String text) {
    out.flush();
    err.println(text);
    err.flush();
  }

  /** Writes the stack trace of a failure to the error stream. */
  public void stackTrace(Throwable failure) {
    failure.printStackTrace(err);
    err.flush();
  }

  /** Whether a write failed, for example because the reader of a pipe has gone. */
  public boolean broken() {
    return out.checkError();
  }

  public String bold(String text) {
    return styled("1", text);
  }

  public String dim(String text) {
    return styled("2", text);
  }

  public String green(String text) {
    return styled("1;32", text);
  }

  public String red(String text) {
    return styled("1;31", text);
  }

  public String cyan(String text) {
    return styled("36", text);
  }

  private String styled(String code, String text) {
    return colours ? "\u001b[" + code + "m" + text + RESET : text;
  }
}
