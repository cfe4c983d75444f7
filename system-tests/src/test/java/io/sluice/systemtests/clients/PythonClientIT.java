package io.sluice.systemtests.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.Connection;
import io.sluice.format.batch.CompressionSettings;
import io.sluice.systemtests.local.LocalCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A stock pyarrow, nothing of ours, works with the tablets. Skipped where Python is not at hand.
 */
final class PythonClientIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private final LocalCluster cluster = LocalCluster.shared();
  private Python python;

  @BeforeEach
  void findPython() {
    python = Python.orSkip();
  }

  @Test
  void quickstartOfTheDocumentationFindsWhatItExpects() {
    Python.Result result =
        python.runScript(TIMEOUT, "docs/examples/python/quickstart.py", address(), "--check");
    assertThat(result.exitCode()).as("%s", result.output()).isZero();
    assertThat(result.output()).endsWith("PASS\n");
  }

  @Test
  void quickstartNamesTheStepThatFails() {
    Python.Result result =
        python.runScript(
            TIMEOUT, "docs/examples/python/quickstart.py", "grpc://127.0.0.1:1", "--check");
    assertThat(result.exitCode()).as("%s", result.output()).isEqualTo(1);
    assertThat(result.output()).contains("Create a table").contains("FAILED");
  }

  @Test
  void rowsOfEveryCodecAreCountedAndReadAsWritten() {
    List<String> expected = new ArrayList<>();
    List<String> arguments = new ArrayList<>(List.of(address(), CompressibleTable.DATABASE));
    try (Connection connection = cluster.connect()) {
      for (CompressionSettings settings : CompressibleTable.SETTINGS) {
        CompressibleTable table = CompressibleTable.create(connection, "python", settings);
        table.write(connection, CompressibleTable.FEW_BATCHES);
        expected.add("%s %d %2$d %08x".formatted(table.name(), table.rows(), table.digest()));
        arguments.add(table.name());
      }
    }
    Python.Result result =
        python.runScript(
            TIMEOUT,
            "system-tests/src/test/python/read_table.py",
            arguments.toArray(String[]::new));
    assertThat(result.exitCode()).as("%s", result.output()).isZero();
    assertThat(result.output().lines()).containsExactlyElementsOf(expected);
  }

  private String address() {
    return "grpc://127.0.0.1:" + cluster.flightPort(1);
  }
}
