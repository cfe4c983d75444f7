package io.sluice.coordinator.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.Fixtures;
import io.sluice.coordinator.metadata.LakeHold;
import io.sluice.coordinator.metadata.LakeOffset;
import io.sluice.coordinator.metadata.LakeTable;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.ServerState;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SnapshotFileTest {
  private static final UUID GROUP = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");

  /** Written before there were lake tables; must stay readable. */
  private static final String GOLDEN = "/golden/metadata-snapshot-v1.bin";

  private static final String GOLDEN_WITH_LAKE = "/golden/metadata-snapshot-v1-lake.bin";

  private static final String GOLDEN_WITH_PARTITIONS =
      "/golden/metadata-snapshot-v1-partitions.bin";

  private static final String GOLDEN_WITH_IDS = "/golden/metadata-snapshot-v1-ids.bin";

  private static final String GOLDEN_WITH_MOVES = "/golden/metadata-snapshot-v1-moves.bin";

  private static final String GOLDEN_WITH_STRANDED = "/golden/metadata-snapshot-v1-stranded.bin";

  @TempDir Path directory;

  @Test
  void writesTheGoldenBytes() throws IOException {
    assertThat(bytes(image())).isEqualTo(golden(GOLDEN));
    assertThat(bytes(imageWithLake())).isEqualTo(golden(GOLDEN_WITH_LAKE));
    assertThat(bytes(imageWithPartitions())).isEqualTo(golden(GOLDEN_WITH_PARTITIONS));
    assertThat(bytes(imageWithIds())).isEqualTo(golden(GOLDEN_WITH_IDS));
    assertThat(bytes(imageWithMoves())).isEqualTo(golden(GOLDEN_WITH_MOVES));
    assertThat(bytes(imageWithStranded())).isEqualTo(golden(GOLDEN_WITH_STRANDED));
  }

  @Test
  void readsTheGoldenFiles() throws IOException {
    Path file = directory.resolve("snapshot");
    Files.write(file, golden(GOLDEN));
    assertThat(SnapshotFile.read(file, GROUP)).isEqualTo(image());
    Files.write(file, golden(GOLDEN_WITH_LAKE));
    assertThat(SnapshotFile.read(file, GROUP)).isEqualTo(imageWithLake());
    Files.write(file, golden(GOLDEN_WITH_PARTITIONS));
    assertThat(SnapshotFile.read(file, GROUP)).isEqualTo(imageWithPartitions());
    Files.write(file, golden(GOLDEN_WITH_IDS));
    assertThat(SnapshotFile.read(file, GROUP)).isEqualTo(imageWithIds());
    Files.write(file, golden(GOLDEN_WITH_MOVES));
    assertThat(SnapshotFile.read(file, GROUP)).isEqualTo(imageWithMoves());
    Files.write(file, golden(GOLDEN_WITH_STRANDED));
    assertThat(SnapshotFile.read(file, GROUP)).isEqualTo(imageWithStranded());
  }

  @Test
  void everyFlippedByteIsDetectedNamingTheFile() throws IOException {
    byte[] good = bytes(image());
    Path file = directory.resolve("snapshot");
    for (int i = 0; i < good.length; i++) {
      byte[] bad = good.clone();
      bad[i] ^= 0x10;
      Files.write(file, bad);
      assertCorrupt(file);
    }
  }

  @Test
  void everyCutIsDetected() throws IOException {
    byte[] good = bytes(image());
    Path file = directory.resolve("snapshot");
    for (int length = 0; length < good.length; length++) {
      Files.write(file, Arrays.copyOf(good, length));
      assertCorrupt(file);
    }
  }

  @Test
  void anotherGroupIsRefused() throws IOException {
    Path file = directory.resolve("snapshot");
    SnapshotFile.write(file, new UUID(5, 5), 2, image());
    assertThat(catchThrowableOfType(SluiceException.class, () -> SnapshotFile.read(file, GROUP)))
        .hasMessageContaining("position 28")
        .hasMessageContaining(GROUP.toString());
  }

  @Test
  void leavesNoTemporaryFile() throws IOException {
    SnapshotFile.write(directory.resolve("snapshot"), GROUP, 2, image());
    try (var files = Files.list(directory)) {
      assertThat(files.map(f -> f.getFileName().toString())).containsExactly("snapshot");
    }
  }

  private static void assertCorrupt(Path file) {
    SluiceException failure =
        catchThrowableOfType(SluiceException.class, () -> SnapshotFile.read(file, GROUP));
    assertThat(failure).isNotNull();
    assertThat(failure.code()).isEqualTo(ErrorCode.CORRUPT_STORAGE);
    assertThat(failure).hasMessageContaining(file.toString()).hasMessageContaining("position");
  }

  private static byte[] bytes(MetadataImage image) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    SnapshotFile.writeTo(out, GROUP, 2, image);
    return out.toByteArray();
  }

  private static byte[] golden(String name) throws IOException {
    try (InputStream in = SnapshotFileTest.class.getResourceAsStream(name)) {
      assertThat(in).as("stored example " + name).isNotNull();
      return in.readAllBytes();
    }
  }

  private static MetadataImage image() {
    ClusterState state =
        Fixtures.apply(
            ClusterState.EMPTY,
            new Command.Bootstrap("0d4b6c3e-7a51-4a5f-9a57-2f3f6b0c1d2e"),
            new Command.CreateDatabase("demo", "flights and more", 1_700_000_000_000L),
            new Command.RegisterServer(Fixtures.server(1, "inc-a", "boot-a", false), 5),
            new Command.RegisterServer(Fixtures.server(2, "inc-b", "boot-b", true), 6),
            Fixtures.createTable("flights", List.of(List.of(1), List.of(2, 1))),
            new Command.EndSession(2, "inc-b"),
            new Command.InitWriter("loader"),
            new Command.InitWriter("loader"),
            new Command.InitWriter(""));
    return new MetadataImage(42, state);
  }

  /** The same, and a table that has been to the lake and back. */
  private static MetadataImage imageWithLake() {
    ClusterState state =
        Fixtures.apply(
            image().state(),
            Fixtures.createLakeTable("events", List.of(List.of(1), List.of(1))),
            new Command.RaiseTieringEpoch(2, 1),
            new Command.RoundCommitted(
                2,
                1,
                "2-1-0badcafe",
                8_888_888_888L,
                List.of(),
                List.of(new LakeOffset(0, 0, 1000), new LakeOffset(0, 1, 5)),
                new LakeTable.LastRound(1005, 65_536, 2, 1_700_000_060_000L)),
            new Command.RaiseTieringEpoch(2, 2),
            new Command.RoundFailed(2, 2, "tiering-1", "disk on fire", 1_700_000_070_000L),
            new Command.RaiseTieringEpoch(2, 3),
            new Command.SetLakeHold(2, LakeHold.PAUSED, "by an operator"));
    return new MetadataImage(43, state);
  }

  /** The same as the first, with an altered table and a partitioned one. */
  private static MetadataImage imageWithPartitions() {
    ClusterState state =
        Fixtures.apply(
            image().state(),
            new Command.AlterTable(
                1, 0, Fixtures.wider(2), Map.of("table.log.ttl", "1 d"), "altered"),
            Fixtures.createPartitioned("daily", Fixtures.partition("2024-01-01", 1)),
            new Command.CreatePartition(2, Fixtures.partition("2024-01-02", 1), 3000),
            new Command.CreatePartition(2, Fixtures.partition("a/b=c%", 1), 4000),
            new Command.DropPartition(2, 2));
    return new MetadataImage(44, state);
  }

  /** The same as the first; ids of its table were given away. */
  private static MetadataImage imageWithIds() {
    ClusterState state =
        Fixtures.apply(
            image().state(),
            new Command.GrantIds(1, 0, 0, 1, 1, 128, Integer.MAX_VALUE),
            new Command.GrantIds(1, 0, 1, 1, 2, 256, Integer.MAX_VALUE));
    return new MetadataImage(45, state);
  }

  /** The same as the first; replicas are being moved, one server leaves and one drains. */
  private static MetadataImage imageWithMoves() {
    ClusterState state =
        Fixtures.apply(
            image().state(),
            new Command.RegisterServer(Fixtures.server(3, "inc-c", "boot-c", false), 7),
            new Command.RegisterServer(Fixtures.server(4, "inc-d", "boot-d", false), 8),
            new Command.Reassign(
                List.of(
                    new Command.Move(TableBucket.of(1, 0), List.of(3, 4)),
                    new Command.Move(TableBucket.of(1, 1), List.of(1)))),
            new Command.Leaving(3, "inc-c"),
            new Command.SetServerState(4, ServerState.DRAINING));
    return new MetadataImage(46, state);
  }

  /** The same as the first; the only one in sync came back with an empty disk. */
  private static MetadataImage imageWithStranded() {
    ClusterState state =
        Fixtures.apply(
            image().state(),
            new Command.EndSession(1, "inc-a"),
            new Command.RegisterServer(Fixtures.server(1, "inc-c", "boot-a", false), 7, true));
    assertThat(state.bucket(TableBucket.of(1, 1)).stranded()).isTrue();
    assertThat(state.bucket(TableBucket.of(1, 0)).stranded()).as("it has no other").isFalse();
    return new MetadataImage(47, state);
  }
}
