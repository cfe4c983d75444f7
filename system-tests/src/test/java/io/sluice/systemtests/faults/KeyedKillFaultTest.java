package io.sluice.systemtests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.ClientConfig;
import io.sluice.client.Connection;
import io.sluice.client.Key;
import io.sluice.client.Lookuper;
import io.sluice.systemtests.process.ProcessCluster;
import io.sluice.systemtests.process.ProcessClusters;
import io.sluice.testkit.Await;
import io.sluice.testkit.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * state-is-fold, read-your-write and no-dup of a primary-key table under kill -9 of its tablet:
 * several clients upsert, delete, update column sets and look up; the rows are always the fold of
 * the changelog and what the clients were told, and every acknowledged upsert is in the changelog
 * once.
 */
@ExtendWith(ProcessClusters.class)
final class KeyedKillFaultTest {
  /** {@code -Dsluice.kills=N} sets it; with {@code -Dsluice.soak=true} many more. */
  private static final int KILLS =
      Integer.getInteger("sluice.kills", Boolean.getBoolean("sluice.soak") ? 80 : 4);

  private static final int CLIENTS = 4;
  private static final int OPERATIONS_A_LIFE = 5000;
  private static final int FEWEST_OPERATIONS = Math.max(100_000, KILLS * 12_500);
  private static final Duration PATIENT = Duration.ofMinutes(2);
  private static final Duration IMPATIENT = Duration.ofSeconds(2);

  private final KeyedModel model = new KeyedModel(CLIENTS);

  @Test
  void rowsAreTheFoldOfTheChangelogAndWhatClientsWereTold(ProcessCluster cluster) {
    Seeds.run(
        1,
        (seed, random) -> {
          System.out.println("KeyedKillFaultTest runs with seed " + seed);
          try (Connection connection = open(cluster, PATIENT)) {
            KeyedTable table = KeyedTable.create(connection, "faults", "keyed_kill", 4);
            for (int kill = 1; kill <= KILLS; kill++) {
              liveAndKill(cluster, table, random);
              checkAtRest(connection, table, random);
            }
            liveInPeace(cluster, table, random);
            checkAtRest(connection, table, random);
            table.drop(connection);
          }
          assertThat(model.finished()).isGreaterThanOrEqualTo(FEWEST_OPERATIONS);
        });
  }

  /**
   * One life of all clients, in which the tablet dies once. In half of them clients have the
   * patience to see it come back, in the others they leave with outcomes that they do not know.
   */
  private void liveAndKill(ProcessCluster cluster, KeyedTable table, SplittableRandom random) {
    boolean patient = random.nextBoolean();
    int most = CLIENTS * OPERATIONS_A_LIFE;
    int wanted = model.finished() + random.nextInt(most / 4, most * 19 / 20);
    try (Lives lives = new Lives(cluster, table, random, !patient, OPERATIONS_A_LIFE)) {
      Await.until(
          wanted + " operations", PATIENT, () -> lives.ended() || model.finished() >= wanted);
      cluster.kill("tablet-1");
      if (patient) {
        cluster.startAgain("tablet-1");
        checkUnderLoad(cluster, table);
      }
    }
    if (!patient) {
      cluster.startAgain("tablet-1");
    }
    model.requireGood();
  }

  /** What is missing to the number of operations, and some, without a kill. */
  private void liveInPeace(ProcessCluster cluster, KeyedTable table, SplittableRandom random) {
    int missing = Math.max(0, FEWEST_OPERATIONS - model.finished());
    try (Lives lives = new Lives(cluster, table, random, false, missing / CLIENTS + 1000)) {
      Await.until("the end of the clients", PATIENT, lives::ended);
    }
    model.requireGood();
  }

  /** All clients at work, until they have done their operations or failed. */
  private final class Lives implements AutoCloseable {
    private final List<KeyedClient> clients = new ArrayList<>();
    private final ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    private final CompletableFuture<?> all;

    Lives(
        ProcessCluster cluster,
        KeyedTable table,
        SplittableRandom random,
        boolean mayFail,
        int operations) {
      List<CompletableFuture<?>> each = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        Connection own = open(cluster, mayFail ? IMPATIENT : PATIENT);
        KeyedClient client =
            new KeyedClient(model, i, random.split(), mayFail, own, table.open(own));
        clients.add(client);
        each.add(CompletableFuture.runAsync(() -> client.run(operations), threads));
      }
      all = CompletableFuture.allOf(each.toArray(new CompletableFuture<?>[0]));
    }

    boolean ended() {
      return all.isDone();
    }

    @Override
    public void close() {
      all.join();
      clients.forEach(KeyedClient::close);
      threads.shutdownNow();
    }
  }

  /** The current rows are the fold of the changelog up to the offsets that they say they are of. */
  private static KeyedTable.State check(Connection connection, KeyedTable table) {
    KeyedTable.State current = table.readCurrent(connection);
    KeyedTable.State fold = table.fold(connection, current.positions());
    assertThat(current.rows()).isEqualTo(fold.rows());
    return fold;
  }

  private static void checkUnderLoad(ProcessCluster cluster, KeyedTable table) {
    try (Connection connection = open(cluster, PATIENT)) {
      check(connection, table);
    }
  }

  private void checkAtRest(Connection connection, KeyedTable table, SplittableRandom random) {
    KeyedTable.State fold = check(connection, table);
    model.settle(fold);
    try (Lookuper lookuper = table.open(connection).lookuper()) {
      for (int i = 0; i < 100; i++) {
        long key = model.own(random.nextInt(CLIENTS), random.nextInt(KeyedModel.OWN_KEYS)).key();
        KeyedRow found = lookuper.find(Key.of(key)).map(KeyedRow::read).orElse(null);
        assertThat(found).as("row of key %s", key).isEqualTo(fold.rows().get(key));
      }
    }
  }

  private static Connection open(ProcessCluster cluster, Duration patience) {
    return Connection.open(
        ClientConfig.of(cluster.coordinators())
            .withDeliveryTimeout(patience)
            .withRequestTimeout(patience)
            .withLinger(Duration.ofMillis(2)));
  }
}
