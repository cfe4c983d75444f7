package io.sluice.coordinator.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.MetadataLog.Applied;
import io.sluice.coordinator.metadata.Outcome;
import io.sluice.coordinator.metadata.TabletServer;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RaftMetadataLogTest {
  private static final Duration SOON = Duration.ofSeconds(30);

  @TempDir Path home;

  @Test
  void stateSurvivesARestartFromTheLogAlone() throws Exception {
    MetadataImage before;
    try (RaftMetadataLog log = opened(1_000_000)) {
      assertThat(log.submit(new Command.CreateDatabase("demo", "", 5)).get().outcome())
          .isInstanceOf(Outcome.Accepted.class);
      log.submit(new Command.RegisterServer(server(1), 6)).get();
      Applied created = log.submit(createTable("t", 3)).get();
      assertThat(created.outcome()).isEqualTo(new Outcome.Accepted(1, 0));
      log.submit(new Command.InitWriter("loader")).get();
      before = log.readLatest().get();
      assertThat(before.index()).isGreaterThanOrEqualTo(created.index());
    }
    try (RaftMetadataLog log = opened(1_000_000)) {
      assertThat(log.readLatest().get()).isEqualTo(before);
      assertThat(snapshots()).isEmpty();
      assertThat(log.submit(new Command.InitWriter("loader")).get().outcome())
          .isEqualTo(new Outcome.Accepted(1, 1));
    }
  }

  @Test
  void stateSurvivesARestartFromASnapshotAndTheLogAfterIt() throws Exception {
    MetadataImage before;
    try (RaftMetadataLog log = opened(100)) {
      log.submit(new Command.CreateDatabase("demo", "", 5)).get();
      log.submit(new Command.RegisterServer(server(1), 6)).get();
      log.submit(createTable("t", 2)).get();
      List<CompletableFuture<Applied>> writers = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        writers.add(log.submit(new Command.InitWriter("w" + i % 50)));
      }
      for (CompletableFuture<Applied> writer : writers) {
        writer.get();
      }
      Await.until("a snapshot is written", SOON, () -> !snapshots().isEmpty());
      log.submit(new Command.CreateDatabase("after", "", 7)).get();
      before = log.readLatest().get();
    }
    try (RaftMetadataLog log = opened(100)) {
      assertThat(log.readLatest().get()).isEqualTo(before);
      assertThat(log.current().state().writers().size()).isEqualTo(50);
      assertThat(log.submit(new Command.InitWriter("w0")).get().outcome())
          .isEqualTo(new Outcome.Accepted(1, 10));
    }
  }

  @Test
  void rejectionsAreOutcomesAndLeaveTheLogUsable() throws Exception {
    try (RaftMetadataLog log = opened(1_000_000)) {
      Outcome rejected = log.submit(createTable("t", 1)).get().outcome();
      assertThat(rejected).isInstanceOf(Outcome.Rejected.class);
      assertThat(((Outcome.Rejected) rejected).code()).isEqualTo(ErrorCode.DATABASE_NOT_FOUND);
      assertThat(log.submit(new Command.CreateDatabase("demo", "", 5)).get().outcome())
          .isEqualTo(new Outcome.Accepted(0, 0));
    }
  }

  @Test
  void aCommandNearTheLimitIsKeptAndALargerOneRefused() throws Exception {
    String comment = "c".repeat(RaftMetadataLog.MAX_COMMAND - 100);
    try (RaftMetadataLog log = opened(1_000_000)) {
      log.submit(new Command.CreateDatabase("big", comment, 5)).get();
      assertThatThrownBy(
              () -> log.submit(new Command.CreateDatabase("bigger", comment + comment, 5)).get())
          .hasRootCauseInstanceOf(SluiceException.class)
          .hasMessageContaining("the limit is");
    }
    try (RaftMetadataLog log = opened(1_000_000)) {
      assertThat(log.readLatest().get().state().databases().get("big").comment())
          .isEqualTo(comment);
    }
  }

  @Test
  void aDamagedSnapshotStopsTheStartNamingTheFile() throws Exception {
    try (RaftMetadataLog log = opened(20)) {
      for (int i = 0; i < 60; i++) {
        log.submit(new Command.InitWriter("w" + i)).get();
      }
      Await.until("a snapshot is written", SOON, () -> !snapshots().isEmpty());
    }
    for (Path snapshot : snapshots()) {
      byte[] bytes = Files.readAllBytes(snapshot);
      bytes[bytes.length / 2] ^= 1;
      Files.write(snapshot, bytes);
    }
    assertThatThrownBy(() -> opened(20).close())
        .hasStackTraceContaining("is damaged at position")
        .hasStackTraceContaining(snapshots().get(0).getFileName().toString().substring(0, 8));
  }

  private RaftMetadataLog opened(long snapshotEvery) throws Exception {
    RaftSettings single = RaftSettings.single("1", home, 9123);
    RaftMetadataLog log =
        new RaftMetadataLog(new RaftSettings(single.id(), single.peers(), home, snapshotEvery));
    try {
      log.start();
      Await.until("the coordinator leads", SOON, log::leads);
    } catch (Exception | AssertionError failure) {
      log.close();
      throw failure;
    }
    return log;
  }

  private List<Path> snapshots() throws Exception {
    try (Stream<Path> files = Files.walk(home)) {
      return files
          .filter(file -> file.getFileName().toString().matches("snapshot\\.\\d+_\\d+"))
          .toList();
    }
  }

  private static TabletServer.Registration server(int id) {
    return new TabletServer.Registration(id, "127.0.0.1", 9223, 9280, "", "i1", "b1", false);
  }

  private static Command createTable(String name, int buckets) {
    TableSchema schema =
        new TableSchema(
            1, List.of(Column.of(1, "id", new DataType.IntegerType(64), false)), List.of());
    List<List<Integer>> placement = new ArrayList<>();
    for (int i = 0; i < buckets; i++) {
      placement.add(List.of(1));
    }
    return new Command.CreateTable(
        new TablePath("demo", name), schema, List.of(), Map.of("a", "b"), "", 6, placement);
  }
}
