package io.sluice.systemtests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.ClientConfig;
import io.sluice.client.Connection;
import io.sluice.client.Key;
import io.sluice.client.UpsertWriter;
import io.sluice.client.WriterOptions;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.systemtests.process.ProcessCluster;
import io.sluice.systemtests.process.ProcessClusters;
import io.sluice.testkit.Await;
import io.sluice.testkit.Seeds;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * no-dup and no-loss of a named upsert writer that starts again and again, and repeats what it sent
 * before, while its tablet is killed: the changelog has every change once.
 */
@ExtendWith(ProcessClusters.class)
final class NamedUpsertFaultTest {
  private static final int KILLS =
      Integer.getInteger("sluice.kills", Boolean.getBoolean("sluice.soak") ? 60 : 3);

  private static final Duration PATIENT = Duration.ofMinutes(2);
  private static final Duration IMPATIENT = Duration.ofSeconds(2);
  private static final int KEYS = 700;
  private static final int BATCH_BYTES = 16 * 1024;
  private static final int MOST_ROWS = 10_000;

  private final AtomicInteger acknowledgements = new AtomicInteger();
  private int end;

  @Test
  void everyChangeIsMadeOnce(ProcessCluster cluster) {
    Seeds.run(
        1,
        (seed, random) -> {
          KeyedTable table = create(cluster);
          for (int kill = 1; kill <= KILLS; kill++) {
            loadAndKill(cluster, table, random);
          }
          loadTheRest(cluster, table);
        });
  }

  private static KeyedTable create(ProcessCluster cluster) {
    try (Connection connection = open(cluster, PATIENT)) {
      return KeyedTable.create(connection, "faults", "named_upserts", 4);
    }
  }

  /** One writer's life, which sees the tablet die once and survives that in half of the rounds. */
  private void loadAndKill(ProcessCluster cluster, KeyedTable table, SplittableRandom random) {
    boolean survives = random.nextBoolean();
    Connection connection = open(cluster, survives ? PATIENT : IMPATIENT);
    UpsertWriter writer = openWriter(connection, table);
    int first = Math.toIntExact(writer.committedSequence() + 1);
    assertThat(first).isLessThanOrEqualTo(end);
    first = Math.max(0, first - random.nextInt(3000));
    int rows = random.nextInt(end - first + 1, end - first + MOST_ROWS);
    int wanted = acknowledgements.get() + random.nextInt(rows);
    write(writer, first, first + rows);
    Await.until("acknowledgements", PATIENT, () -> acknowledgements.get() >= wanted);
    cluster.kill("tablet-1");
    write(writer, first + rows, first + rows + random.nextInt(MOST_ROWS));
    if (survives) {
      cluster.startAgain("tablet-1");
      writer.flush();
      assertThat(writer.committedSequence()).isEqualTo(end - 1);
      connection.close();
    } else {
      CompletableFuture<Void> gaveUp = CompletableFuture.runAsync(() -> giveUp(connection));
      cluster.startAgain("tablet-1");
      gaveUp.join();
    }
  }

  private static UpsertWriter openWriter(Connection connection, KeyedTable table) {
    return table
        .open(connection)
        .upsertWriter(WriterOptions.named("upserts").batchBytes(BATCH_BYTES));
  }

  /** Every eleventh change deletes its row, the others upsert it with their own number. */
  private void write(UpsertWriter writer, int from, int to) {
    end = Math.max(end, to);
    for (int sequence = from; sequence < to; sequence++) {
      CompletableFuture<?> outcome =
          sequence % 11 == 10
              ? writer.delete(sequence, Key.of(key(sequence)))
              : writer.upsert(sequence, KeyedRow.of(sequence).withKey(key(sequence)));
      var unused =
          outcome.whenComplete(
              (result, failure) -> {
                if (failure == null) {
                  acknowledgements.incrementAndGet();
                }
              });
    }
  }

  private static long key(long sequence) {
    return sequence * 31 % KEYS;
  }

  private static void giveUp(Connection connection) {
    try {
      connection.close();
    } catch (SluiceException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT);
    }
  }

  private void loadTheRest(ProcessCluster cluster, KeyedTable table) {
    try (Connection connection = open(cluster, PATIENT)) {
      try (UpsertWriter writer = openWriter(connection, table)) {
        write(writer, Math.toIntExact(writer.committedSequence() + 1), end + 1000);
      }
      KeyedTable.State current = table.readCurrent(connection);
      KeyedTable.State fold = table.fold(connection, current.positions());
      assertThat(current.rows()).isEqualTo(fold.rows());
      Map<Long, KeyedRow> expected = new HashMap<>();
      for (long sequence = 0; sequence < end; sequence++) {
        boolean deleted = sequence % 11 == 10;
        int times = fold.writes().getOrDefault(sequence, 0);
        if (times != (deleted ? 0 : 1)) {
          throw new AssertionError("Change " + sequence + " is there " + times + " times");
        }
        if (deleted) {
          expected.remove(key(sequence));
        } else {
          expected.put(key(sequence), KeyedRow.of(sequence));
        }
      }
      assertThat(current.rows()).isEqualTo(expected);
      table.drop(connection);
    }
  }

  private static Connection open(ProcessCluster cluster, Duration deliveryTimeout) {
    return Connection.open(
        ClientConfig.of(cluster.coordinators()).withDeliveryTimeout(deliveryTimeout));
  }
}
