package io.sluice.systemtests.lake;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.Connection;
import io.sluice.client.TableSpec;
import io.sluice.common.TablePath;
import io.sluice.format.row.Row;
import io.sluice.protocol.tiering.v1.RoundCommittedRequest;
import io.sluice.systemtests.process.ProcessClusters;
import io.sluice.systemtests.relay.Hook;
import io.sluice.systemtests.relay.Relayed;
import io.sluice.testkit.Await;
import io.sluice.testkit.Seeds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * once-in-lake and chain while worker, lake service and coordinator are killed with SIGKILL at
 * every step of a round, one alone and two together, under a steady load.
 */
@ExtendWith(ProcessClusters.class)
final class TieringFaultTest {
  private static final boolean SOAK = Boolean.getBoolean("sluice.soak");
  private static final List<String> VICTIMS = List.of("tiering-1", "lake-1", "coordinator-1");
  private static final TablePath PATH = TablePath.parse("faults.tiered");
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /**
   * How long a file of a step may take to appear; when it does not, the kill comes all the same.
   */
  private static final Duration FILE_PATIENCE = Duration.ofSeconds(1);

  private static final int ROWS_PER_SECOND = 100;
  private static final int CHECK_EVERY = 6;

  /** What is killed here together is killed together at the step before or after too. */
  private static final Set<RoundStep> ALONE_ONLY =
      EnumSet.of(
          RoundStep.AFTER_PREPARE,
          RoundStep.BEFORE_STATE_IS_KNOWN,
          RoundStep.AFTER_STATE_IS_KNOWN,
          RoundStep.AFTER_FINISHED_REPORT);

  /** Who is killed together at which step. */
  private record Strike(RoundStep step, List<String> victims) {}

  private int kills;
  private long waitingNanos;
  private long restartingNanos;
  private int atFirstSight;

  @Test
  void everyRowIsInTheLakeOnceWhateverIsKilled(@TempDir Path dir) {
    Seeds.run(
        1,
        (seed, random) -> {
          List<Strike> strikes = strikes(new Random(random.nextLong()));
          try (RelayedCluster cluster = new RelayedCluster(dir.resolve("home"));
              Connection connection = cluster.connect()) {
            createTable(connection);
            try (SteadyLoad load = load(connection)) {
              Await.until("the lake table is made", PATIENCE, () -> cluster.lake().exists(PATH));
              for (int i = 0; i < strikes.size(); i++) {
                strike(cluster, strikes.get(i));
                load.check();
                if ((i + 1) % CHECK_EVERY == 0) {
                  OnceInLake.check(cluster.lake(), connection, PATH);
                }
              }
            }
            long rows = OnceInLake.settle(cluster.lake(), connection, PATH);
            int rounds = cluster.lake().table(PATH).checkChain();
            System.out.printf(
                "%d kills in %d strikes (%d of them with the file in sight), %d s of waiting for the"
                    + " step, %d s of starting again, %d rows in %d rounds, seed %d%n",
                kills,
                strikes.size(),
                atFirstSight,
                TimeUnit.NANOSECONDS.toSeconds(waitingNanos),
                TimeUnit.NANOSECONDS.toSeconds(restartingNanos),
                rows,
                rounds,
                seed);
            assertThat(kills).isGreaterThanOrEqualTo(30);
          }
        });
  }

  /**
   * At each step one process alone, and at most steps the two others together, in any order; in a
   * soak every process alone at every step too.
   */
  private static List<Strike> strikes(Random random) {
    List<Strike> strikes = new ArrayList<>();
    for (RoundStep step : RoundStep.values()) {
      int alone = step.ordinal() % VICTIMS.size();
      for (int i = 0; i < VICTIMS.size(); i++) {
        List<String> others = new ArrayList<>(VICTIMS);
        String victim = others.remove(i);
        if (SOAK || i == alone) {
          strikes.add(new Strike(step, List.of(victim)));
        }
        if (SOAK || (i == alone && !ALONE_ONLY.contains(step))) {
          strikes.add(new Strike(step, others));
        }
      }
    }
    Collections.shuffle(strikes, random);
    return strikes;
  }

  private static void createTable(Connection connection) {
    connection.admin().createDatabase(PATH.database(), true);
    connection
        .admin()
        .createTable(
            TableSpec.of(PATH.toString())
                .requiredColumn("sequence", "BIGINT")
                .column("text", "STRING")
                .column("number", "INT")
                .option("table.datalake.enabled", "true")
                .option("table.datalake.freshness", "1s")
                .buckets(3)
                .build());
  }

  private static SteadyLoad load(Connection connection) {
    return new SteadyLoad(
        connection,
        PATH.toString(),
        ROWS_PER_SECOND,
        n -> Row.of(n, "row " + n, n % 7 == 0 ? null : (int) n));
  }

  /** Kills when a round is at the step, starts again what was killed, and looks at the outcome. */
  private void strike(RelayedCluster cluster, Strike strike) {
    FileWatch data = FileWatch.of(tableFolder(cluster).resolve("data"));
    FileWatch metadata = FileWatch.of(tableFolder(cluster).resolve("metadata"));
    CompletableFuture<Void> killed = new CompletableFuture<>();
    Hook action =
        message -> {
          if (isAboutFiles(strike.step())) {
            // The message has gone on and must not wait for what it causes.
            CompletableFuture.runAsync(
                () -> {
                  awaitFile(strike.step(), data, metadata);
                  kill(cluster, strike, killed);
                });
          } else {
            kill(cluster, strike, killed);
          }
          return Hook.Verdict.PASS;
        };
    Relayed caught;
    long armed = System.nanoTime();
    try (RelayedCluster.Caught trap = cluster.trap(strike.step(), action)) {
      caught = trap.await("a round reaches " + strike, PATIENCE);
      killed.join();
    }
    long started = System.nanoTime();
    waitingNanos += started - armed;
    cluster.processes().startDead();
    restartingNanos += System.nanoTime() - started;
    if (strike.step() == RoundStep.BEFORE_RECORD) {
      checkResolved(cluster, caught);
    }
  }

  private void kill(RelayedCluster cluster, Strike strike, CompletableFuture<Void> killed) {
    try {
      strike.victims().forEach(cluster.processes()::kill);
      kills += strike.victims().size();
      killed.complete(null);
    } catch (Throwable e) {
      killed.completeExceptionally(e);
    }
  }

  private static boolean isAboutFiles(RoundStep step) {
    return step == RoundStep.FILES_BEING_WRITTEN
        || step == RoundStep.ICEBERG_COMMITTING
        || step == RoundStep.ICEBERG_METADATA_WRITTEN;
  }

  private void awaitFile(RoundStep step, FileWatch data, FileWatch metadata) {
    boolean seen =
        switch (step) {
          case FILES_BEING_WRITTEN -> data.await(name -> true, FILE_PATIENCE);
          case ICEBERG_COMMITTING -> metadata.await(name -> true, FILE_PATIENCE);
          default -> metadata.await(name -> name.endsWith(".json"), FILE_PATIENCE);
        };
    if (seen) {
      atFirstSight++;
    }
  }

  /**
   * What was about to be recorded when lake or coordinator died is in the lake already: it is found
   * there and not done again.
   */
  private static void checkResolved(RelayedCluster cluster, Relayed caught) {
    try {
      String round = RoundCommittedRequest.parseFrom(caught.bytes()).getRoundId();
      assertThat(cluster.lake().table(PATH).rounds()).containsOnlyOnce(round);
    } catch (com.google.protobuf.InvalidProtocolBufferException e) {
      throw new AssertionError("The lake sent what is no record", e);
    }
  }

  /** Made by the first round, and named after the table. */
  private static Path tableFolder(RelayedCluster cluster) {
    Path database = cluster.processes().warehouse().resolve(PATH.database());
    if (Files.isDirectory(database)) {
      try (Stream<Path> folders = Files.list(database)) {
        return folders.findFirst().orElse(database);
      } catch (IOException e) {
        throw new UncheckedIOException("Cannot list " + database, e);
      }
    }
    return database;
  }
}
