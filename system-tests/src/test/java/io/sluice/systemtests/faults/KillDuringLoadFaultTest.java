package io.sluice.systemtests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.AppendWriter;
import io.sluice.client.ClientConfig;
import io.sluice.client.Connection;
import io.sluice.client.WriterOptions;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.systemtests.process.ProcessCluster;
import io.sluice.systemtests.process.ProcessClusters;
import io.sluice.testkit.Await;
import io.sluice.testkit.Seeds;
import java.time.Duration;
import java.util.BitSet;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * durable-ack, no-dup and dense under kill -9 of the tablet while a named writer loads: every
 * acknowledged row is there, each row once, and a later writer of the same name goes on where the
 * earlier one got to.
 */
@ExtendWith(ProcessClusters.class)
final class KillDuringLoadFaultTest {
  /** {@code -Dsluice.kills=N} sets it; with {@code -Dsluice.soak=true} ten times as many. */
  private static final int KILLS =
      Integer.getInteger("sluice.kills", Boolean.getBoolean("sluice.soak") ? 200 : 20);

  private static final Duration PATIENT = Duration.ofMinutes(2);
  private static final Duration IMPATIENT = Duration.ofSeconds(5);
  private static final String WRITER = "loader";
  private static final int BATCH_BYTES = 16 * 1024;
  private static final int MOST_ROWS = 20_000;
  private static final int MOST_REPEATED_ROWS = 3000;

  /** What the outside world knows: rows handed to a writer, and rows it acknowledged. */
  private final BitSet acknowledged = new BitSet();

  private final AtomicInteger acknowledgements = new AtomicInteger();
  private int appendedEnd;

  @Test
  void everyAcknowledgedRowIsThereOnce(ProcessCluster cluster) {
    Seeds.run(
        1,
        (seed, random) -> {
          SequenceTable table = createTable(cluster);
          for (int kill = 1; kill <= KILLS; kill++) {
            loadAndKill(cluster, table, random, kill);
          }
          loadTheRest(cluster, table);
        });
  }

  private static SequenceTable createTable(ProcessCluster cluster) {
    try (Connection connection = open(cluster, PATIENT)) {
      return SequenceTable.create(connection, "faults", "kill_during_load", 4);
    }
  }

  /**
   * One writer's life, which sees the tablet die once and itself survives in half of the rounds.
   */
  private void loadAndKill(
      ProcessCluster cluster, SequenceTable table, SplittableRandom random, int kill) {
    if (random.nextBoolean()) {
      try (Connection connection = open(cluster, PATIENT)) {
        AppendWriter writer = openWriter(connection, table);
        int end = appendAroundKill(writer, cluster, random);
        cluster.startAgain("tablet-1");
        writer.flush();
        assertThat(acknowledgedEnd()).as("after flush, kill %s", kill).isGreaterThanOrEqualTo(end);
      }
    } else {
      Connection connection = open(cluster, IMPATIENT);
      appendAroundKill(openWriter(connection, table), cluster, random);
      CompletableFuture<Void> gaveUp = CompletableFuture.runAsync(() -> giveUp(connection));
      cluster.startAgain("tablet-1");
      gaveUp.join();
    }
    if (kill % 5 == 0) {
      checkAcknowledged(cluster, table, kill);
    }
  }

  /** Small batches, so that the kill finds many of them on their way. */
  private static AppendWriter openWriter(Connection connection, SequenceTable table) {
    return connection
        .table(table.path())
        .appendWriter(WriterOptions.named(WRITER).batchBytes(BATCH_BYTES));
  }

  /** Kills when some of the rows are acknowledged; returns the end of what was appended. */
  private int appendAroundKill(
      AppendWriter writer, ProcessCluster cluster, SplittableRandom random) {
    int first = firstSequence(writer, random);
    int rows = random.nextInt(1, MOST_ROWS);
    int before = acknowledgements.get();
    append(writer, first, rows);
    int wanted = random.nextInt(rows);
    Await.until(
        wanted + " of " + rows + " rows are acknowledged",
        PATIENT,
        () -> acknowledgements.get() - before >= wanted);
    cluster.kill("tablet-1");
    return append(writer, first + rows, random.nextInt(MOST_ROWS));
  }

  /**
   * Closes a client whose tablet is dead. Unless the tablet is back before its patience ends, rows
   * that are not acknowledged stay unknown to it.
   */
  private static void giveUp(Connection connection) {
    try {
      connection.close();
    } catch (SluiceException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT);
    }
  }

  /**
   * Where a writer begins: what is committed, and some rows before it once more. To be told that a
   * row is committed is an acknowledgement too: its own may have been lost with the tablet.
   */
  private int firstSequence(AppendWriter writer, SplittableRandom random) {
    int committedEnd = Math.toIntExact(writer.committedSequence() + 1);
    assertThat(committedEnd).isBetween(acknowledgedEnd(), appendedEnd);
    acknowledgeUpTo(committedEnd);
    return Math.max(0, committedEnd - random.nextInt(MOST_REPEATED_ROWS));
  }

  private int append(AppendWriter writer, int from, int count) {
    for (int sequence = from; sequence < from + count; sequence++) {
      int appended = sequence;
      appendedEnd = Math.max(appendedEnd, sequence + 1);
      writer
          .append(sequence, SequenceTable.row(sequence))
          .whenComplete(
              (result, failure) -> {
                if (failure == null) {
                  acknowledge(appended);
                }
              });
    }
    return from + count;
  }

  private void loadTheRest(ProcessCluster cluster, SequenceTable table) {
    try (Connection connection = open(cluster, PATIENT)) {
      try (AppendWriter writer =
          connection.table(table.path()).appendWriter(WriterOptions.named(WRITER))) {
        int committedEnd = Math.toIntExact(writer.committedSequence() + 1);
        append(writer, committedEnd, appendedEnd - committedEnd + MOST_ROWS);
        writer.flush();
      }
      BitSet found = table.readSequences(connection);
      assertThat(found.cardinality()).isEqualTo(appendedEnd);
      assertThat(found.nextClearBit(0)).isEqualTo(appendedEnd);
      connection.admin().dropTable(TablePath.parse(table.path()), false);
    }
  }

  private void checkAcknowledged(ProcessCluster cluster, SequenceTable table, int kill) {
    try (Connection connection = open(cluster, PATIENT)) {
      BitSet missing = acknowledgedCopy();
      missing.andNot(table.readSequences(connection));
      assertThat(missing.isEmpty())
          .as("acknowledged rows that are not there after kill %s: %s", kill, missing)
          .isTrue();
    }
  }

  private synchronized void acknowledge(int sequence) {
    acknowledgements.incrementAndGet();
    acknowledged.set(sequence);
  }

  private synchronized void acknowledgeUpTo(int end) {
    acknowledged.set(0, end);
  }

  /** The end of the acknowledged rows that leave no gap. */
  private synchronized int acknowledgedEnd() {
    return acknowledged.nextClearBit(0);
  }

  private synchronized BitSet acknowledgedCopy() {
    return (BitSet) acknowledged.clone();
  }

  private static Connection open(ProcessCluster cluster, Duration deliveryTimeout) {
    return Connection.open(
        ClientConfig.of(cluster.coordinators()).withDeliveryTimeout(deliveryTimeout));
  }
}
