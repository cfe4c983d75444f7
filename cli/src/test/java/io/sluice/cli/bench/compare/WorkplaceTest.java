package io.sluice.cli.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.CliException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkplaceTest {
  @Test
  void closingEndsProcessesAndRemovesFiles() {
    Workplace workplace = Workplace.create();
    Path directory = workplace.directory("data");
    workplace.file("data/table-1/0.log", "abc");
    ChildProcess process =
        ChildProcess.server("idler", List.of("tail", "-f", "/dev/null"), directory, workplace);
    assertThat(process.process().isAlive()).isTrue();

    workplace.close();
    workplace.close();

    assertThat(process.process().isAlive()).isFalse();
    assertThat(directory).doesNotExist();
    assertThat(workplace.logging()).doesNotExist();
  }

  @Test
  void aProcessThatEndsWhileItStartsShowsItsLastWords() {
    try (Workplace workplace = Workplace.create()) {
      ChildProcess process =
          ChildProcess.server(
              "broken",
              List.of("sh", "-c", "echo no such option; exit 3"),
              workplace.directory("x"),
              workplace);
      int port = Workplace.freePorts(1).get(0);

      assertThatThrownBy(() -> process.awaitPort(port, Duration.ofSeconds(20)))
          .isInstanceOf(CliException.class)
          .hasMessage("broken ended with exit code 3 while starting")
          .extracting(e -> ((CliException) e).hint())
          .isEqualTo("no such option");
    }
  }

  @Test
  void countsTheBytesOfMatchingFiles() throws IOException {
    try (Workplace workplace = Workplace.create()) {
      workplace.file("d/a.log", "12345");
      workplace.file("d/e/b.log", "123");
      workplace.file("d/c.index", "1");

      assertThat(
              Workplace.bytes(workplace.directory("d"), file -> file.toString().endsWith(".log")))
          .isEqualTo(8);
      assertThat(Workplace.bytes(Path.of("/nowhere"), file -> true)).isZero();
    }
  }

  @Test
  void portsDiffer() {
    assertThat(Workplace.freePorts(5)).hasSize(5).doesNotHaveDuplicates();
  }

  @Test
  void jarsThatAreNotThereAreNamedWithAWayOut() throws IOException {
    Path repository = Files.createTempDirectory("sluice-bench-test-");
    try {
      assertThatThrownBy(() -> new PeerFiles(repository, "kafka").clientClassPath())
          .isInstanceOf(CliException.class)
          .hasMessageStartingWith("The jars of kafka are not there")
          .extracting(e -> ((CliException) e).hint())
          .asString()
          .contains("--with kafka");
    } finally {
      Files.delete(repository);
    }
  }
}
