package io.sluice.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.CommandContext;
import io.sluice.cli.Settings;
import io.sluice.cli.options.UsageException;
import io.sluice.cli.terminal.CapturedTerminal;
import io.sluice.common.TimeSource;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class BenchCommandTest {
  private final BenchCommand command = new BenchCommand();

  private void refused(String message, String... words) {
    CommandContext context =
        new CommandContext(
            CapturedTerminal.plain().terminal(), Settings.of(new Properties()), TimeSource.SYSTEM);
    assertThatThrownBy(() -> command.run(command.commandLine().parse(List.of(words)), context))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining(message);
  }

  @Test
  void aProductOrBenchmarkThatIsNotKnownIsRefused() {
    refused("'kafak'", "log-append", "--with", "kafak");
    refused("did you mean log-append?", "log-apend");
  }

  @Test
  void onlySomeBenchmarksCompare() {
    refused("start-up cannot be compared", "start-up", "--with", "kafka");
    refused("--window goes with --with", "log-append", "--window", "500");
    refused("upsert cannot be compared with kafka", "upsert", "--with", "fluss,kafka");
    refused("failover cannot be compared", "failover", "--with", "fluss");
  }

  @Test
  void thereAreNoMoreReplicasThanTablets() {
    refused("--rf is 3; with --tablets 1 it must be at most 1", "log-append", "--rf", "3");
    refused("at most 2", "log-append", "--tablets", "2", "--rf", "3", "--with", "kafka");
    refused("--tablets is 9; it must be between 1 and 5", "log-append", "--tablets", "9");
  }

  @Test
  void onlyAppendsRunOnSeveralTablets() {
    refused("--tablets goes with log-append only", "upsert", "--tablets", "3");
    refused("--rf goes with log-append only", "log-append", "latency", "--rf", "1");
    refused("--tablets goes with log-append only", "failover", "--tablets", "3");
  }

  @Test
  void flussRunsAsOneServer() {
    refused("say --with kafka", "log-append", "--tablets", "3", "--rf", "3", "--with", "fluss");
    refused("say --with kafka", "log-append", "--tablets", "3", "--with", "kafka,fluss");
  }

  @Test
  void oneFileIsForOneBenchmark() {
    refused("--json names one file", "log-append", "log-scan", "--json", "x.json");
  }

  @Test
  void optionsOfOtherBenchmarksAreRefused() {
    refused("--keys goes with upsert, partial", "log-append", "--keys", "5k");
    refused("--primary-key goes with buckets", "upsert", "--primary-key");
    refused("--keys is 5; it must be between 10", "upsert", "--keys", "5");
  }

  @Test
  void helpNamesEveryBenchmark() {
    assertThat(command.commandLine().help())
        .contains("log-append", "log-scan", "latency", "start-up", "buckets", "micro", "--with")
        .contains("upsert", "partial", "aggregate", "lookup-async", "prefix", "restart", "--keys")
        .contains("failover", "--tablets", "--rf", "metadata");
  }
}
