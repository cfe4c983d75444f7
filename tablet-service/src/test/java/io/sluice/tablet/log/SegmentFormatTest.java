package io.sluice.tablet.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.testkit.MovedClock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bytes of every file of a data directory, held against stored examples. */
final class SegmentFormatTest {
  private static final TableBucket BUCKET = new TableBucket(258, 3, 5);
  private static final int SERVER = 258;

  @TempDir private Path temp;

  private final StoragePlatform platform = StoragePlatform.of(new MovedClock(1_700_000_000_000L));
  private DataDirectory data;

  @BeforeEach
  void openDirectory() {
    data = DataDirectory.open(platform, temp, SERVER);
  }

  @Test
  void segmentHeader() throws IOException {
    ByteBuffer header = new SegmentHeader(TestLog.CLUSTER, BUCKET, 4096).encode();
    assertGolden("segment-header", header.array());
    ByteBuffer golden = ByteBuffer.wrap(golden("segment-header"));
    assertThat(new SegmentHeader(TestLog.CLUSTER, BUCKET, 4096).check(golden)).isNull();
    assertThat(new SegmentHeader(TestLog.CLUSTER, BUCKET, 4097).check(golden)).isNotNull();
  }

  @Test
  void index() throws IOException {
    Path path = temp.resolve("00000000000000004096.index");
    SegmentIndex index = new SegmentIndex();
    index.add(0, 64, 1_700_000_000_000L);
    index.add(100, 20_000, 1_700_000_000_500L);
    SegmentIndexFile.Head head =
        new SegmentIndexFile.Head(4096, 4300, 33_000, 1_700_000_000_900L, 2);
    SegmentIndexFile.write(platform.files(), path, head, index);
    assertGolden("index", Files.readAllBytes(path));

    Files.write(path, golden("index"));
    assertThat(SegmentIndexFile.readHead(platform.files(), path)).isEqualTo(head);
    SegmentIndex loaded = SegmentIndexFile.load(platform.files(), path, 4096);
    assertThat(loaded).isNotNull();
    assertThat(loaded.count()).isEqualTo(2);
    assertThat(loaded.floorOffset(150)).isEqualTo(1);
    assertThat(loaded.position(1)).isEqualTo(20_000);
    assertThat(loaded.lastBefore(1_700_000_000_500L)).isZero();
  }

  @Test
  void indexWithAnyByteFlippedIsNotUsed() throws IOException {
    Path path = temp.resolve("00000000000000004096.index");
    byte[] good = golden("index");
    for (int at = 0; at < good.length; at++) {
      byte[] bad = good.clone();
      bad[at] ^= 4;
      Files.write(path, bad);
      assertThat(SegmentIndexFile.load(platform.files(), path, 4096)).as("byte %d", at).isNull();
    }
  }

  @Test
  void leaderEpochs() throws IOException {
    LeaderEpochs epochs = new LeaderEpochs(platform.files(), () -> temp);
    epochs.start(1, 0);
    epochs.start(4, 1000);
    epochs.saveStarted();
    assertGolden("leader-epochs", Files.readAllBytes(temp.resolve("leader-epochs")));
    Files.write(temp.resolve("leader-epochs"), golden("leader-epochs"));
    LeaderEpochs loaded = new LeaderEpochs(platform.files(), () -> temp);
    assertThat(loaded.load()).isTrue();
    assertThat(loaded.history()).isEqualTo(epochs.history());
  }

  @Test
  void logStart() throws IOException {
    LogStart start = new LogStart(platform.files(), () -> temp);
    assertThat(start.load()).isEqualTo(new LogStart.Point(0, 0));
    start.save(new LogStart.Point(4010, 1_700_000_000_000L));
    assertGolden("log-start", Files.readAllBytes(temp.resolve("log-start")));
    Files.write(temp.resolve("log-start"), golden("log-start"));
    assertThat(start.load()).isEqualTo(new LogStart.Point(4010, 1_700_000_000_000L));
  }

  @Test
  void logHoles() throws IOException {
    LogHoles holes = new LogHoles(platform.files(), () -> temp);
    holes.add(4096, 4200);
    holes.add(5000, 6000);
    assertGolden("log-holes", Files.readAllBytes(temp.resolve("log-holes")));
    Files.write(temp.resolve("log-holes"), golden("log-holes"));
    LogHoles loaded = new LogHoles(platform.files(), () -> temp);
    loaded.load();
    assertThat(loaded.contains(4096, 4200)).isTrue();
    assertThat(loaded.contains(5000, 6000)).isTrue();
    assertThat(loaded.contains(4096, 6000)).isFalse();
    assertThat(loaded.endBelow(6000)).isEqualTo(5000);
    assertThat(loaded.endBelow(7000)).isEqualTo(7000);
  }

  @Test
  void startAnew() throws IOException {
    List<EpochHistory.Start> epochs =
        List.of(new EpochHistory.Start(1, 0), new EpochHistory.Start(4, 1000));
    LogBeginning beginning =
        new LogBeginning(4010, oneWriter().snapshot(4010), 1_700_000_000_000L, epochs);
    StartAnew anew = new StartAnew(platform.files(), () -> temp);
    anew.save(beginning);
    assertGolden("start-anew", Files.readAllBytes(temp.resolve("start-anew")));
    Files.write(temp.resolve("start-anew"), golden("start-anew"));
    LogBeginning loaded = anew.load();
    assertThat(loaded.offset()).isEqualTo(4010);
    assertThat(loaded.lastTimeMs()).isEqualTo(1_700_000_000_000L);
    assertThat(loaded.epochs()).isEqualTo(epochs);
    assertThat(WriterStates.received(loaded.writers()).lastSequence(77)).isEqualTo(509);
  }

  private static WriterStates oneWriter() {
    WriterStates states = new WriterStates();
    LogBatchHeader header =
        LogBatchHeader.allocate().setContent(1, 10, 10).setWriter(77, 2, 500, 10);
    header.stamp(4000, 3, 1_700_000_000_000L);
    states.stored(header);
    return states;
  }

  @Test
  void writerSnapshot() throws IOException {
    WriterStates states = new WriterStates();
    LogBatchHeader header =
        LogBatchHeader.allocate().setContent(1, 10, 10).setWriter(77, 2, 500, 10);
    header.stamp(4000, 3, 1_700_000_000_000L);
    states.stored(header);
    WriterSnapshots snapshots = new WriterSnapshots(platform.files(), () -> temp);
    snapshots.save(4010, states.snapshot(4010), base -> true);
    Path path = temp.resolve("writers-00000000000000004010.snapshot");
    assertGolden("writers", Files.readAllBytes(path));

    Files.write(path, golden("writers"));
    WriterSnapshots.Loaded loaded = snapshots.load(5000, 0);
    assertThat(loaded.offset()).isEqualTo(4010);
    assertThat(loaded.states().lastSequence(77)).isEqualTo(509);
    assertThat(loaded.states().epoch(77)).isEqualTo(2);
    assertThat(loaded.states().decide(header, -1, 0))
        .isEqualTo(new SequenceDecision.Duplicate(4000));
  }

  @Test
  void replicaMeta() throws IOException {
    new ReplicaMeta(TestLog.CLUSTER, BUCKET, 1_700_000_000_000L, "demo.flights")
        .save(platform.files(), temp);
    assertGolden("replica-meta", Files.readAllBytes(temp.resolve("replica.meta")));
    Files.write(temp.resolve("replica.meta"), golden("replica-meta"));
    ReplicaMeta.check(platform.files(), temp, TestLog.CLUSTER, BUCKET);
    assertThatThrownBy(() -> ReplicaMeta.check(platform.files(), temp, "other", BUCKET))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("replica.meta");
  }

  @Test
  void recoveryPointsCommittedClusterAndCleanStop() throws IOException {
    data.saveRecoveryPoints(() -> Map.of(BUCKET, 4096L, TableBucket.of(9, 1), 12L));
    data.saveCommitted(() -> Map.of(BUCKET, 4090L, TableBucket.of(9, 1), 11L));
    data.saveCluster(TestLog.CLUSTER, 42);
    data.markCleanStop();
    assertGolden("committed", Files.readAllBytes(temp.resolve("committed")));
    assertGolden("recovery-points", Files.readAllBytes(temp.resolve("recovery-points")));
    assertGolden("cluster", Files.readAllBytes(temp.resolve("cluster")));
    assertGolden("clean-stop", Files.readAllBytes(temp.resolve("clean-stop")));
    data.close();

    Files.write(temp.resolve("recovery-points"), golden("recovery-points"));
    Files.write(temp.resolve("committed"), golden("committed"));
    Files.write(temp.resolve("cluster"), golden("cluster"));
    Files.write(temp.resolve("clean-stop"), golden("clean-stop"));
    try (DataDirectory again = DataDirectory.open(platform, temp, SERVER)) {
      assertThat(again.recoveryPoint(BUCKET)).isEqualTo(4096);
      assertThat(again.recoveryPoint(TableBucket.of(9, 1))).isEqualTo(12);
      assertThat(again.recoveryPoint(TableBucket.of(9, 2))).isZero();
      assertThat(again.committed(BUCKET)).isEqualTo(4090);
      assertThat(again.committed(TableBucket.of(9, 2))).isZero();
      assertThat(again.clusterId()).isEqualTo(TestLog.CLUSTER);
      assertThat(again.savedIndex()).isEqualTo(42);
      assertThat(again.stoppedCleanly()).isTrue();
    }
    try (DataDirectory again = DataDirectory.open(platform, temp, SERVER)) {
      assertThat(again.stoppedCleanly()).as("the mark holds for one start").isFalse();
    }
  }

  @Test
  void serverOfADirectory() throws IOException {
    assertGolden("server", Files.readAllBytes(temp.resolve("server")));
    data.saveCluster(TestLog.CLUSTER, 42);
    data.markCleanStop();
    data.close();

    Files.write(temp.resolve("server"), golden("server"));
    assertThatThrownBy(() -> DataDirectory.open(platform, temp, 2))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining(temp + " belongs to tablet server 258, but this is server 2")
        .hasMessageContaining("sluice.tablet.data-dir")
        .hasMessageContaining("sluice.tablet.id");
    try (DataDirectory again = DataDirectory.open(platform, temp, SERVER)) {
      assertThat(again.stoppedCleanly()).as("the one that was refused took nothing").isTrue();
    }
    Files.delete(temp.resolve("server"));
    DataDirectory.open(platform, temp, SERVER).close();
    assertGolden("server", Files.readAllBytes(temp.resolve("server")));
  }

  @Test
  void checkedFileWithAnyByteFlippedIsRefusedByName() throws IOException {
    Path path = temp.resolve("leader-epochs");
    byte[] good = golden("leader-epochs");
    for (int at = 0; at < good.length; at++) {
      byte[] bad = good.clone();
      bad[at] ^= 4;
      Files.write(path, bad);
      // The two reserved bytes are under the checksum as well.
      assertThatThrownBy(() -> new LeaderEpochs(platform.files(), () -> temp).load())
          .as("byte %d", at)
          .isInstanceOf(SluiceException.class)
          .hasMessageContaining(path.toString());
    }
  }

  private static void assertGolden(String name, byte[] bytes) throws IOException {
    assertThat(HexFormat.of().formatHex(bytes)).as(name).isEqualTo(hex(name));
  }

  private static byte[] golden(String name) throws IOException {
    return HexFormat.of().parseHex(hex(name));
  }

  private static String hex(String name) throws IOException {
    try (InputStream file =
        SegmentFormatTest.class.getResourceAsStream("/golden/" + name + ".hex")) {
      return file == null
          ? "no example " + name
          : new String(file.readAllBytes(), StandardCharsets.US_ASCII).replaceAll("\\s", "");
    }
  }
}
