package io.sluice.tablet.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.TableBucket;
import io.sluice.common.TableOptions;
import io.sluice.format.row.KeyEncoder;
import io.sluice.format.row.Row;
import io.sluice.format.row.RowCodec;
import io.sluice.format.schema.TableSchema;
import io.sluice.tablet.kv.KvStore;
import io.sluice.tablet.kv.snapshot.BucketSnapshots;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** state-is-fold: rows whose files are damaged come back, all of them, or are not served. */
final class KvRestoreTest {
  private static final TableSchema SCHEMA = KvReplicaRandomTest.SCHEMA;
  private static final long TABLE = KvReplicaRandomTest.TABLE;
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final long MINUTE = 60_000;
  private static final int OLD = 40;
  private static final int ALL = 60;

  @TempDir private Path temp;

  /** What happens to the files of a store while the server is down. */
  private enum Damage {
    NEWEST_TABLE_CHANGED,
    TABLES_LOST,
    MANIFEST_CHANGED,
    MANIFEST_LOST,
    CURRENT_CHANGED,
    CURRENT_LOST,
    ALL_LOST,
    DIRECTORY_EMPTIED;

    void doTo(Path store) throws IOException {
      switch (this) {
        case NEWEST_TABLE_CHANGED -> {
          List<Path> tables = files(store, ".sst");
          flip(tables.get(tables.size() - 1));
        }
        case TABLES_LOST -> remove(files(store, ".sst"));
        case MANIFEST_CHANGED -> flip(files(store, "MANIFEST").get(0));
        case MANIFEST_LOST -> remove(files(store, "MANIFEST"));
        case CURRENT_CHANGED -> flip(files(store, "CURRENT").get(0));
        case CURRENT_LOST -> remove(files(store, "CURRENT"));
        case ALL_LOST -> {
          remove(files(store, ""));
          Files.delete(store);
        }
        case DIRECTORY_EMPTIED -> remove(files(store, ""));
        default -> throw new AssertionError(this);
      }
    }
  }

  private static List<Path> files(Path directory, String kind) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.filter(file -> file.getFileName().toString().contains(kind))
          .sorted(Comparator.comparing(Path::toString))
          .toList();
    }
  }

  private static void flip(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length > 100 ? 30 : 12] ^= 1;
    Files.write(file, bytes);
  }

  private static void remove(List<Path> files) throws IOException {
    for (Path file : files) {
      Files.delete(file);
    }
  }

  private Path bucket() {
    return temp.resolve(Long.toString(TABLE)).resolve("0-0");
  }

  private static ReplicaUpdate.Image image(int epoch) {
    ReplicaUpdate.Image image = KvReplicaRandomTest.image(epoch);
    HostedTable plain = image.tables().get(0);
    HostedTable table =
        new HostedTable(
            plain.tableId(),
            plain.path(),
            plain.schemas(),
            plain.bucketCount(),
            plain.bucketKey(),
            Map.of(TableOptions.LOG_TTL, "1 min"));
    return new ReplicaUpdate.Image(
        image.clusterId(), epoch, List.of(table), image.replicas(), List.of());
  }

  private static void snapshot(TestTablet tablet) {
    long taken = tablet.kv.snapshotStats().taken();
    tablet.clock.advanceMs(10 * MINUTE);
    // The server looks once a second, which may just be now.
    tablet.kv.snapshots().doWork();
    Await.until("snapshot", SOON, () -> tablet.kv.snapshotStats().taken() > taken);
  }

  private static void trim(TestTablet tablet) {
    for (int i = 0; i < 3; i++) {
      tablet.clock.advanceMs(2 * MINUTE);
      tablet.set.housekeeper().doWork();
      tablet.replica(TABLE).writerSequence(1, 0);
    }
  }

  /** Leaves rows of which a part is in a snapshot, a part in the store only, a part in the log. */
  private void fill() throws Exception {
    try (TestTablet tablet = TestTablet.open(temp).apply(image(1))) {
      Replica replica = tablet.replica(TABLE);
      KvReplicaTest.putNumbers(replica, 0, OLD);
      snapshot(tablet);
      trim(tablet);
      assertThat(replica.offsets().logStart()).as("the log has lost its beginning").isPositive();
      KvReplicaTest.putNumbers(replica, OLD, ALL);
    }
  }

  private static void assertAllRows(TestTablet tablet, int rows) {
    Replica replica = tablet.replica(TABLE);
    KvStore store = replica.requireRows().store();
    for (int key = 0; key < rows; key++) {
      assertThat(number(store, key)).isEqualTo(key);
    }
    assertThat(store.count()).isEqualTo(rows);
    assertThat(store.appliedOffset()).isEqualTo(replica.offsets().visible());
    assertThat(tablet.set.offline()).isEmpty();
  }

  private static int number(KvStore store, int key) {
    byte[] value = store.get(KeyEncoder.of(SCHEMA).encode(Row.of(key, null, null)));
    assertThat(value).isNotNull();
    return RowCodec.of(SCHEMA).decode(value).getInt(2);
  }

  @ParameterizedTest
  @EnumSource(Damage.class)
  void damagedRowsAreRestoredFromTheSnapshotAndTheLog(Damage damage) throws Exception {
    fill();
    damage.doTo(bucket().resolve("kv"));
    try (TestTablet tablet = TestTablet.open(temp).apply(image(2))) {
      if (damage == Damage.NEWEST_TABLE_CHANGED) {
        // Only a read finds it.
        awaitRestored(tablet, ALL - 1);
      }
      assertAllRows(tablet, ALL);
      assertThat(tablet.kv.snapshotStats().restored()).isEqualTo(1);
      KvReplicaTest.putNumbers(tablet.replica(TABLE), ALL, ALL + 5);
      assertAllRows(tablet, ALL + 5);
    }
    try (TestTablet tablet = TestTablet.open(temp).apply(image(3))) {
      assertAllRows(tablet, ALL + 5);
      assertThat(tablet.kv.snapshotStats().restored()).isZero();
    }
  }

  /** A read that meets the damage is asked to try again, and then finds its row. */
  private static void awaitRestored(TestTablet tablet, int key) {
    Await.until(
        "restored",
        SOON,
        () -> {
          number(tablet.replica(TABLE).requireRows().store(), key);
          return tablet.kv.snapshotStats().restored() == 1;
        });
  }

  @ParameterizedTest
  @EnumSource(Damage.class)
  void aLogThatIsWholeNeedsNoSnapshot(Damage damage) throws Exception {
    try (TestTablet tablet = TestTablet.open(temp).apply(image(1))) {
      KvReplicaTest.putNumbers(tablet.replica(TABLE), 0, 20);
    }
    damage.doTo(bucket().resolve("kv"));
    try (TestTablet tablet = TestTablet.open(temp).apply(image(2))) {
      if (damage == Damage.NEWEST_TABLE_CHANGED) {
        awaitRestored(tablet, 19);
      }
      assertAllRows(tablet, 20);
    }
  }

  /** A changed table is found by a read only; here the snapshot has the one that is changed. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NEWEST_TABLE_CHANGED")
  void withoutASnapshotAndTheBeginningOfTheLogTheRowsAreOffline(Damage damage) throws Exception {
    fill();
    Path snapshots = bucket().resolve(BucketSnapshots.DIRECTORY);
    for (Path snapshot : files(snapshots, "")) {
      flip(files(snapshot, ".sst").get(0));
    }
    damage.doTo(bucket().resolve("kv"));
    try (TestTablet tablet = TestTablet.open(temp)) {
      tablet.set.apply(image(2));
      Await.until("offline", SOON, () -> !tablet.set.offline().isEmpty());
      assertThat(tablet.set.offline().get(0).bucket()).isEqualTo(TableBucket.of(TABLE, 0));
      assertThat(tablet.set.offline().get(0).reason())
          .contains("Cannot load the rows", "no good snapshot", "the log begins at");
      assertThatThrownBy(() -> tablet.replica(TABLE).requireRows())
          .hasMessageContaining("is offline");
    }
  }

  /** The part of B15 that concerns one server: a bad snapshot never costs a good one. */
  @Test
  void anOlderSnapshotTakesThePlaceOfABadOne() throws Exception {
    try (TestTablet tablet = TestTablet.open(temp).apply(image(1))) {
      Replica replica = tablet.replica(TABLE);
      KvReplicaTest.putNumbers(replica, 0, OLD);
      snapshot(tablet);
      KvReplicaTest.putNumbers(replica, OLD, ALL);
      snapshot(tablet);
      trim(tablet);
      assertThat(replica.offsets().logStart())
          .as("the log goes back to the older one")
          .isBetween(1L, (long) OLD);
    }
    List<Path> snapshots = files(bucket().resolve(BucketSnapshots.DIRECTORY), "");
    assertThat(snapshots).hasSize(2);
    Path newest = snapshots.get(1);
    // Made half by a process that was killed.
    Files.move(newest.resolve("MANIFEST.sluice"), newest.resolve("MANIFEST.sluice.tmp"));
    Files.createDirectory(newest.resolveSibling("making.tmp"));
    Damage.MANIFEST_LOST.doTo(bucket().resolve("kv"));
    try (TestTablet tablet = TestTablet.open(temp).apply(image(2))) {
      assertAllRows(tablet, ALL);
      assertThat(newest).doesNotExist();
      assertThat(newest.resolveSibling("making.tmp")).doesNotExist();
      assertThat(snapshots.get(0)).exists();
    }
  }

  @Test
  void damageThatAPutFindsIsRestoredUnderIt() throws Exception {
    fill();
    Path store = bucket().resolve("kv");
    Damage.NEWEST_TABLE_CHANGED.doTo(store);
    try (TestTablet tablet = TestTablet.open(temp).apply(image(2))) {
      Await.until(
          "put",
          SOON,
          () -> {
            KvReplicaTest.putNumbers(tablet.replica(TABLE), ALL - 1, ALL + 1);
            return true;
          });
      assertThat(tablet.kv.snapshotStats().restored()).isEqualTo(1);
      assertAllRows(tablet, ALL + 1);
    }
  }
}
