package io.sluice.lake.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.lake.catalog.LakeKeys;
import io.sluice.protocol.lake.v1.CommitRoundRequest;
import io.sluice.protocol.lake.v1.DataFile;
import io.sluice.protocol.lake.v1.LakeSnapshot;
import io.sluice.protocol.lake.v1.PrepareRoundResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.RuntimeIOException;
import org.apache.iceberg.jdbc.UncheckedSQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RoundsTest {
  private static final long TABLE = 5;

  @TempDir private Path directory;
  private LakeUnderTest lake;

  @BeforeEach
  void open() {
    lake = new LakeUnderTest(directory);
    lake.record().create(TABLE, "demo", "flights", 2);
  }

  @AfterEach
  void close() {
    lake.close();
  }

  private static String round(long epoch, int number) {
    return TABLE + "-" + epoch + "-" + String.format("%08x", number);
  }

  private CommitRoundRequest written(String roundId, Map<Integer, Integer> rows)
      throws IOException {
    return lake.write(lake.prepare(TABLE, 1, roundId), roundId, 1, rows);
  }

  private RoundOutcome tier(int number, Map<Integer, Integer> rows) throws IOException {
    return lake.rounds().commit(written(round(1, number), rows));
  }

  private Table table() {
    return lake.catalog().loadTable(TableIdentifier.of("demo", "flights"));
  }

  @Test
  void commitsRoundsOneAfterAnother() throws IOException {
    PrepareRoundResponse prepared = lake.prepare(TABLE, 1, round(1, 1));
    assertThat(prepared.getBaseSnapshotId()).isEqualTo(-1);
    assertThat(prepared.getOffsetsList()).isEmpty();
    assertThat(prepared.getFormatVersion()).isEqualTo(2);
    assertThat(prepared.getDataLocation())
        .isEqualTo("file://" + directory + "/warehouse/demo/flights-5/data/round-5-1-00000001");

    assertThat(tier(1, Map.of(0, 10, 1, 3))).isInstanceOf(RoundOutcome.Committed.class);
    assertThat(tier(2, Map.of(1, 4))).isInstanceOf(RoundOutcome.Committed.class);

    assertThat(lake.rows("demo", "flights").get(0)).hasSize(10);
    assertThat(lake.rows("demo", "flights").get(1)).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L);
    assertThat(table().properties())
        .containsEntry(LakeKeys.OFFSETS, "{\"0-0\":10,\"0-1\":7}")
        .containsEntry(LakeKeys.TABLE_ID, "5")
        .containsEntry(LakeKeys.FENCE, "0");
    assertThat(table().currentSnapshot().summary())
        .containsEntry(LakeKeys.OFFSETS, "{\"0-0\":10,\"0-1\":7}")
        .containsEntry(LakeKeys.ROUND, round(1, 2))
        .containsEntry(LakeKeys.EPOCH, "1")
        .containsEntry(LakeKeys.FENCE, "0")
        .containsEntry(LakeKeys.TABLE_ID, "5");
    assertThat(lake.record().recorded()).hasSize(2);
    assertThat(lake.record().recorded().get(1).getRows()).isEqualTo(4);
    assertThat(lake.record().recorded().get(1).getFiles()).isEqualTo(1);
  }

  @Test
  void keepsColumnIdsAsFieldIds() {
    lake.prepare(TABLE, 1, round(1, 1));
    assertThat(table().schema().findField("id").fieldId()).isEqualTo(3);
    assertThat(table().schema().findField("name").fieldId()).isEqualTo(7);
    assertThat(table().schema().findField("__bucket").fieldId()).isEqualTo(1_000_000_001);
    assertThat(table().spec().toString()).contains("__bucket: identity");
  }

  @Test
  void tellsFilesAndOffsetsOfTheCurrentSnapshot() throws IOException {
    assertThat(lake.committer().snapshots().current(TABLE).getSnapshotId()).isEqualTo(-1);
    tier(1, Map.of(0, 10, 1, 3));
    LakeSnapshot snapshot = lake.committer().snapshots().current(TABLE);
    assertThat(snapshot.getSnapshotId()).isEqualTo(table().currentSnapshot().snapshotId());
    assertThat(LakeOffsets.of(snapshot.getOffsetsList()).toString()).isEqualTo("{0-0=10, 0-1=3}");
    assertThat(snapshot.getFilesList())
        .anySatisfy(
            file -> {
              assertThat(file.getBucket()).isEqualTo(1);
              assertThat(file.getRows()).isEqualTo(3);
              assertThat(file.getPath()).endsWith("/0-1-0.parquet");
            })
        .hasSize(2);
    assertThat(lake.committer().snapshots().current(TABLE)).isSameAs(snapshot);
  }

  @Test
  void committingARoundAgainChangesNothing() throws IOException {
    CommitRoundRequest request = written(round(1, 1), Map.of(0, 10));
    RoundOutcome first = lake.rounds().commit(request);
    tier(2, Map.of(0, 1));
    assertThat(lake.rounds().commit(request)).isEqualTo(first);
    assertThat(lake.rows("demo", "flights").get(0)).hasSize(11);
    assertThat(lake.record().recorded()).hasSize(2);
  }

  @Test
  void refusesARoundFromAStaleStart() throws IOException {
    CommitRoundRequest zombie = written(round(1, 1), Map.of(0, 10));
    tier(2, Map.of(0, 4));
    assertRefused(lake.rounds().commit(zombie), ErrorCode.FENCED_ROUND, "starts bucket 0-0 at 0");
  }

  @Test
  void refusesAnEpochThatIsOver() throws IOException {
    CommitRoundRequest zombie = written(round(1, 1), Map.of(0, 10));
    lake.record().epoch(TABLE, 2);
    assertRefused(lake.rounds().commit(zombie), ErrorCode.FENCED_ROUND, "epoch 1");
    assertThatThrownBy(() -> lake.prepare(TABLE, 1, round(1, 3)))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FENCED_ROUND));
    assertThat(lake.rows("demo", "flights")).isEmpty();
  }

  @Test
  void commitsNothingWithoutACoordinator() throws IOException {
    CommitRoundRequest request = written(round(1, 1), Map.of(0, 10));
    lake.record().away(true);
    assertThatThrownBy(() -> lake.rounds().commit(request))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
    lake.record().away(false);
    assertThat(lake.rows("demo", "flights")).isEmpty();
    assertThat(lake.rounds().commit(request)).isInstanceOf(RoundOutcome.Committed.class);
  }

  @Test
  void refusesTheLateCommitOfADroppedAndRecreatedTable() throws IOException {
    CommitRoundRequest late = written(round(1, 1), Map.of(0, 10));
    lake.record().drop(TABLE);
    assertRefused(lake.rounds().commit(late), ErrorCode.TABLE_NOT_FOUND, "dropped");
    lake.record().create(6, "demo", "flights", 2);
    assertRefused(lake.rounds().commit(late), ErrorCode.TABLE_NOT_FOUND, "dropped");
    assertThatThrownBy(() -> lake.prepare(6, 1, "6-1-00000001"))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.LAKE_TABLE_EXISTS);
              assertThat(e).hasMessageContaining("PURGE");
            });
    assertThat(lake.committer().drop().find("demo", "flights").getManaged()).isFalse();
    assertThat(lake.committer().drop().purge("demo", "flights")).isTrue();
    PrepareRoundResponse fresh = lake.prepare(6, 1, "6-1-00000001");
    lake.rounds().commit(lake.write(fresh, "6-1-00000001", 1, Map.of(1, 10)));
    assertThat(lake.rows("demo", "flights")).hasSize(1);
    assertThat(directory.resolve("warehouse/demo/flights-5")).doesNotExist();
  }

  @Test
  void aRoundThatWasCommittedBeforeItsTableWasDroppedIsCommitted() throws IOException {
    CommitRoundRequest request = written(round(1, 1), Map.of(0, 10));
    RoundOutcome committed = lake.rounds().commit(request);
    lake.record().drop(TABLE);
    assertThat(lake.rounds().resolve(TABLE, 1, round(1, 1))).isEqualTo(committed);
    assertThat(lake.rounds().commit(request)).isEqualTo(committed);
    assertRefused(
        lake.rounds().resolve(TABLE, 1, round(1, 2)), ErrorCode.TABLE_NOT_FOUND, "dropped");

    lake.catalog().createNamespace(Namespace.of("kept"), Map.of());
    TableIdentifier renamed = TableIdentifier.of("kept", "old");
    lake.catalog().renameTable(TableIdentifier.of("demo", "flights"), renamed);
    assertThat(lake.rounds().resolve(TABLE, 1, round(1, 1))).isEqualTo(committed);
    lake.catalog().dropTable(renamed, true);
    assertRefused(
        lake.rounds().resolve(TABLE, 1, round(1, 1)), ErrorCode.TABLE_NOT_FOUND, "dropped");
  }

  @Test
  void doesNotPurgeATableThatIsTieredInto() throws IOException {
    tier(1, Map.of(0, 10));
    assertThat(lake.committer().drop().find("demo", "flights").getManaged()).isTrue();
    assertThatThrownBy(() -> lake.committer().drop().purge("demo", "flights"))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.LAKE_TABLE_MANAGED));
    assertThat(lake.committer().drop().purge("demo", "nothing")).isFalse();
  }

  @Test
  void findsOutThatACommitWithoutAnAnswerTookEffect() throws IOException {
    CommitRoundRequest request = written(round(1, 1), Map.of(0, 10));
    lake.faults().failAfter(() -> new UncheckedSQLException("injected: answer lost"));
    assertThat(lake.rounds().commit(request)).isInstanceOf(RoundOutcome.Committed.class);
    assertThat(lake.rows("demo", "flights").get(0)).hasSize(10);
  }

  @Test
  void reservesTheTableUntilAnUnknownOutcomeIsFound() throws IOException {
    CommitRoundRequest request = written(round(1, 1), Map.of(0, 10));
    lake.faults()
        .failAfter(
            () -> {
              lake.faults().unreadable(true);
              return new UncheckedSQLException("injected: answer lost");
            });
    assertThat(lake.rounds().commit(request)).isInstanceOf(RoundOutcome.Unknown.class);
    assertThat(lake.rounds().unresolved(TABLE)).isEqualTo(round(1, 1));
    lake.faults().unreadable(false);

    RoundOutcome resolved = lake.rounds().resolve(TABLE, 1, round(1, 1));
    assertThat(resolved).isInstanceOf(RoundOutcome.Committed.class);
    assertThat(lake.rounds().unresolved(TABLE)).isNull();
    assertThat(lake.record().recorded()).hasSize(1);
    assertThat(lake.rows("demo", "flights").get(0)).hasSize(10);
  }

  @Test
  void fencesOutAnUnknownCommitThatDidNotTakeEffect() throws IOException {
    CommitRoundRequest request = written(round(1, 1), Map.of(0, 10));
    lake.faults().failBefore(() -> new UncheckedSQLException("injected: time-out"));
    assertThat(lake.rounds().commit(request)).isInstanceOf(RoundOutcome.Unknown.class);

    assertRefused(
        lake.rounds().resolve(TABLE, 1, round(1, 1)), ErrorCode.FENCED_ROUND, "not in the lake");
    assertThat(table().properties()).containsEntry(LakeKeys.FENCE, "1");
    assertThat(table().currentSnapshot().summary())
        .containsEntry(LakeKeys.FENCE, "1")
        .doesNotContainKey(LakeKeys.ROUND);
    assertRefused(lake.rounds().commit(request), ErrorCode.FENCED_ROUND, "fence 0");
    assertThat(tier(2, Map.of(0, 4))).isInstanceOf(RoundOutcome.Committed.class);
    assertThat(lake.rows("demo", "flights").get(0)).hasSize(4);
    assertThat(lake.record().recorded()).hasSize(1);
  }

  @Test
  void theNextPrepareSettlesWhatIsUnknown() throws IOException {
    CommitRoundRequest request = written(round(1, 1), Map.of(0, 10));
    lake.faults().failBefore(() -> new CommitStateUnknownException(new RuntimeException("lost")));
    assertThat(lake.rounds().commit(request)).isInstanceOf(RoundOutcome.Unknown.class);
    PrepareRoundResponse next = lake.prepare(TABLE, 1, round(1, 2));
    assertThat(next.getFence()).isEqualTo(1);
    assertThat(next.getOffsetsList()).isEmpty();
  }

  @Test
  void aFailedWriteOfMetadataIsADefiniteNo() throws IOException {
    CommitRoundRequest request = written(round(1, 1), Map.of(0, 10));
    lake.faults().failBefore(() -> new RuntimeIOException("injected: permission denied"));
    assertRefused(lake.rounds().commit(request), ErrorCode.STORAGE_ERROR, "permission denied");
    assertThat(lake.rounds().unresolved(TABLE)).isNull();
    assertThat(lake.rounds().commit(request)).isInstanceOf(RoundOutcome.Committed.class);
  }

  @Test
  void anotherCommitterOnTheSameTableLosesTheRace() throws IOException {
    CommitRoundRequest request = written(round(1, 1), Map.of(0, 10));
    CommitRoundRequest other = written(round(1, 2), Map.of(0, 4));
    Rounds elsewhere =
        new Committer(
                lake.catalog(),
                lake.record(),
                io.sluice.common.TimeSource.SYSTEM,
                Committer.Settings.DEFAULT)
            .rounds();
    lake.faults()
        .raceWith(
            () -> assertThat(elsewhere.commit(other)).isInstanceOf(RoundOutcome.Committed.class));
    assertRefused(lake.rounds().commit(request), ErrorCode.FENCED_ROUND, "the lake is at {0-0=4}");
    assertThat(lake.rows("demo", "flights").get(0)).hasSize(4);
  }

  @Test
  void ofManyCommittersFromOneStartExactlyOneWins() throws Exception {
    Rounds elsewhere =
        new Committer(
                lake.catalog(),
                lake.record(),
                io.sluice.common.TimeSource.SYSTEM,
                Committer.Settings.DEFAULT)
            .rounds();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      for (int generation = 0; generation < 3; generation++) {
        List<Callable<RoundOutcome>> commits = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          CommitRoundRequest request = written(round(1, 16 * generation + i), Map.of(0, i + 1));
          Rounds rounds = i % 2 == 0 ? lake.rounds() : elsewhere;
          commits.add(() -> rounds.commit(request));
        }
        long before = lake.rows("demo", "flights").getOrDefault(0, List.of()).size();
        int committed = 0;
        for (Future<RoundOutcome> outcome : threads.invokeAll(commits)) {
          committed += outcome.get() instanceof RoundOutcome.Committed ? 1 : 0;
        }
        assertThat(committed).isEqualTo(1);
        List<Long> rows = lake.rows("demo", "flights").get(0);
        assertThat(rows).doesNotHaveDuplicates().hasSizeBetween((int) before + 1, (int) before + 4);
        assertThat(rows.get(rows.size() - 1)).isEqualTo(rows.size() - 1L);
      }
    } finally {
      threads.shutdown();
    }
  }

  @Test
  void aTagSetMeanwhileIsNoConflict() throws IOException {
    tier(1, Map.of(0, 3));
    CommitRoundRequest request = written(round(1, 2), Map.of(0, 10));
    lake.faults()
        .raceWith(
            () -> {
              Table table = table();
              table
                  .manageSnapshots()
                  .createTag("before", table.currentSnapshot().snapshotId())
                  .commit();
            });
    assertThat(lake.rounds().commit(request)).isInstanceOf(RoundOutcome.Committed.class);
    assertThat(table().refs()).containsKey("before");
    assertThat(table().properties()).containsEntry(LakeKeys.OFFSETS, "{\"0-0\":13}");
    assertThat(lake.rows("demo", "flights").get(0)).hasSize(13);
  }

  @Test
  void replaysRoundsThatTheCoordinatorDidNotHearOf() throws IOException {
    tier(1, Map.of(0, 3));
    lake.record().loseTellings(100);
    tier(2, Map.of(0, 3));
    lake.record().loseTellings(0);
    assertThat(lake.record().recorded()).hasSize(1);
    lake.restart();
    lake.compare();
    assertThat(lake.record().recorded()).hasSize(2);
    assertThat(LakeOffsets.of(lake.record().state(TABLE).getOffsetsList()).toString())
        .isEqualTo("{0-0=6}");
  }

  @Test
  void aTableThatCannotBeReadDoesNotKeepOthersFromBeingCompared() throws IOException {
    tier(1, Map.of(0, 3));
    lake.record().create(6, "demo", "other", 1);
    PrepareRoundResponse prepared = lake.prepare(6, 1, "6-1-00000001");
    lake.record().loseTellings(100);
    lake.rounds().commit(lake.write(prepared, "6-1-00000001", 1, Map.of(0, 4)));
    lake.record().loseTellings(0);
    String metadata = ((HasTableOperations) table()).operations().current().metadataFileLocation();
    Files.delete(lake.catalog().locations().path(metadata));
    lake.compare();
    assertThat(lake.record().recorded()).hasSize(2);
  }

  @Test
  void replaysAChainInOrderBeforeTheNextRound() throws IOException {
    for (int i = 1; i <= 3; i++) {
      CommitRoundRequest request = written(round(1, i), Map.of(0, i));
      lake.record().loseTellings(i == 1 ? 0 : 100);
      lake.rounds().commit(request);
      lake.record().loseTellings(0);
    }
    assertThat(lake.prepare(TABLE, 1, round(1, 9)).getOffsets(0).getOffset()).isEqualTo(6);
    assertThat(lake.record().recorded())
        .extracting(r -> r.getRoundId())
        .containsExactly(round(1, 1), round(1, 2), round(1, 3));
  }

  @Test
  void holdsBackATableThatWasRolledBack() throws IOException {
    tier(1, Map.of(0, 3));
    long first = table().currentSnapshot().snapshotId();
    CommitRoundRequest late = written(round(1, 9), Map.of(0, 1));
    tier(2, Map.of(0, 3));
    table().manageSnapshots().rollbackTo(first).commit();
    assertRefused(lake.rounds().commit(late), ErrorCode.LAKE_REGRESSED, "rolled back");
    lake.compare();
    assertThat(lake.record().state(TABLE).getHold()).isEqualTo("regressed");
    assertRefused(lake.rounds().commit(late), ErrorCode.LAKE_REGRESSED, "held back");
    assertThatThrownBy(() -> lake.prepare(TABLE, 1, round(1, 3)))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LAKE_REGRESSED));
  }

  @Test
  void aVanishedLakeTableIsARegressionNotAFreshStart() throws IOException {
    tier(1, Map.of(0, 3));
    lake.catalog().dropTable(TableIdentifier.of("demo", "flights"), false);
    assertThatThrownBy(() -> lake.prepare(TABLE, 1, round(1, 3)))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LAKE_REGRESSED));
    assertThat(lake.record().state(TABLE).getHold()).isEqualTo("regressed");
    assertThatThrownBy(() -> lake.committer().snapshots().current(TABLE))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LAKE_REGRESSED));
  }

  @Test
  void refusesFilesThatDoNotFitTheRound() throws IOException {
    CommitRoundRequest good = written(round(1, 1), Map.of(0, 10));
    PrepareRoundResponse prepared = lake.prepare(TABLE, 1, round(1, 1));
    DataFile file = good.getFiles(0);
    String invalid = "file:///tmp/x.parquet";

    assertInvalid(good.toBuilder().clearFiles().build(), "hold the offsets 0 to 0");
    assertInvalid(
        withFile(good, file.toBuilder().setEndOffset(9)), "10 rows for the offsets 0 to 9");
    assertInvalid(withFile(good, file.toBuilder().setBucket(1)), "partition value 0; expected 1");
    assertInvalid(withFile(good, file.toBuilder().setBucket(2)), "buckets 0-0 to 0-1");
    assertInvalid(
        withFile(
            good, file.toBuilder().setJson(file.getJson().replaceAll("file://[^\"]*", invalid))),
        "is not where the round puts it");
    assertInvalid(withFile(good, file.toBuilder().setJson("{}")), "cannot be read");
    assertInvalid(
        withFile(good, file.toBuilder().setStartOffset(1)), "is not where the round puts it");
    assertInvalid(good.toBuilder().addFiles(lake.file(prepared, 1, 0, 4)).build(), "does not move");
    assertInvalid(
        good.toBuilder()
            .clearFiles()
            .addFiles(lake.file(prepared, 0, 0, 4))
            .addFiles(lake.file(prepared, 0, 5, 10))
            .build(),
        "starts at offset 5; bucket 0-0 is filled up to 4");
    java.nio.file.Files.delete(
        lake.catalog().locations().path(prepared.getDataLocation() + "/0-0-0.parquet"));
    assertInvalid(good, "does not exist");
    assertThat(lake.rows("demo", "flights")).isEmpty();
  }

  private static CommitRoundRequest withFile(CommitRoundRequest request, DataFile.Builder file) {
    return request.toBuilder().clearFiles().addFiles(file).build();
  }

  private void assertInvalid(CommitRoundRequest request, String words) {
    assertRefused(lake.rounds().commit(request), ErrorCode.INVALID_ARGUMENT, words);
  }

  private static void assertRefused(RoundOutcome outcome, ErrorCode code, String words) {
    assertThat(outcome)
        .isInstanceOfSatisfying(
            RoundOutcome.Refused.class,
            refused -> {
              assertThat(refused.message()).contains(words);
              assertThat(refused.code()).isEqualTo(code);
            });
  }
}
