package io.sluice.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KeyedWorkloadsTest {
  private final MemoryKeyedProduct product = new MemoryKeyedProduct();
  private final Workloads workloads = new Workloads(product);

  private Map<String, Object> run(String verb, String schema, String words) throws Exception {
    Map<String, Object> answer = new LinkedHashMap<>();
    long self = ProcessHandle.current().pid();
    String table = " table=t codec=default buckets=2 keys=1000 schema=" + schema;
    workloads.run(Order.parse(verb + table + " servers=" + self + " " + words), answer);
    return answer;
  }

  private Object[] row(long key) {
    return product.tables.get("t").get(key);
  }

  @Test
  void fillsEveryKeyWithItsRow() throws Exception {
    Map<String, Object> answer = run("fill", "keyed", "");

    assertThat(answer).containsEntry("rows", 1_000L).containsKey("rows_per_s");
    assertThat(product.tables.get("t")).hasSize(1_000);
    assertThat(row(7)).startsWith(7L).endsWith(RowRing.of(BenchSchema.of("narrow")).row(7)[5]);
  }

  @Test
  void rowsOfGroupsHaveTheNumberOfTheGroupFirst() throws Exception {
    run("fill", "grouped", "");

    assertThat(row(123)).startsWith(12L, 123L);
  }

  @Test
  void upsertsRandomKeysAndReadsThemBack() throws Exception {
    run("fill", "keyed", "");
    Map<String, Object> answer = run("upsert", "keyed", "rows=5000");

    assertThat(answer).containsEntry("rows", 5_000L).containsEntry("failed_writes", 0L);
    assertThat(product.tables.get("t")).hasSize(1_000);
    assertThat(product.changes).containsEntry("t", 1_000L + 2 * 7_000);
  }

  @Test
  void upsertsForATime() throws Exception {
    run("fill", "keyed", "");

    assertThat((Double) run("upsert", "keyed", "millis=20").get("seconds"))
        .isGreaterThanOrEqualTo(0.02);
  }

  @Test
  void partialUpdatesLeaveTheOtherColumns() throws Exception {
    run("fill", "keyed", "");
    Object[] before = row(500).clone();
    run("upsert", "keyed", "rows=20000 columns=0,2,3");

    assertThat(row(500)[2]).isNotEqualTo(before[2]);
    assertThat(row(500)[4]).isEqualTo(before[4]);
  }

  @Test
  void sumsAndBitmapsOfTheModelAreThoseOfTheTable() throws Exception {
    run("fill", "aggregate", "");
    run("upsert", "aggregate", "rows=5000");

    assertThat(PortableBitmap.decode((byte[]) row(0)[2]).cardinality()).isGreaterThan(1);
  }

  @Test
  void aLostWriteIsNoticed() throws Exception {
    run("fill", "keyed", "");
    product.loseEvery = 10;

    assertThatThrownBy(() -> run("upsert", "keyed", "rows=5000"))
        .hasMessageMatching("Row \\d+ of t is \\[.*]; it was written as \\[.*]");
  }

  @Test
  void afterAFailureTheTableCountsAsItIs() throws Exception {
    run("fill", "keyed", "");
    product.loseEvery = 10;
    assertThatThrownBy(() -> run("upsert", "keyed", "rows=5000")).hasMessageContaining("Row ");
    product.loseEvery = 0;

    assertThat(run("upsert", "keyed", "rows=5000")).containsEntry("rows", 5_000L);
  }

  @Test
  void failedWritesAreCountedOnlyWhereThatIsAskedFor() throws Exception {
    run("fill", "keyed", "");
    product.failEvery = 4;

    assertThat(run("upsert", "keyed", "rows=4000 failures=counted"))
        .containsEntry("failed_writes", 1_500L)
        .containsEntry("rows", 3_000L);
    assertThatThrownBy(() -> run("upsert", "keyed", "rows=4000"))
        .hasMessage("1500 writes to t failed");
  }

  @Test
  void aConsumerReadsEveryChange() throws Exception {
    run("fill", "keyed", "");

    assertThat(run("upsert", "keyed", "rows=5000 consumer=true"))
        .containsKey("changelog_rows_per_s");
  }

  @Test
  void aChangeReadTwiceIsNoticed() throws Exception {
    run("fill", "keyed", "");
    product.repeatChangesEvery = 14_000;

    assertThatThrownBy(() -> run("upsert", "keyed", "rows=5000 consumer=true"))
        .hasMessage("The consumer has read 14001 rows of the changelog, which has 14000");
  }

  @Test
  void lookupsFindWhatWasWritten() throws Exception {
    run("fill", "keyed", "");

    assertThat(run("lookup", "keyed", "inflight=1 rows=300"))
        .containsEntry("rows", 300L)
        .containsKeys("p50_ms", "p99_ms");
    assertThat(run("lookup", "keyed", "inflight=16 rows=1000")).containsEntry("rows", 1_024L);
  }

  @Test
  void lookupsOfGroupsFindAllTheirRows() throws Exception {
    run("fill", "grouped", "");

    assertThat(run("lookup", "grouped", "inflight=16 millis=5")).containsKey("rows_per_s");
  }

  @Test
  void aWrongRowIsNoticed() throws Exception {
    run("fill", "keyed", "");
    row(7)[2] = -5;

    assertThatThrownBy(() -> run("lookup", "keyed", "inflight=16 rows=20000"))
        .hasMessageMatching("A lookup of 7 found the sum -?\\d+ instead of -?\\d+");
  }

  @Test
  void aProductThatComesBackAnswersALookupAndAWrite() throws Exception {
    run("fill", "keyed", "");
    run("upsert", "keyed", "rows=1000");
    product.down = 5;
    long before = System.currentTimeMillis();
    Map<String, Object> answer = run("recover", "keyed", "");

    assertThat((Long) answer.get("first_lookup_at_ms")).isGreaterThanOrEqualTo(before);
    assertThat((Long) answer.get("first_write_at_ms")).isGreaterThanOrEqualTo(before);
  }

  @Test
  void aWriteThatIsGoneAfterARestartIsNoticed() throws Exception {
    run("fill", "keyed", "");
    product.tables.get("t").remove(998L);

    assertThatThrownBy(() -> run("recover", "keyed", ""))
        .hasMessageContaining("Row 998 of t is []");
  }

  @Test
  void writesThatAreGoneAfterARestartAreCountedWhereThatIsAskedFor() throws Exception {
    run("fill", "keyed", "");
    product.tables.get("t").remove(998L);
    product.tables.get("t").remove(4L);

    assertThat(run("recover", "keyed", "failures=counted")).containsEntry("wrong_rows", 2L);
  }

  private Map<String, Object> failover(Process server) throws Exception {
    try {
      return run("failover", "keyed", "kill=" + server.pid());
    } finally {
      server.destroyForcibly();
    }
  }

  @Test
  void aFailoverKillsTheServerAndMeasuresWhatBeginsAfterwards() throws Exception {
    run("fill", "keyed", "");
    Process server = new ProcessBuilder("tail", "-f", "/dev/null").start();
    Map<String, Object> answer = failover(server);

    assertThat(server.waitFor()).isNotZero();
    assertThat((Double) answer.get("first_write_s")).isBetween(0.0, 30.0);
    assertThat((Double) answer.get("first_lookup_s")).isBetween(0.0, 30.0);
  }

  @Test
  void aWriteThatIsLostInAFailoverIsNoticed() throws Exception {
    run("fill", "keyed", "");
    product.loseEvery = 10;

    assertThatThrownBy(() -> failover(new ProcessBuilder("tail", "-f", "/dev/null").start()))
        .hasMessageContaining("it was written as");
  }

  @Test
  void aProductWithoutKeysRefuses() {
    assertThatThrownBy(
            () ->
                new Workloads(new MemoryProduct())
                    .run(Order.parse("fill table=t schema=keyed"), new LinkedHashMap<>()))
        .hasMessage("This product has no tables with a primary key to fill");
  }
}
