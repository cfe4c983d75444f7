package io.sluice.coordinator.tiering;

import static io.sluice.coordinator.tiering.QueueHarness.finished;
import static io.sluice.coordinator.tiering.QueueHarness.has;
import static io.sluice.coordinator.tiering.QueueHarness.worker;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.tiering.QueueHarness.Stream;
import io.sluice.protocol.tiering.v1.Assignment;
import io.sluice.protocol.tiering.v1.WorkerReport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The tables of the tiering walkthrough, whose queue at time 0 is clicks, orders, customers, with
 * workers of one slot that take one table after the other.
 */
class FifoSimulationTest {
  private static final Map<String, Integer> ROUND_SECONDS =
      Map.of("clicks", 30, "orders", 90, "customers", 100);

  private final QueueHarness harness = new QueueHarness();
  private final Map<Long, String> names = new HashMap<>();
  private final List<String> commits = new ArrayList<>();

  @Test
  void oneWorkerCommitsInQueueOrderAndClicksComesRoundLate() {
    simulate(1, 260);
    assertThat(commits).containsExactly("clicks 30", "orders 120", "customers 220", "clicks 250");
  }

  @Test
  void twoWorkersBringClicksRoundAfterNinetySeconds() {
    simulate(2, 150);
    assertThat(commits).containsExactly("clicks 30", "orders 90", "clicks 120", "customers 130");
  }

  @Test
  void anIdleWorkerGivesTheCadenceOfRoundPlusFreshness() {
    names.put(harness.create("clicks", 60_000), "clicks");
    harness.pass(60_000);
    simulateFrom(1, 400);
    assertThat(commits)
        .containsExactly("clicks 30", "clicks 120", "clicks 210", "clicks 300", "clicks 390");
  }

  private void simulate(int workers, int seconds) {
    names.put(harness.create("clicks", 60_000), "clicks");
    names.put(harness.create("orders", 120_000), "orders");
    names.put(harness.create("customers", 300_000), "customers");
    harness.pass(60_000);
    harness.pass(60_000);
    harness.pass(180_000);
    simulateFrom(workers, seconds);
  }

  private void simulateFrom(int count, int seconds) {
    List<Busy> workers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      workers.add(new Busy("w" + i));
    }
    workers.forEach(worker -> worker.report(0));
    for (int second = 1; second <= seconds; second++) {
      harness.pass(1_000);
      for (Busy worker : workers) {
        worker.work(second);
      }
    }
  }

  /** A worker that needs the table's time for a round and reports when it ends and every 30 s. */
  private final class Busy {
    private final String id;
    private final Stream stream = new Stream();
    private int seen;
    private int startedAt;

    Busy(String id) {
      this.id = id;
    }

    void report(int second) {
      WorkerReport.Builder report = worker(id, "a", 1);
      if (seen < stream.assigned.size()) {
        report.addTables(has(stream.lastAssigned()));
      }
      harness.report(stream, report);
      takeNew(second);
    }

    private void takeNew(int second) {
      if (stream.assigned.size() > seen && startedAt < 0) {
        startedAt = second;
      }
    }

    void work(int second) {
      if (seen == stream.assigned.size()) {
        startedAt = -1;
        return;
      }
      if (startedAt < 0) {
        startedAt = second;
      }
      Assignment current = stream.assigned.get(seen);
      String name = names.get(current.getTableId());
      if (second - startedAt >= ROUND_SECONDS.get(name)) {
        harness.commit(current);
        commits.add(name + " " + second);
        seen++;
        startedAt = -1;
        harness.report(stream, worker(id, "a", 1).addFinished(finished(current, 1, false)));
        takeNew(second);
      } else if (second % 30 == 0) {
        report(second);
      }
    }
  }
}
