package io.sluice.systemtests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.ClientConfig;
import io.sluice.client.Connection;
import io.sluice.client.Key;
import io.sluice.client.Lookuper;
import io.sluice.client.Table;
import io.sluice.client.TableSpec;
import io.sluice.client.UpsertWriter;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import io.sluice.systemtests.keys.Bitmaps;
import io.sluice.systemtests.process.ProcessCluster;
import io.sluice.systemtests.process.ProcessClusters;
import io.sluice.testkit.Await;
import io.sluice.testkit.Seeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tables that keep the last row, add up, and number their rows, under kill -9 of their tablet and
 * their coordinator while stores are flushed and snapshots taken: sums have every row once, lookups
 * see what was acknowledged, one key has one id and no id two keys, and rows are the fold of the
 * changelog.
 */
@ExtendWith(ProcessClusters.class)
final class MergedKillFaultTest {
  private static final int KILLS =
      Integer.getInteger("sluice.kills", Boolean.getBoolean("sluice.soak") ? 40 : 3);

  private static final int FEWEST_OPERATIONS = KILLS * 25_000;
  private static final int MOST_ROWS = 5_000;
  private static final int KEYS = 400;
  private static final int NAMES = 3_000;
  private static final int ID_CLIENTS = 2;
  private static final int NAMED_A_LIFE = 3_000;
  private static final int LOOKUPS_A_LIFE = 4_000;
  private static final int IDS_AT_ONCE = 32;
  private static final Duration PATIENT = Duration.ofMinutes(2);
  private static final Duration IMPATIENT = Duration.ofSeconds(3);
  private static final String IDS = "faults.merged_ids";

  private final AtomicInteger operations = new AtomicInteger();
  private final Map<String, Long> ids = new ConcurrentHashMap<>();
  private final NamedLoad last =
      new NamedLoad(
          "faults.merged_last",
          KEYS,
          sequence -> Row.of((long) (sequence % KEYS), (long) sequence, null),
          sequence -> sequence,
          Math::max);
  private final NamedLoad totals =
      new NamedLoad(
          "faults.merged_totals",
          KEYS,
          sequence ->
              Row.of((long) (sequence % KEYS), added(sequence), Bitmaps.of(member(sequence))),
          MergedKillFaultTest::added,
          Long::sum);
  private final List<NamedLoad> loads = List.of(last, totals);

  private static long added(int sequence) {
    return 1 + sequence % 7;
  }

  private static long member(int sequence) {
    return sequence * 31L % 100_000;
  }

  @Test
  void nothingIsLostOrDoubledOrNumberedTwice(@TempDir Path dir) {
    Seeds.run(
        1,
        (seed, random) -> {
          System.out.println("MergedKillFaultTest runs with seed " + seed);
          try (ProcessCluster cluster =
              ProcessCluster.start(
                  dir.resolve("home"),
                  1,
                  "-Dsluice.tablet.kv.flush-interval=1s",
                  "-Dsluice.tablet.kv.snapshot-interval=1s",
                  "-Dsluice.tablet.storage.segment-bytes=1MB")) {
            try (Connection connection = open(cluster, PATIENT)) {
              createTables(connection);
            }
            for (int kill = 1; kill <= KILLS; kill++) {
              liveAndKill(cluster, random, kill == (KILLS + 1) / 2);
            }
            liveInPeace(cluster, random);
            Await.until("stores have snapshots", PATIENT, () -> snapshots(cluster) > 0);
            assertThat(operations.get() + last.end() + totals.end())
                .isGreaterThanOrEqualTo(FEWEST_OPERATIONS);
          }
        });
  }

  private void createTables(Connection connection) {
    connection.admin().createDatabase("faults", true);
    TableSpec.Builder lastRows =
        TableSpec.of(last.path())
            .requiredColumn("k", "BIGINT")
            .column("n", "BIGINT")
            .column("never", "STRING")
            .primaryKey("k");
    TableSpec.Builder sums =
        TableSpec.of(totals.path())
            .requiredColumn("k", "BIGINT")
            .column("n", "BIGINT")
            .column("members", "BYTES")
            .primaryKey("k")
            .option("table.merge-engine", "aggregation")
            .option("fields.n.agg", "sum")
            .option("fields.members.agg", "rbm32");
    TableSpec.Builder numbered =
        TableSpec.of(IDS)
            .requiredColumn("name", "STRING")
            .column("id", "BIGINT")
            .column("remark", "STRING")
            .primaryKey("name")
            .option("auto-increment.fields", "id");
    for (TableSpec.Builder table : List.of(lastRows, sums, numbered)) {
      connection.admin().createTable(table.buckets(3).build());
    }
  }

  /**
   * One life of all clients, in which the tablet dies once, perhaps the coordinator too. The
   * writers see the tablet come back, or leave with outcomes that they do not know.
   */
  private void liveAndKill(ProcessCluster cluster, SplittableRandom random, boolean both) {
    boolean patient = random.nextBoolean();
    Connection writing = open(cluster, patient ? PATIENT : IMPATIENT);
    loads.forEach(load -> load.open(writing, random));
    int wanted = stored() + random.nextInt(MOST_ROWS);
    try (Lives lives = new Lives(cluster, random)) {
      loads.forEach(load -> load.write(random.nextInt(MOST_ROWS, 2 * MOST_ROWS)));
      Await.until(wanted + " rows are stored", PATIENT, () -> ended() || stored() >= wanted);
      cluster.kill("tablet-1");
      loads.forEach(load -> load.write(random.nextInt(MOST_ROWS)));
      if (both) {
        cluster.kill("coordinator-1");
        cluster.startAgain("coordinator-1");
      }
      CompletableFuture<Void> end =
          CompletableFuture.runAsync(() -> end(writing, patient), lives.threads);
      cluster.startAgain("tablet-1");
      end.join();
    }
    try (Connection connection = open(cluster, PATIENT)) {
      checkIds(FoldedTable.check(connection, IDS));
    }
  }

  private int stored() {
    return last.stored() + totals.stored();
  }

  /** On a busy machine writers may lose their patience before anything was killed. */
  private boolean ended() {
    return loads.stream().anyMatch(load -> load.failure() != null);
  }

  private void end(Connection writing, boolean patient) {
    if (patient) {
      loads.forEach(NamedLoad::flush);
      writing.close();
      return;
    }
    try {
      writing.close();
    } catch (SluiceException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT);
    }
  }

  /** Repeats what may be missing, fills up to the operations wanted, and compares everything. */
  private void liveInPeace(ProcessCluster cluster, SplittableRandom random) {
    try (Connection connection = open(cluster, PATIENT)) {
      loads.forEach(load -> load.open(connection, random));
      int missing = FEWEST_OPERATIONS - operations.get() - last.end() - totals.end();
      loads.forEach(load -> load.write(Math.max(0, missing) / 2 + 1));
      loads.forEach(NamedLoad::flush);
      Map<Object, List<Object>> lastRows = FoldedTable.check(connection, last.path());
      Map<Object, List<Object>> sums = FoldedTable.check(connection, totals.path());
      assertThat(lastRows).hasSize(KEYS);
      assertThat(sums).hasSize(KEYS);
      for (int key = 0; key < KEYS; key++) {
        Object keyed = List.of((long) key);
        assertThat(lastRows.get(keyed).get(1)).isEqualTo(last.expected(key));
        assertThat(sums.get(keyed).get(1)).as("sum of %s", key).isEqualTo(totals.expected(key));
      }
      checkMembers(connection);
      checkIds(FoldedTable.check(connection, IDS));
      assertThat(connection.table(IDS).count()).isGreaterThanOrEqualTo(ids.size());
    }
  }

  private void checkMembers(Connection connection) {
    Map<Long, TreeSet<Long>> expected = new HashMap<>();
    for (int sequence = 0; sequence < totals.end(); sequence++) {
      expected
          .computeIfAbsent((long) (sequence % KEYS), any -> new TreeSet<>())
          .add(member(sequence));
    }
    try (Lookuper lookuper = connection.table(totals.path()).lookuper("members")) {
      expected.forEach(
          (key, members) ->
              assertThat(Bitmaps.numbers(lookuper.find(Key.of(key)).orElseThrow().getBytes(0)))
                  .as("members of %s", key)
                  .containsExactlyElementsOf(members));
    }
  }

  /** Ids are those that clients were told, each of one row. */
  private void checkIds(Map<Object, List<Object>> rows) {
    Map<Object, Object> names = new HashMap<>();
    rows.values()
        .forEach(
            row ->
                assertThat(names.put(row.get(1), row.get(0)))
                    .as("another row with the id of %s", row)
                    .isNull());
    ids.forEach((name, id) -> assertThat(names.get(id)).as("row with id %s", id).isEqualTo(name));
  }

  /** Clients that ask for ids, change named rows, and look up what the writers wrote. */
  private final class Lives implements AutoCloseable {
    private final ExecutorService threads = Executors.newFixedThreadPool(ID_CLIENTS + 3);
    private final List<CompletableFuture<Void>> clients = new ArrayList<>();
    private final AtomicBoolean enough = new AtomicBoolean();
    private final Connection connection;

    Lives(ProcessCluster cluster, SplittableRandom random) {
      connection = open(cluster, PATIENT);
      for (int client = 0; client < ID_CLIENTS; client++) {
        SplittableRandom own = random.split();
        clients.add(CompletableFuture.runAsync(() -> askForIds(own), threads));
      }
      for (NamedLoad load : loads) {
        SplittableRandom own = random.split();
        clients.add(CompletableFuture.runAsync(() -> lookUp(load, own), threads));
      }
    }

    private void lookUp(NamedLoad load, SplittableRandom random) {
      try (Lookuper lookuper = connection.table(load.path()).lookuper()) {
        int found = 0;
        while (found < LOOKUPS_A_LIFE && !enough.get()) {
          found += load.lookUpSome(lookuper, random);
        }
        operations.addAndGet(found);
      }
    }

    private void askForIds(SplittableRandom random) {
      Table table = connection.table(IDS);
      try (Lookuper lookuper = table.lookuper("id");
          UpsertWriter writer = table.upsertWriter()) {
        List<CompletableFuture<?>> underWay = new ArrayList<>();
        for (int i = 0; i < NAMED_A_LIFE && !enough.get(); i++) {
          String name = "name_" + random.nextInt(NAMES);
          underWay.add(
              random.nextInt(5) == 0
                  ? writer.upsert(Row.of(name, "remark " + i))
                  : lookuper
                      .lookupOrInsert(Key.of(name))
                      .thenAccept(row -> know(name, row.getLong(0))));
          if (underWay.size() == IDS_AT_ONCE) {
            underWay.forEach(CompletableFuture::join);
            underWay.clear();
            operations.addAndGet(IDS_AT_ONCE);
          }
        }
        underWay.forEach(CompletableFuture::join);
      }
    }

    private void know(String name, long id) {
      Long known = ids.putIfAbsent(name, id);
      assertThat(known == null || known == id).as("%s: %s and %s", name, known, id).isTrue();
    }

    @Override
    public void close() {
      enough.set(true);
      try {
        clients.forEach(CompletableFuture::join);
      } finally {
        connection.close();
        threads.shutdownNow();
      }
    }
  }

  private static long snapshots(ProcessCluster cluster) throws IOException {
    try (Stream<Path> files = Files.walk(cluster.tabletData(1))) {
      return files.filter(file -> file.endsWith("MANIFEST.sluice")).count();
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
