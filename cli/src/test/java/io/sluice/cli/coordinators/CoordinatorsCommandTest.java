package io.sluice.cli.coordinators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.CommandUnderTest;
import io.sluice.cli.options.UsageException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CoordinatorsCommandTest {
  private static final String GROUP =
      """
      {"self":"1","role":"FOLLOWER","leader":"2","term":3,"index":17,"members":[
       {"id":"1","host":"h1","raftPort":9133,"grpcPort":9123,"httpPort":9180,"leads":false},
       {"id":"2","host":"h2","raftPort":9134,"grpcPort":9124,"httpPort":9181,"leads":true}]}
      """;

  private final CommandUnderTest command = new CommandUnderTest(new CoordinatorsCommand());

  @BeforeEach
  void answer() {
    command
        .coordinator()
        .answers("/api/v1/coordinators", 200, GROUP)
        .answers("/api/v1/coordinators/change", 200, GROUP);
  }

  @AfterEach
  void close() {
    command.close();
  }

  @Test
  void showsWhoTheyAreAndWhichOneLeads() throws Exception {
    assertThat(command.run())
        .containsPattern("1 +h1 +9133 +9123 +9180\\s")
        .containsPattern("2 +h2 +9134 +9124 +9181 +leads");
  }

  @Test
  void asksForChanges() throws Exception {
    command.run("replace", "2", "4=h4:9136:9126:9183");
    command.run("remove", "2");
    List<String> requests = command.coordinator().requests();
    assertThat(requests.get(0))
        .startsWith("POST /api/v1/coordinators/change")
        .contains("\"leaving\":\"2\"", "\"id\":\"4\"", "\"host\":\"h4\"", "\"raftPort\":9136")
        .contains("\"grpcPort\":9126", "\"httpPort\":9183");
    assertThat(requests.get(1)).contains("\"leaving\":\"2\"").doesNotContain("joining");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "swap|unknown action 'swap'; it may be list, replace, add or remove",
        "swap 1|unknown action 'swap'",
        "remove|remove needs OLD, the id of the one that leaves",
        "add|add needs NEW, as ID=HOST:RAFT:GRPC:HTTP",
        "replace|replace needs OLD, the id of the one that leaves",
        "replace 2|replace needs NEW as well, as ID=HOST:RAFT:GRPC:HTTP",
        "add 4=h:1:2|'4=h:1:2' must have the form",
        "add 4=h:1:2:x|'4=h:1:2:x' must have the form",
        "add 4=h:1:2:0|port 0 in '4=h:1:2:0' must be between 1 and 65535",
        "add 4=h:70000:2:3|port 70000 in '4=h:70000:2:3' must be between 1 and 65535",
        "add 4=h:1:2:3 5=h:1:2:3|add takes nothing behind '4=h:1:2:3', but there is '5=h:1:2:3'",
        "remove 2 4=h:1:2:3|remove takes nothing behind '2', but there is '4=h:1:2:3'",
        "list 2|list takes nothing behind it, but there is '2'"
      })
  void refusesWhatItDoesNotUnderstand(String wordsAndReason) {
    String[] parts = wordsAndReason.split("\\|");
    assertThatThrownBy(() -> command.run(parts[0].split(" ")))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining(parts[1]);
    assertThat(command.coordinator().requests()).isEmpty();
  }
}
