package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.rest.FakeService;
import io.sluice.cli.terminal.CapturedTerminal;
import io.sluice.testkit.MovedClock;
import java.util.List;
import java.util.Properties;

/** A command, and the coordinator that it asks, which answers what the test says. */
public final class CommandUnderTest implements AutoCloseable {
  private final Command command;
  private final FakeService coordinator = new FakeService();
  private final CapturedTerminal captured = CapturedTerminal.plain();

  public CommandUnderTest(Command command) {
    this.command = command;
  }

  /** What it asks. */
  public FakeService coordinator() {
    return coordinator;
  }

  /** Runs it with these words, which must succeed; returns all that it has printed so far. */
  public String run(String... words) throws Exception {
    Properties properties = new Properties();
    properties.setProperty("sluice.rest", coordinator.url());
    int code =
        command.run(
            command.commandLine().parse(List.of(words)),
            new CommandContext(captured.terminal(), Settings.of(properties), new MovedClock(0)));
    assertThat(code).isZero();
    return captured.output();
  }

  @Override
  public void close() {
    coordinator.close();
  }
}
