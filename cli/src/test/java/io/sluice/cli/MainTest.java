package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.options.Arguments;
import io.sluice.cli.options.CommandLine;
import io.sluice.cli.options.UsageException;
import io.sluice.cli.terminal.CapturedTerminal;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.testkit.MovedClock;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class MainTest {
  private final CapturedTerminal captured = CapturedTerminal.plain();

  /** A command that does what the test says. */
  private record Scripted(Body body) implements Command {
    interface Body {
      int run() throws Exception;
    }

    @Override
    public CommandLine commandLine() {
      return CommandLine.of("scripted", "Does what the test says").build();
    }

    @Override
    public int run(Arguments arguments, CommandContext context) throws Exception {
      return body.run();
    }
  }

  private int run(List<Command> commands, String... words) {
    CommandContext context =
        new CommandContext(captured.terminal(), Settings.of(new Properties()), new MovedClock(0));
    return new Main(commands, context).run(List.of(words));
  }

  private int runScripted(Scripted.Body body, String... words) {
    return run(List.of(new Scripted(body)), words);
  }

  @Test
  void returnsTheExitCodeOfTheCommand() {
    assertThat(runScripted(() -> 0, "scripted")).isZero();
    assertThat(runScripted(() -> 1, "scripted")).isEqualTo(1);
    assertThat(captured.problems()).isEmpty();
  }

  @Test
  void anUnknownCommandIsRefusedWithTheNearestOne() {
    assertThat(run(Main.allCommands(), "tabels")).isEqualTo(2);
    assertThat(captured.problems())
        .startsWith("sluice: unknown command tabels; did you mean tables?");
  }

  @Test
  void wrongUsageNamesTheHelpOfTheCommand() {
    assertThat(run(Main.allCommands(), "describe")).isEqualTo(2);
    assertThat(captured.problems())
        .contains("sluice describe: describe needs TABLE")
        .contains("./sluice describe --help");
  }

  @Test
  void usageErrorsFoundWhileRunningExitLikeOthers() {
    assertThat(
            runScripted(
                () -> {
                  throw new UsageException("--a and --b do not go together");
                },
                "scripted"))
        .isEqualTo(2);
    assertThat(captured.problems()).contains("--a and --b do not go together");
  }

  @Test
  void aClusterThatIsDownGivesOneMessageWithAWayOut() {
    int code =
        runScripted(
            () -> {
              throw new SluiceException(ErrorCode.UNAVAILABLE, "No coordinator answers");
            },
            "scripted");

    assertThat(code).isEqualTo(1);
    assertThat(captured.problems().lines())
        .containsExactly(
            "sluice scripted: No coordinator answers",
            "Is the cluster at 127.0.0.1:9123 up? ./sluice status shows it, ./sluice up starts"
                + " it.");
  }

  @Test
  void theStackTraceIsShownOnlyWhenAskedFor() {
    Scripted.Body body =
        () -> {
          throw new IllegalStateException("a defect");
        };

    assertThat(runScripted(body, "scripted")).isEqualTo(1);
    assertThat(captured.problems())
        .contains("IllegalStateException: a defect")
        .contains("--verbose")
        .doesNotContain("\tat ");

    assertThat(runScripted(body, "scripted", "--verbose")).isEqualTo(1);
    assertThat(captured.problems()).contains("\tat ");
  }

  @Test
  void everyCommandHasHelp() {
    for (Command command : Main.allCommands()) {
      String name = command.commandLine().command();
      assertThat(run(Main.allCommands(), name, "--help")).as(name).isZero();
      assertThat(captured.output()).contains("Usage: sluice " + name);
    }
    assertThat(run(Main.allCommands(), "help")).isZero();
    assertThat(captured.problems()).isEmpty();
  }

  @Test
  void helpOnACommandIsThatOfTheCommand() {
    assertThat(run(Main.allCommands(), "help", "alter")).isZero();
    assertThat(captured.output()).startsWith("Usage: sluice alter").contains("set-option");
    assertThat(run(Main.allCommands(), "help", "altr")).isEqualTo(2);
    assertThat(captured.problems()).contains("unknown command altr; did you mean alter?");
  }

  @Test
  void benchRefusesUnknownPeersAndNames() {
    assertThat(run(Main.allCommands(), "bench", "log-append", "--with", "kafka,flus")).isEqualTo(2);
    assertThat(captured.problems()).contains("--with has 'flus'").contains("did you mean fluss?");

    assertThat(run(Main.allCommands(), "bench", "log-apend")).isEqualTo(2);
    assertThat(captured.problems())
        .contains("there is no benchmark log-apend", "did you mean log-append?");
  }
}
