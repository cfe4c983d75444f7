package io.sluice.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WorkloadsTest {
  private static final String TABLE = " table=t schema=narrow codec=none buckets=2 servers=";

  private final MemoryProduct product = new MemoryProduct();
  private final Workloads workloads = new Workloads(product);

  private Map<String, Object> run(String verb, String words) throws Exception {
    Map<String, Object> answer = new LinkedHashMap<>();
    long self = ProcessHandle.current().pid();
    workloads.run(Order.parse(verb + TABLE + self + " " + words), answer);
    return answer;
  }

  @Test
  void appendsSoManyRowsAfterTheFirstOnes() throws Exception {
    Map<String, Object> answer = run("append", "rows=5000");

    assertThat(answer)
        .containsEntry("rows", 5_000L)
        .containsEntry("stored_rows", 7_000L)
        .containsEntry("stored_bytes", 70_000L)
        .containsKeys("rows_per_s", "client_cpu_s_per_million_rows", "wire_bytes_per_row");
    assertThat(product.tables.get("t")).hasSize(7_000).doesNotHaveDuplicates();
  }

  @Test
  void appendsForATime() throws Exception {
    Map<String, Object> answer = run("append", "millis=20");

    assertThat((Double) answer.get("seconds")).isGreaterThanOrEqualTo(0.02);
    assertThat((Long) answer.get("rows")).isPositive();
  }

  @Test
  void aFailoverWritesOnAndCountsWhatIsThere() throws Exception {
    run("load", "rows=1000");
    Process server = new ProcessBuilder("tail", "-f", "/dev/null").start();
    Map<String, Object> answer = run("failover", "kill=" + server.pid());

    assertThat(server.waitFor()).isNotZero();
    assertThat(answer).containsKey("first_write_s").doesNotContainKey("first_lookup_s");
    assertThat(product.tables.get("t")).doesNotHaveDuplicates();
    assertThat((Long) answer.get("stored_rows")).isGreaterThan(1_000 + 100 * 50);
  }

  @Test
  void aLostRowIsNoticed() {
    product.loseEvery = 100;

    assertThatThrownBy(() -> run("append", "rows=1000"))
        .hasMessage("3000 rows were written to t, the servers have 2970");
  }

  @Test
  void scansWholePassesWithOneSum() throws Exception {
    run("load", "rows=1000");
    Map<String, Object> answer = run("scan", "rows=1000 millis=5 columns=0 form=RAW");

    assertThat(answer).containsEntry("checksum", 999L * 1_000 / 2);
    assertThat((Long) answer.get("rows")).isEqualTo(1_000 * (Long) answer.get("passes"));
  }

  @Test
  void aRowReadTwiceIsNoticed() throws Exception {
    run("load", "rows=1000");
    product.readTwiceEvery = 250;

    assertThatThrownBy(() -> run("scan", "rows=1002 millis=5 columns=0 form=RAW"))
        .hasMessage("The scan returned 1004 rows of 1002");
  }

  @Test
  void latencyRunsFromTheDueTimeOfEachRow() throws Exception {
    Map<String, Object> answer = run("latency", "rows=300 skip=100 rate=5000");

    assertThat(answer).containsEntry("rows", 200L).containsKeys("p50_ms", "p99_ms");
    assertThat((Double) answer.get("p50_ms")).isBetween(0.0, (Double) answer.get("max_ms"));
    assertThat((Double) answer.get("p99_ms")).isLessThanOrEqualTo((Double) answer.get("max_ms"));
  }

  @Test
  void ranksAreNearestRanks() {
    long[] sorted = {1, 2, 3, 4};
    assertThat(LatencyRun.rank(sorted, 50)).isEqualTo(2);
    assertThat(LatencyRun.rank(sorted, 99)).isEqualTo(4);
    assertThat(LatencyRun.rank(sorted, 100)).isEqualTo(4);
    assertThat(LatencyRun.rank(new long[] {7}, 1)).isEqualTo(7);
  }

  @Test
  void dropsAndRefusesWhatItDoesNotKnow() throws Exception {
    run("load", "rows=1");
    run("drop", "");
    assertThat(product.tables).isEmpty();
    assertThatThrownBy(() -> run("dance", "")).hasMessage("Unknown order dance");
  }

  @Test
  void answersAreOneLineOfJson() {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("error", "a \"b\"\n\\c");
    answer.put("rows", 5L);
    answer.put("rate", Double.POSITIVE_INFINITY);

    assertThat(JsonLine.of(answer))
        .isEqualTo("{\"error\":\"a \\\"b\\\"\\u000a\\\\c\",\"rows\":5,\"rate\":null}");
  }
}
