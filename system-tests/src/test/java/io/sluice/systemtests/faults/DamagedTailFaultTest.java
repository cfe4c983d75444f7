package io.sluice.systemtests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.AppendWriter;
import io.sluice.client.ClientConfig;
import io.sluice.client.Connection;
import io.sluice.client.WriterOptions;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchCodec;
import io.sluice.systemtests.process.ProcessCluster;
import io.sluice.systemtests.process.ProcessClusters;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * The tablet is killed with kill -9 while it is written to, and then the ends of its logs and their
 * indexes are damaged, each bucket's in another way: it starts, cuts only what is damaged, says so,
 * and goes on. Nothing acknowledged is lost beside the batch that was damaged.
 */
@ExtendWith(ProcessClusters.class)
final class DamagedTailFaultTest {
  private static final String DATABASE = "damaged_tail";
  private static final int BATCH_BYTES = 4096;

  /** Of about 60 bytes each, without compression: more than a segment, with room in the next. */
  private static final int ROWS_BEFORE_KILL = 25_000;

  private static final int ROWS_AT_KILL = 5000;
  private static final String SMALL_SEGMENTS = "-Dsluice.tablet.storage.segment-bytes=1MB";

  /** What is written after a start stays above the recovery point. */
  private static final String NOTHING_FORCED = "-Dsluice.tablet.storage.force-interval=1h";

  private static final Duration PATIENT = Duration.ofMinutes(1);
  private static final Duration IMPATIENT = Duration.ofSeconds(2);

  /** What is damaged in one way: a table of one bucket, and how many rows it acknowledged. */
  private record Victim(SequenceTable table, long tableId, AtomicInteger acknowledged) {}

  private final Map<TailDamage, Victim> victims = new EnumMap<>(TailDamage.class);

  @Test
  void onlyTheDamagedTailIsCutAndIndexesAreRebuilt(@TempDir Path dir) throws Exception {
    Path home = dir.resolve("home");
    try (ProcessCluster cluster = ProcessCluster.start(home, 1, SMALL_SEGMENTS, NOTHING_FORCED)) {
      createTables(cluster);
      appendAll(cluster, 0, ROWS_BEFORE_KILL);
      // An orderly stop forces all this and saves the index of the sealed segment.
      cluster.restart("tablet-1");
      appendAndKill(cluster);
      Map<TailDamage, TailDamage.Outcome> expected = damageEveryTail(cluster);

      cluster.restart("tablet-1");

      String log = Files.readString(home.resolve("logs/tablet-1.log"));
      try (Connection connection = open(cluster, PATIENT)) {
        for (TailDamage damage : TailDamage.values()) {
          assertRecovered(connection, damage, expected.get(damage), log);
        }
      }
    }
  }

  private void assertRecovered(
      Connection connection, TailDamage damage, TailDamage.Outcome outcome, String log) {
    Victim victim = victims.get(damage);
    int end = Math.toIntExact(outcome.endOffset());
    assertThat(end + outcome.lostRows())
        .as("%s: rows that were there", damage)
        .isGreaterThanOrEqualTo(victim.acknowledged.get());
    assertThat(log.contains("Cut " + outcome.file()))
        .as("%s: cut", damage)
        .isEqualTo(outcome.cut());
    assertHoldsRows(connection, damage, end);
    append(connection, victim, end, end + 10);
    assertHoldsRows(connection, damage, end + 10);
  }

  private void createTables(ProcessCluster cluster) {
    try (Connection connection = open(cluster, PATIENT)) {
      for (TailDamage damage : TailDamage.values()) {
        SequenceTable table = SequenceTable.create(connection, DATABASE, damage.tableName(), 1);
        long id = connection.table(table.path()).description().tableId();
        victims.put(damage, new Victim(table, id, new AtomicInteger()));
      }
    }
  }

  private void appendAll(ProcessCluster cluster, int from, int to) {
    try (Connection connection = open(cluster, PATIENT)) {
      victims.values().forEach(victim -> append(connection, victim, from, to));
    }
  }

  /** Returns when the rows are stored. */
  private static void append(Connection connection, Victim victim, int from, int to) {
    try (AppendWriter writer = openWriter(connection, victim)) {
      start(writer, victim, from, to);
    }
  }

  private static AppendWriter openWriter(Connection connection, Victim victim) {
    return connection
        .table(victim.table.path())
        .appendWriter(WriterOptions.defaults().batchBytes(BATCH_BYTES).codec(BatchCodec.NONE));
  }

  private static void start(AppendWriter writer, Victim victim, int from, int to) {
    for (int sequence = from; sequence < to; sequence++) {
      writer.append(SequenceTable.row(sequence)).thenRun(victim.acknowledged::incrementAndGet);
    }
  }

  /** Every bucket has acknowledged some of the rows when the tablet dies, and waits for others. */
  private void appendAndKill(ProcessCluster cluster) {
    Connection connection = open(cluster, IMPATIENT);
    for (Victim victim : victims.values()) {
      start(
          openWriter(connection, victim),
          victim,
          ROWS_BEFORE_KILL,
          ROWS_BEFORE_KILL + ROWS_AT_KILL);
    }
    Await.until(
        "every bucket has acknowledged more rows",
        PATIENT,
        () -> victims.values().stream().allMatch(v -> v.acknowledged.get() > ROWS_BEFORE_KILL));
    cluster.kill("tablet-1");
    try {
      connection.close();
    } catch (SluiceException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT);
    }
  }

  private Map<TailDamage, TailDamage.Outcome> damageEveryTail(ProcessCluster cluster)
      throws IOException {
    Map<TailDamage, TailDamage.Outcome> outcomes = new EnumMap<>(TailDamage.class);
    for (TailDamage damage : TailDamage.values()) {
      long tableId = victims.get(damage).tableId;
      List<StoredSegment> segments = StoredSegment.of(cluster.tabletData(1), tableId);
      assertThat(segments).as("%s", damage).hasSize(2);
      outcomes.put(damage, damage.apply(segments.get(0), segments.get(1)));
    }
    return outcomes;
  }

  private void assertHoldsRows(Connection connection, TailDamage damage, int end) {
    SequenceTable table = victims.get(damage).table;
    assertThat(table.readSequences(connection, 0).cardinality()).as("%s", damage).isEqualTo(end);
    // In the sealed segment, where the index finds it.
    int middle = 10_000;
    assertThat(table.readSequences(connection, middle).nextSetBit(0))
        .as("%s", damage)
        .isEqualTo(middle);
  }

  private static Connection open(ProcessCluster cluster, Duration deliveryTimeout) {
    return Connection.open(
        ClientConfig.of(cluster.coordinators()).withDeliveryTimeout(deliveryTimeout));
  }
}
