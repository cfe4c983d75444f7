package io.sluice.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.MovedClock;
import org.junit.jupiter.api.Test;

class ProgressTest {
  private final MovedClock clock = new MovedClock(0);

  @Test
  void writesALineAtEachQuarterWhenNotOnATerminal() {
    CapturedTerminal captured = CapturedTerminal.plain();
    Progress progress = new Progress(captured.terminal(), clock, "  ", "rows", 1_000);
    for (int done = 100; done <= 1_000; done += 100) {
      clock.advanceMs(1_000);
      progress.update(done);
    }
    progress.finish();

    assertThat(captured.output().lines())
        .containsExactly(
            "  300 of 1,000 rows  100 rows/s",
            "  500 of 1,000 rows  100 rows/s",
            "  800 of 1,000 rows  100 rows/s");
  }

  @Test
  void redrawsABarOnATerminalAndRemovesIt() {
    CapturedTerminal captured = CapturedTerminal.interactive(false);
    Progress progress = new Progress(captured.terminal(), clock, "", "rows", 1_000);
    clock.advanceMs(1_000);
    progress.update(500);
    progress.update(501);
    progress.finish();

    assertThat(captured.output())
        .isEqualTo(
            "\r\u001b[K"
                + "█".repeat(14)
                + "░".repeat(14)
                + "  500 of 1,000 rows  500 rows/s"
                + "\r\u001b[K");
  }
}
