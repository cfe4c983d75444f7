package io.sluice.systemtests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.AppendWriter;
import io.sluice.client.ClientConfig;
import io.sluice.client.Connection;
import io.sluice.client.WriterOptions;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.systemtests.process.ProcessCluster;
import io.sluice.systemtests.process.ProcessClusters;
import io.sluice.testkit.Await;
import io.sluice.testkit.Seeds;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * durable-ack, no-dup and evolve under kill -9 of tablet and coordinator while rows go to
 * partitions that come by being written to, others are made and dropped by hand, and columns are
 * added: every acknowledged row of a partition that lives is there once, and all rows read right
 * under the newest schema.
 */
@ExtendWith(ProcessClusters.class)
final class PartitionChurnFaultTest {
  private static final int ROUNDS =
      Integer.getInteger("sluice.kills", Boolean.getBoolean("sluice.soak") ? 40 : 3);

  private static final Duration PATIENT = Duration.ofMinutes(2);
  private static final int BATCH_BYTES = 8 * 1024;
  private static final int LEAST_ROWS = 3000;
  private static final int ROWS_BETWEEN_CHANGES = 500;

  /** Rows under way, so that a load of some seconds stays small. */
  private static final int MOST_UNANSWERED = 300;

  private final AtomicInteger next = new AtomicInteger();

  @Test
  void acknowledgedRowsOfLivePartitionsAreThereOnce(ProcessCluster cluster) {
    Seeds.run(
        1,
        (seed, random) -> {
          ChurnTable table;
          try (Connection connection = open(cluster)) {
            table = ChurnTable.create(connection, "faults.partition_churn");
          }
          for (int round = 1; round <= ROUNDS; round++) {
            churnAndKill(cluster, table, random, round);
          }
          try (Connection connection = open(cluster)) {
            table.check(connection);
            connection.admin().dropTable(table.path(), false);
          }
        });
  }

  /** One writer's life: it sees services die, columns come and partitions go. */
  private void churnAndKill(
      ProcessCluster cluster, ChurnTable table, SplittableRandom random, int round) {
    AtomicBoolean stop = new AtomicBoolean();
    int first = next.get();
    try (Connection connection = open(cluster);
        Connection other = open(cluster)) {
      AppendWriter writer =
          connection
              .table(table.path().toString())
              .appendWriter(WriterOptions.defaults().batchBytes(BATCH_BYTES));
      int added = table.added();
      CompletableFuture<Void> load =
          CompletableFuture.runAsync(() -> load(table, writer, added, stop));
      CompletableFuture<Void> changes =
          CompletableFuture.runAsync(() -> change(table, other, stop));
      awaitAcknowledged(table, first, random.nextInt(LEAST_ROWS));
      cluster.kill("tablet-1");
      if (round % 2 == 0) {
        cluster.kill("coordinator-1");
        cluster.startAgain("coordinator-1");
      }
      cluster.startAgain("tablet-1");
      awaitAcknowledged(table, first, LEAST_ROWS);
      stop.set(true);
      changes.join();
      load.join();
      flush(writer);
    } finally {
      stop.set(true);
    }
  }

  private static void awaitAcknowledged(ChurnTable table, int first, int rows) {
    Await.until(
        rows + " rows are acknowledged", PATIENT, () -> table.acknowledgedSince(first) >= rows);
  }

  /** Changes the table again and again, with some rows in between. */
  private static void change(ChurnTable table, Connection connection, AtomicBoolean stop) {
    for (int pass = 1; !stop.get(); pass++) {
      table.churn(connection);
      int before = table.answered();
      Await.until(
          "rows are answered after change " + pass,
          PATIENT,
          () -> stop.get() || table.answered() - before >= ROWS_BETWEEN_CHANGES);
    }
  }

  private void load(ChurnTable table, AppendWriter writer, int added, AtomicBoolean stop) {
    while (!stop.get()) {
      Await.until("there is room", PATIENT, () -> table.unanswered() < MOST_UNANSWERED);
      table.append(writer, next.getAndIncrement(), added);
    }
  }

  /** Rows on their way to a partition that was dropped fail, and only they. */
  private static void flush(AppendWriter writer) {
    try {
      writer.flush();
    } catch (SluiceException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.PARTITION_NOT_FOUND);
    }
  }

  private static Connection open(ProcessCluster cluster) {
    return Connection.open(ClientConfig.of(cluster.coordinators()).withDeliveryTimeout(PATIENT));
  }
}
