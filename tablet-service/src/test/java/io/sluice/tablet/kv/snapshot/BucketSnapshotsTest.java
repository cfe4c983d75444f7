package io.sluice.tablet.kv.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.tablet.kv.KvPosition;
import io.sluice.tablet.kv.KvResources;
import io.sluice.tablet.kv.KvSettings;
import io.sluice.tablet.kv.KvStore;
import io.sluice.tablet.kv.StoreRows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BucketSnapshotsTest {
  private static final TableBucket BUCKET = TableBucket.of(7, 1);
  private static final int MIB = 1 << 20;
  private static final long FAR = 1_000_000;

  @TempDir private Path temp;
  private final SnapshotStats stats = new SnapshotStats();
  private KvResources resources;
  private KvStore store;

  @BeforeEach
  void open() {
    resources = KvResources.open(new KvSettings(16 * MIB, 8 * MIB, MIB, 32, 1, 60_000, MIB));
    store = openStore();
  }

  @AfterEach
  void close() {
    resources.close();
  }

  private KvStore openStore() {
    return KvStore.open(resources, BUCKET, temp.resolve("kv"), () -> {});
  }

  private BucketSnapshots snapshots(long logEnd) {
    return BucketSnapshots.open(temp, BUCKET, logEnd, stats);
  }

  private Path path(long offset) {
    return temp.resolve(BucketSnapshots.DIRECTORY).resolve(String.format("%020d", offset));
  }

  private List<String> names() throws IOException {
    return SnapshotIo.children(temp.resolve(BucketSnapshots.DIRECTORY)).stream()
        .map(each -> each.getFileName().toString())
        .toList();
  }

  private static Path table(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(".sst")).sorted().findFirst().get();
    }
  }

  private static void flip(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2] ^= 1;
    Files.write(file, bytes);
  }

  @Test
  void keepsTheNewestTwoAndTakesNoneOfWhatHasNotChanged() throws Exception {
    try (BucketSnapshots snapshots = snapshots(FAR)) {
      assertThat(snapshots.newestOffset()).isEqualTo(BucketSnapshots.NONE);
      assertThat(snapshots.oldestOffset()).isEqualTo(BucketSnapshots.NONE);
      for (int round = 1; round <= 3; round++) {
        StoreRows.put(store, 0, 10 * round, "v" + round + "-");
        assertThat(snapshots.take(store, 4, 1000 + round)).isTrue();
        assertThat(snapshots.take(store, 4, 2000)).isFalse();
      }
      assertThat(names()).containsExactly(path(30).getFileName() + "", path(60).getFileName() + "");
      assertThat(snapshots.oldestOffset()).isEqualTo(30);
      assertThat(snapshots.newestOffset()).isEqualTo(60);
      assertThat(snapshots.newestMs()).isEqualTo(1003);
      assertThat(snapshots.bytes()).isPositive();
      assertThat(stats.taken()).isEqualTo(3);
    }
    BucketSnapshots again = snapshots(FAR);
    assertThat(again.oldestOffset()).isEqualTo(30);
    assertThat(again.newestOffset()).isEqualTo(60);
    SnapshotManifest manifest =
        SnapshotManifest.decode(
            Files.readAllBytes(path(60).resolve(SnapshotManifest.NAME)), path(60));
    assertThat(manifest.position()).isEqualTo(new KvPosition(60, 30));
    assertThat(manifest.schemaId()).isEqualTo(4);
    assertThat(manifest.files())
        .extracting(SnapshotFile::name)
        .contains("CURRENT")
        .noneMatch(name -> name.startsWith("LOG"));
  }

  @Test
  void restoresTheNewestAndKeepsTheDamagedFilesUntilTheNextSnapshot() throws Exception {
    BucketSnapshots snapshots = snapshots(FAR);
    StoreRows.put(store, 0, 10, "old");
    snapshots.take(store, 1, 1);
    StoreRows.put(store, 0, 5, "new");
    snapshots.take(store, 1, 2);
    StoreRows.put(store, 0, 10, "later");
    store.close();

    assertThat(snapshots.restore(temp.resolve("kv"), 0, FAR)).isEqualTo(new KvPosition(15, 10));
    store = openStore();
    assertThat(store.position()).isEqualTo(new KvPosition(15, 10));
    assertThat(StoreRows.text(store, 4)).isEqualTo("new4");
    assertThat(StoreRows.text(store, 5)).isEqualTo("old5");
    assertThat(temp.resolve("kv.damaged")).exists();
    // The snapshot is as good as before, and the restored store makes others.
    StoreRows.put(store, 0, 10, "after");
    assertThat(snapshots.take(store, 1, 3)).isTrue();
    assertThat(temp.resolve("kv.damaged")).doesNotExist();
    store.close();
    assertThat(snapshots.restore(temp.resolve("kv"), 0, 20)).isEqualTo(new KvPosition(15, 10));
  }

  @Test
  void aSnapshotThatDoesNotMatchItsManifestIsNotUsed() throws Exception {
    BucketSnapshots snapshots = snapshots(FAR);
    StoreRows.put(store, 0, 10, "old");
    snapshots.take(store, 1, 1);
    StoreRows.put(store, 0, 5, "new");
    snapshots.take(store, 1, 2);
    // Not shared with the older one.
    Files.delete(path(15).resolve(table(path(10)).getFileName()));
    store.close();
    assertThat(snapshots.restore(temp.resolve("kv"), 0, FAR)).isEqualTo(new KvPosition(10, 10));
    assertThat(path(15)).doesNotExist();
    flip(table(path(10)));
    assertThat(snapshots.restore(temp.resolve("kv"), 0, FAR)).isNull();
    assertThat(names()).isEmpty();
    assertThat(snapshots.oldestOffset()).isEqualTo(BucketSnapshots.NONE);
  }

  @Test
  void filesThatTheManifestDoesNotNameAreNotUsedEither() throws Exception {
    BucketSnapshots snapshots = snapshots(FAR);
    StoreRows.put(store, 0, 10, "a");
    snapshots.take(store, 1, 1);
    Files.write(path(10).resolve("000099.sst"), new byte[10]);
    store.close();
    assertThat(snapshots.restore(temp.resolve("kv"), 0, FAR)).isNull();
  }

  @Test
  void onlySnapshotsThatTheLogCompletesAreUsed() throws Exception {
    BucketSnapshots snapshots = snapshots(FAR);
    StoreRows.put(store, 0, 10, "a");
    snapshots.take(store, 1, 1);
    StoreRows.put(store, 0, 10, "b");
    snapshots.take(store, 1, 2);
    store.close();
    assertThat(snapshots.restore(temp.resolve("kv"), 10, 19)).isEqualTo(new KvPosition(10, 10));
    assertThat(snapshots.restore(temp.resolve("kv"), 11, 19)).isNull();
  }

  @Test
  void whatIsOfNoUseIsRemovedAtTheStart() throws Exception {
    BucketSnapshots snapshots = snapshots(FAR);
    StoreRows.put(store, 0, 10, "a");
    snapshots.take(store, 1, 1);
    StoreRows.put(store, 0, 10, "b");
    snapshots.take(store, 1, 2);
    Path directory = temp.resolve(BucketSnapshots.DIRECTORY);
    Files.createDirectories(directory.resolve("making.tmp.tmp"));
    Files.createDirectories(directory.resolve("making.tmp").resolve("sub"));
    Files.write(directory.resolve("making.tmp").resolve("000001.sst"), new byte[3]);
    Files.createDirectory(path(12));
    Files.createDirectory(path(13));
    Files.copy(path(10).resolve(SnapshotManifest.NAME), path(13).resolve(SnapshotManifest.NAME));
    assertThat(snapshots(19).newestOffset()).as("20 is behind the end of the log").isEqualTo(10);
    assertThat(names()).containsExactly(path(10).getFileName().toString());
    flip(path(10).resolve(SnapshotManifest.NAME));
    assertThat(snapshots(19).newestOffset()).isEqualTo(BucketSnapshots.NONE);
    assertThat(names()).isEmpty();
  }

  @Test
  void snapshotsOfAnotherBucketAreNotTaken() throws Exception {
    BucketSnapshots snapshots = snapshots(FAR);
    StoreRows.put(store, 0, 10, "a");
    snapshots.take(store, 1, 1);
    assertThat(BucketSnapshots.open(temp, TableBucket.of(7, 2), FAR, stats).newestOffset())
        .isEqualTo(BucketSnapshots.NONE);
  }

  @Test
  void oneThatCannotBeMadeLeavesTheOthersAndNothingElse() throws Exception {
    BucketSnapshots snapshots = snapshots(FAR);
    StoreRows.put(store, 0, 10, "a");
    snapshots.take(store, 1, 1);
    StoreRows.put(store, 0, 10, "b");
    // In the place where it is to be.
    Files.createDirectory(path(20));
    Files.write(path(20).resolve("x"), new byte[1]);
    assertThatThrownBy(() -> snapshots.take(store, 1, 2))
        .isInstanceOfSatisfying(
            SluiceException.class,
            failure -> assertThat(failure.code()).isEqualTo(ErrorCode.STORAGE_ERROR));
    assertThat(snapshots.newestOffset()).isEqualTo(10);
    assertThat(names()).doesNotContain("making.tmp", "making.tmp.tmp");
  }

  @Test
  void theDirectoryOfARemovedBucketDoesNotComeBack() {
    BucketSnapshots elsewhere = BucketSnapshots.open(temp.resolve("gone"), BUCKET, FAR, stats);
    StoreRows.put(store, 0, 10, "a");
    assertThatThrownBy(() -> elsewhere.take(store, 1, 1)).isInstanceOf(SluiceException.class);
    assertThat(temp.resolve("gone")).doesNotExist();
  }

  @Test
  void nothingIsMadeOnceClosed() {
    BucketSnapshots snapshots = snapshots(FAR);
    StoreRows.put(store, 0, 10, "a");
    snapshots.close();
    snapshots.close();
    assertThat(snapshots.take(store, 1, 1)).isFalse();
  }

  /** Each snapshot is one moment, and writers go on while it is made. */
  @Test
  void writersGoOnWhileSnapshotsAreMade() throws Exception {
    ExecutorService threads = Executors.newSingleThreadExecutor();
    AtomicBoolean stop = new AtomicBoolean();
    try {
      Future<Integer> writer =
          threads.submit(
              () -> {
                int round = 0;
                while (!stop.get()) {
                  StoreRows.put(store, 0, 20, "r" + round + "-");
                  round++;
                }
                return round;
              });
      BucketSnapshots snapshots = snapshots(Long.MAX_VALUE);
      for (int made = 0; made < 20; ) {
        if (snapshots.take(store, 1, made)) {
          made++;
        }
      }
      stop.set(true);
      assertThat(writer.get()).isGreaterThan(20);
      store.close();
      KvPosition position = snapshots.restore(temp.resolve("kv"), 0, Long.MAX_VALUE);
      store = openStore();
      assertThat(position).isEqualTo(store.position());
      assertThat(position.appliedOffset() % 20).isZero();
      String expected = "r" + (position.appliedOffset() / 20 - 1) + "-";
      for (int number = 0; number < 20; number++) {
        assertThat(StoreRows.text(store, number)).isEqualTo(expected + number);
      }
    } finally {
      stop.set(true);
      threads.shutdownNow();
    }
  }
}
