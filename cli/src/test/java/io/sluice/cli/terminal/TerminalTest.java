package io.sluice.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class TerminalTest {
  @Test
  void writesNoEscapesWithoutColours() {
    Terminal plain = CapturedTerminal.plain().terminal();
    assertThat(plain.bold("a") + plain.red("b") + plain.dim("c")).isEqualTo("abc");

    Terminal noColour = CapturedTerminal.interactive(false).terminal();
    assertThat(noColour.green("d")).isEqualTo("d");
  }

  @Test
  void writesColoursWhereTheyAreWanted() {
    assertThat(CapturedTerminal.interactive(true).terminal().bold("a"))
        .isEqualTo("\u001b[1ma\u001b[0m");
  }

  @Test
  void respectsNoColor() {
    Terminal terminal = Terminal.ofProcess(Map.of("NO_COLOR", "1", "TERM", "xterm"));
    assertThat(terminal.red("a")).isEqualTo("a");
  }
}
