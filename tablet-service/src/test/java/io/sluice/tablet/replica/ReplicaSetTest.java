package io.sluice.tablet.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.tablet.log.TestBatches;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReplicaSetTest {
  @TempDir private Path temp;

  private Path data() {
    return temp.resolve("data");
  }

  @Test
  void orderlyStopAndCrashKeepEveryAnsweredPut() throws Exception {
    Path crashed = temp.resolve("crashed");
    try (TestTablet tablet = TestTablet.open(data()).apply(TestTablet.image(1, 1, 7, 8))) {
      assertThat(tablet.set.stoppedCleanly()).isTrue();
      for (int i = 0; i < 50; i++) {
        tablet.put(7, TestBatches.of(2, 5, 0, 2L * i, 3000)).get();
        tablet.put(8, TestBatches.of(2, 6, 0, 2L * i, 30)).get();
        if (i == 20) {
          tablet.set.housekeeper().doWork();
        }
      }
      copy(data(), crashed);
    }
    for (Path directory : List.of(data(), crashed)) {
      try (TestTablet tablet = TestTablet.open(directory).apply(TestTablet.image(2, 2, 7, 8))) {
        assertThat(tablet.set.stoppedCleanly()).isEqualTo(directory.equals(data()));
        assertThat(tablet.set.offline()).isEmpty();
        assertThat(tablet.replica(7).writerSequence(5, 0)).isEqualTo(99);
        assertThat(TestTablet.sequences(tablet.replica(8), 6)).hasSize(50);
        assertThat(tablet.put(7, TestBatches.of(2, 5, 0, 98, 10)).get().duplicate()).isTrue();
        assertThat(tablet.put(7, TestBatches.of(2, 5, 0, 100, 10)).get().baseOffset())
            .isEqualTo(100);
      }
    }
  }

  @Test
  void twoTabletsCannotShareADirectory() {
    try (TestTablet tablet = TestTablet.open(data())) {
      assertThatThrownBy(() -> TestTablet.open(data()))
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
      assertThat(tablet.set.appliedIndex()).isZero();
    }
  }

  @Test
  void droppedTableIsDeletedWhenNobodyReadsItAnyMore() throws Exception {
    try (TestTablet tablet = TestTablet.open(data()).apply(TestTablet.image(1, 1, 7, 8))) {
      tablet.put(7, TestBatches.plain(2, 10)).get();
      Replica held = tablet.replica(7);
      BatchCursor cursor = held.openCursor(0);
      cursor.next(2);
      tablet.set.apply(TestTablet.dropped(2, 7));

      assertThat(tablet.set.directories()).containsExactly(TableBucket.of(8, 0));
      assertThat(data().resolve("7/0-0")).doesNotExist();
      tablet.set.housekeeper().doWork();
      assertThat(deletedDirectories()).hasSize(1);
      cursor.read(0, ByteBuffer.allocate(100));
      assertThatThrownBy(() -> cursor.next(2))
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TABLE_CHANGED));
      assertThat(TestTablet.put(held, TestBatches.plain(2, 10), -1).refusal())
          .isEqualTo(ErrorCode.TABLE_CHANGED);
      assertThatThrownBy(() -> tablet.replica(7))
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.BUCKET_NOT_FOUND));

      cursor.close();
      tablet.set.housekeeper().doWork();
      assertThat(deletedDirectories()).isEmpty();
      assertThat(data().resolve("7")).doesNotExist();
    }
  }

  @Test
  void tableOfTheSameNameBeginsEmpty() throws Exception {
    try (TestTablet tablet = TestTablet.open(data()).apply(TestTablet.image(1, 1, 7))) {
      tablet.put(7, TestBatches.of(2, 5, 0, 0, 10)).get();
      TableBucket bucket = TableBucket.of(9, 0);
      tablet.apply(
          new ReplicaUpdate.Delta(
              2,
              List.of(TestTablet.table(9, "t7")),
              Set.of(7L),
              List.of(TestTablet.role(bucket, 1, 1)),
              Set.of(),
              List.of()));
      assertThat(tablet.set.table(TablePath.parse("demo.t7")).tableId()).isEqualTo(9);
      assertThat(tablet.set.table(7)).isNull();
      assertThat(tablet.replica(9).offsets().logEnd()).isZero();
      assertThat(tablet.replica(9).writerSequence(5, 0)).isEqualTo(-1);
      assertThat(tablet.set.ofTable(9)).hasSize(1);
    }
  }

  @Test
  void tableDroppedWhileThisServerWasDownIsDeletedByTheImage() throws Exception {
    try (TestTablet tablet = TestTablet.open(data()).apply(TestTablet.image(5, 1, 7, 8))) {
      tablet.put(7, TestBatches.plain(2, 10)).get();
    }
    try (TestTablet tablet = TestTablet.open(data())) {
      assertThat(tablet.set.directories()).hasSize(2);
      tablet.set.apply(TestTablet.image(4, 1, 8));
      assertThat(tablet.set.directories()).as("an image older than what is here").hasSize(2);
      tablet.apply(TestTablet.image(6, 1, 8));
      assertThat(tablet.set.directories()).containsExactly(TableBucket.of(8, 0));
      tablet.set.housekeeper().doWork();
      assertThat(deletedDirectories()).isEmpty();
    }
  }

  @Test
  void imageOfAnotherClusterIsRefusedAndChangesNothing() throws Exception {
    try (TestTablet tablet = TestTablet.open(data()).apply(TestTablet.image(5, 1, 7))) {
      tablet.put(7, TestBatches.plain(2, 10)).get();
    }
    try (TestTablet tablet = TestTablet.open(data())) {
      assertThat(tablet.set.clusterId()).isEqualTo(TestTablet.CLUSTER);
      ReplicaUpdate other = new ReplicaUpdate.Image("another", 99, List.of(), List.of(), List.of());
      assertThatThrownBy(() -> tablet.set.apply(other))
          .isInstanceOf(SluiceException.class)
          .hasMessageContaining("belongs to cluster " + TestTablet.CLUSTER);
      assertThat(tablet.set.directories()).hasSize(1);
      assertThat(tablet.set.appliedIndex()).isZero();
    }
  }

  @Test
  void deltaBeforeAnyImageIsRefused() {
    TestTablet.open(data()).apply(TestTablet.image(5, 1, 7)).close();
    try (TestTablet tablet = TestTablet.open(data())) {
      assertThatThrownBy(() -> tablet.set.apply(TestTablet.dropped(6, 8)))
          .isInstanceOf(SluiceException.class);
      assertThat(tablet.set.directories()).hasSize(1);
    }
  }

  @Test
  void deltaIsAppliedOnce() {
    try (TestTablet tablet = TestTablet.open(data()).apply(TestTablet.image(5, 1, 7))) {
      tablet.set.apply(TestTablet.dropped(5, 7));
      assertThat(tablet.set.directories()).hasSize(1);
      tablet.set.apply(TestTablet.dropped(6, 7));
      assertThat(tablet.set.directories()).isEmpty();
      assertThat(tablet.set.appliedIndex()).isEqualTo(6);
    }
  }

  @Test
  void damagedReplicaStaysOfflineAndTheOthersServe() throws Exception {
    try (TestTablet tablet = TestTablet.open(data()).apply(TestTablet.image(1, 1, 7, 8))) {
      tablet.put(7, TestBatches.plain(2, 10)).get();
      tablet.put(8, TestBatches.plain(2, 10)).get();
      tablet.set.housekeeper().doWork();
    }
    Path file = data().resolve("7/0-0/00000000000000000000.log");
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(new byte[] {77}), 20);
    }
    for (int restart = 0; restart < 2; restart++) {
      try (TestTablet tablet = TestTablet.open(data())) {
        tablet.set.apply(TestTablet.image(2 + restart, 2 + restart, 7, 8));
        assertThat(tablet.set.offline())
            .singleElement()
            .satisfies(
                offline ->
                    assertThat(offline.reason()).contains(file.toString(), "expected", "found"));
        assertThatThrownBy(() -> tablet.replica(7))
            .isInstanceOfSatisfying(
                SluiceException.class,
                e -> assertThat(e.code()).isEqualTo(ErrorCode.REPLICA_OFFLINE));
        assertThat(tablet.replica(8).offsets().logEnd()).isEqualTo(2);
        assertThat(tablet.set.directories()).hasSize(2);
      }
    }
  }

  @Test
  void vanishedDirectoryIsNotReplacedByAnEmptyOne() throws Exception {
    try (TestTablet tablet = TestTablet.open(data()).apply(TestTablet.image(1, 1, 7))) {
      tablet.put(7, TestBatches.plain(2, 10)).get();
    }
    Files.move(data().resolve("7"), temp.resolve("elsewhere"));
    try (TestTablet tablet = TestTablet.open(data())) {
      tablet.set.apply(TestTablet.image(2, 2, 7));
      assertThat(tablet.set.offline())
          .singleElement()
          .satisfies(offline -> assertThat(offline.reason()).contains("up to offset 2"));
    }
  }

  @Test
  void creationCutShortByACrashIsDoneAgain() throws Exception {
    try (TestTablet tablet = TestTablet.open(data()).apply(TestTablet.image(1, 1, 7))) {
      assertThat(tablet.set.directories()).hasSize(1);
    }
    Files.createDirectories(data().resolve("8/0-0"));
    try (TestTablet tablet = TestTablet.open(data())) {
      assertThat(tablet.set.directories()).containsExactly(TableBucket.of(7, 0));
      tablet.apply(TestTablet.image(2, 2, 7, 8));
      tablet.put(8, TestBatches.plain(2, 10)).get();
    }
  }

  @Test
  void offlineReplicaKeepsItsRecoveryPoint() throws Exception {
    try (TestTablet tablet = TestTablet.open(data()).apply(TestTablet.image(1, 1, 7, 8))) {
      tablet.put(7, TestBatches.plain(2, 10)).get();
    }
    Path file = data().resolve("7/0-0/00000000000000000000.log");
    byte[] whole = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(whole, 100));
    try (TestTablet tablet = TestTablet.open(data())) {
      tablet.apply(TestTablet.image(2, 2, 7, 8));
      assertThat(tablet.set.offline()).hasSize(1);
      tablet.put(8, TestBatches.plain(2, 10)).get();
    }
    try (TestTablet tablet = TestTablet.open(data())) {
      assertThat(tablet.set.offline()).as("not cut after the second start either").hasSize(1);
    }
    Files.write(file, whole);
    try (TestTablet tablet = TestTablet.open(data()).apply(TestTablet.image(3, 3, 7, 8))) {
      assertThat(tablet.replica(7).offsets().visible()).isEqualTo(2);
    }
  }

  @Test
  void bucketThatIsNotHereIsExplained() {
    try (TestTablet tablet = TestTablet.open(data())) {
      assertCode(tablet, TableBucket.of(7, 0), ErrorCode.NOT_LEADER);
      tablet.apply(TestTablet.image(1, 1, 7));
      assertCode(tablet, TableBucket.of(7, 3), ErrorCode.NOT_LEADER);
      assertCode(tablet, TableBucket.of(7, 4), ErrorCode.BUCKET_NOT_FOUND);
      assertCode(tablet, new TableBucket(7, 2, 0), ErrorCode.BUCKET_NOT_FOUND);
      tablet.set.apply(TestTablet.dropped(2, 7));
      assertCode(tablet, TableBucket.of(7, 3), ErrorCode.BUCKET_NOT_FOUND);
      assertCode(tablet, TableBucket.of(70, 0), ErrorCode.NOT_LEADER);
    }
  }

  @Test
  void stoppedTabletRefusesPutsAndClosesTwice() throws Exception {
    TestTablet tablet = TestTablet.open(data()).apply(TestTablet.image(1, 1, 7));
    Replica replica = tablet.replica(7);
    tablet.close();
    tablet.close();
    assertThat(TestTablet.put(replica, TestBatches.plain(2, 10), -1).refusal())
        .isEqualTo(ErrorCode.UNAVAILABLE);
  }

  private static void assertCode(TestTablet tablet, TableBucket bucket, ErrorCode code) {
    assertThatThrownBy(() -> tablet.set.require(bucket))
        .isInstanceOfSatisfying(SluiceException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  private List<Path> deletedDirectories() throws IOException {
    try (Stream<Path> all = Files.walk(data())) {
      return all.filter(path -> path.toString().endsWith(".deleted")).toList();
    }
  }

  static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path path : all.toList()) {
        Path target = to.resolve(from.relativize(path).toString());
        if (Files.isDirectory(path)) {
          Files.createDirectories(target);
        } else {
          Files.copy(path, target);
        }
      }
    }
  }
}
