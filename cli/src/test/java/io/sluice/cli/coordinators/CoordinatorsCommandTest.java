package io.sluice.cli.coordinators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.CommandContext;
import io.sluice.cli.Settings;
import io.sluice.cli.options.UsageException;
import io.sluice.cli.rest.FakeService;
import io.sluice.cli.terminal.CapturedTerminal;
import io.sluice.testkit.MovedClock;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CoordinatorsCommandTest {
  private static final String GROUP =
      """
      {"self":"1","role":"FOLLOWER","leader":"2","term":3,"index":17,"members":[
       {"id":"1","host":"h1","raftPort":9133,"grpcPort":9123,"httpPort":9180,"leads":false},
       {"id":"2","host":"h2","raftPort":9134,"grpcPort":9124,"httpPort":9181,"leads":true}]}
      """;

  private final CapturedTerminal captured = CapturedTerminal.plain();
  private final FakeService coordinator =
      new FakeService()
          .answers("/api/v1/coordinators", 200, GROUP)
          .answers("/api/v1/coordinators/change", 200, GROUP);

  @AfterEach
  void close() {
    coordinator.close();
  }

  private void run(String... words) {
    Properties properties = new Properties();
    properties.setProperty("sluice.rest", coordinator.url());
    CoordinatorsCommand command = new CoordinatorsCommand();
    int code =
        command.run(
            command.commandLine().parse(List.of(words)),
            new CommandContext(captured.terminal(), Settings.of(properties), new MovedClock(0)));
    assertThat(code).isZero();
  }

  @Test
  void showsWhoTheyAreAndWhichOneLeads() {
    run();
    assertThat(captured.output())
        .containsPattern("1 +h1 +9133 +9123 +9180\\s")
        .containsPattern("2 +h2 +9134 +9124 +9181 +leads");
  }

  @Test
  void asksForChanges() {
    run("replace", "2", "4=h4:9136:9126:9183");
    run("remove", "2");
    assertThat(coordinator.requests().get(0))
        .startsWith("POST /api/v1/coordinators/change")
        .contains("\"leaving\":\"2\"", "\"id\":\"4\"", "\"host\":\"h4\"", "\"raftPort\":9136")
        .contains("\"grpcPort\":9126", "\"httpPort\":9183");
    assertThat(coordinator.requests().get(1))
        .contains("\"leaving\":\"2\"")
        .doesNotContain("joining");
  }

  @Test
  void refusesWhatItDoesNotUnderstand() {
    assertThatThrownBy(() -> run("swap", "1"))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("replace, add or remove");
    assertThatThrownBy(() -> run("replace", "2")).hasMessageContaining("ID=HOST:RAFT:GRPC:HTTP");
    assertThatThrownBy(() -> run("add", "4=h:1:2")).hasMessageContaining("must have the form");
    assertThat(coordinator.requests()).isEmpty();
  }
}
