package io.sluice.coordinator.metadata;

import static io.sluice.coordinator.metadata.Fixtures.apply;
import static io.sluice.coordinator.metadata.Fixtures.createTable;
import static io.sluice.coordinator.metadata.Fixtures.register;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.TablePath;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The chain, the fence and the hold of a table in the lake. */
class LakeTransitionsTest {
  private static final ClusterState STATE =
      apply(
          ClusterState.EMPTY,
          new Command.Bootstrap("c1"),
          new Command.CreateDatabase("demo", "", 1),
          register(1, "a"),
          Fixtures.createLakeTable("t", List.of(List.of(1), List.of(1))),
          createTable("plain", List.of(List.of(1))));

  @Test
  void onlyTablesWithTheLakeOnHaveARecordAndItGoesWithTheTable() {
    assertThat(STATE.lakes().size()).isEqualTo(1);
    assertThat(lake(STATE)).isEqualTo(LakeTable.created(1));
    assertThat(apply(STATE, new Command.DropTable(new TablePath("demo", "t"))).lakes().size())
        .isZero();
    assertThat(apply(STATE, new Command.DropDatabase("demo", true)).lakes().size()).isZero();
    assertRejected(
        STATE,
        new Command.RaiseTieringEpoch(2, 1),
        ErrorCode.TABLE_NOT_FOUND,
        "Table demo.plain is not copied to the lake");
    assertRejected(
        STATE,
        new Command.SetLakeHold(9, LakeHold.PAUSED, ""),
        ErrorCode.TABLE_NOT_FOUND,
        "There is no table with id 9; it may have been dropped");
  }

  @Test
  void epochsRiseOneByOneAndARepeatedRaiseDoesNothing() {
    ClusterState one = apply(STATE, new Command.RaiseTieringEpoch(1, 1));
    assertThat(lake(one).epoch()).isEqualTo(1);
    assertThat(lake(one).mayRun()).isTrue();
    assertThat(apply(one, new Command.RaiseTieringEpoch(1, 1))).isSameAs(one);
    assertRejected(
        one,
        new Command.RaiseTieringEpoch(1, 3),
        ErrorCode.FENCED_ROUND,
        "Table demo.t cannot be raised to tiering epoch 3: it is in epoch 1");
    assertRejected(
        one, new Command.RaiseTieringEpoch(1, 0), ErrorCode.FENCED_ROUND, "it is in epoch 1");
  }

  @Test
  void aRoundMovesItsBucketsAndEndsItsEpoch() {
    ClusterState state =
        apply(
            STATE,
            new Command.RaiseTieringEpoch(1, 1),
            round(1, "a", List.of(at(0, 0)), List.of(at(0, 5))),
            new Command.RaiseTieringEpoch(1, 2),
            round(2, "b", List.of(at(0, 5)), List.of(at(0, 7), at(1, 3))));
    LakeTable lake = lake(state);
    assertThat(lake.offsets()).containsExactly(at(0, 7), at(1, 3));
    assertThat(lake.roundId()).isEqualTo("b");
    assertThat(lake.snapshotId()).isEqualTo(77);
    assertThat(lake.tieredMs()).isEqualTo(4000);
    assertThat(lake.mayRun()).isFalse();
    assertThat(lake.last().rows()).isEqualTo(10);
  }

  /** chain. */
  @Test
  void aRoundThatDoesNotStartWhereTheRecordEndsIsRefusedWhateverItsEpoch() {
    ClusterState state =
        apply(
            STATE,
            new Command.RaiseTieringEpoch(1, 1),
            round(1, "a", List.of(), List.of(at(0, 5))),
            new Command.RaiseTieringEpoch(1, 2));
    assertRejected(
        state,
        round(2, "b", List.of(at(0, 4)), List.of(at(0, 9))),
        ErrorCode.FENCED_ROUND,
        "Round b of table demo.t is refused: bucket 0 starts at 4, recorded is 5 after round a");
    assertRejected(
        state,
        round(1, "b", List.of(), List.of(at(0, 9))),
        ErrorCode.FENCED_ROUND,
        "bucket 0 starts at 0, recorded is 5");
    assertRejected(
        state,
        round(2, "b", List.of(at(0, 5), at(1, 1)), List.of(at(0, 9))),
        ErrorCode.FENCED_ROUND,
        "bucket 1 starts at 1, recorded is 0");
    assertRejected(
        state,
        round(2, "b", List.of(), List.of(at(2, 9))),
        ErrorCode.BUCKET_NOT_FOUND,
        "names bucket 2, which table demo.t does not have");
    assertRejected(
        state,
        round(2, "b", List.of(at(0, 5)), List.of(at(0, 4))),
        ErrorCode.INVALID_ARGUMENT,
        "bucket 0 of demo.t from 5 to 4");
  }

  /** fence. */
  @Test
  void anOlderEpochMovesTheOffsetsAndLeavesTheStateAlone() {
    ClusterState state =
        apply(
            STATE,
            new Command.RaiseTieringEpoch(1, 1),
            new Command.RaiseTieringEpoch(1, 2),
            round(1, "late", List.of(), List.of(at(0, 5))));
    assertThat(lake(state).offsets()).containsExactly(at(0, 5));
    assertThat(lake(state).mayRun()).as("epoch 2 goes on").isTrue();
    assertThat(lake(state).endedEpoch()).isZero();
    assertRejected(
        state,
        round(3, "early", List.of(at(0, 5)), List.of(at(0, 6))),
        ErrorCode.FENCED_ROUND,
        "its epoch 3 was never given; the newest is 2");
  }

  @Test
  void aRoundIsRecordedOnceAlsoWhenOthersFollowedIt() {
    Command first = round(1, "a", List.of(), List.of(at(0, 5)));
    ClusterState state = apply(STATE, new Command.RaiseTieringEpoch(1, 1));
    Transition recorded = Transitions.apply(state, first);
    assertThat(recorded.outcome()).isEqualTo(new Outcome.Accepted(1, 0));
    ClusterState next =
        apply(recorded.state(), round(1, "b", List.of(at(0, 5)), List.of(at(0, 6))));
    Transition again = Transitions.apply(next, first);
    assertThat(again.outcome()).isEqualTo(new Outcome.Accepted(0, 0));
    assertThat(again.state()).isSameAs(next);
    for (int i = 0; i < 20; i++) {
      next = apply(next, round(1, "c" + i, List.of(at(0, 6 + i)), List.of(at(0, 7 + i))));
    }
    assertThat(lake(next).rounds()).hasSize(LakeTable.MAX_ROUNDS).endsWith("c19");
  }

  @Test
  void failuresCountUntilASuccessAndOnlyInTheirEpoch() {
    ClusterState state =
        apply(
            STATE,
            new Command.RaiseTieringEpoch(1, 1),
            failed(1, "w1"),
            failed(1, "w1"),
            new Command.RaiseTieringEpoch(1, 2),
            failed(1, "w9"),
            failed(2, "w2"),
            new Command.RaiseTieringEpoch(1, 3),
            failed(3, "w3"));
    assertThat(lake(state).failures())
        .isEqualTo(new LakeTable.Failures(3, 3, List.of("w1", "w2"), "boom", "w3", 50));
    ClusterState over =
        apply(state, new Command.RaiseTieringEpoch(1, 4), new Command.RoundEmpty(1, 4, 9000));
    assertThat(lake(over).failures().inRow()).isZero();
    assertThat(lake(over).failures().total()).isEqualTo(3);
    assertThat(lake(over).failures().cause()).isEqualTo("boom");
    assertThat(lake(over).tieredMs()).isEqualTo(9000);
    assertThat(apply(over, new Command.RoundEmpty(1, 4, 9999))).isSameAs(over);
  }

  @Test
  void aHoldGivesWayOnlyToAStrongerOneOrToItsEnd() {
    ClusterState regressed =
        apply(
            STATE,
            new Command.SetLakeHold(1, LakeHold.PAUSED, "p"),
            new Command.SetLakeHold(1, LakeHold.REGRESSED, "r"),
            new Command.SetLakeHold(1, LakeHold.QUARANTINED, "q"));
    assertThat(lake(regressed).hold()).isEqualTo(LakeHold.REGRESSED);
    assertThat(lake(regressed).holdReason()).isEqualTo("r");
    ClusterState free = apply(regressed, new Command.SetLakeHold(1, LakeHold.NONE, ""));
    assertThat(lake(free).hold()).isEqualTo(LakeHold.NONE);
  }

  @Test
  void lettingGoOfAQuarantinedTableStartsItsCountAnew() {
    ClusterState state =
        apply(
            STATE,
            new Command.RaiseTieringEpoch(1, 1),
            failed(1, "w1"),
            new Command.SetLakeHold(1, LakeHold.QUARANTINED, "q"),
            new Command.SetLakeHold(1, LakeHold.NONE, ""));
    assertThat(lake(state).failures().inRow()).isZero();
  }

  private static LakeTable lake(ClusterState state) {
    return state.lakes().get(1L);
  }

  private static LakeOffset at(int bucket, long offset) {
    return new LakeOffset(0, bucket, offset);
  }

  private static Command.RoundCommitted round(
      long epoch, String id, List<LakeOffset> start, List<LakeOffset> end) {
    return new Command.RoundCommitted(
        1, epoch, id, 77, start, end, new LakeTable.LastRound(10, 100, 2, 4000));
  }

  private static Command failed(long epoch, String worker) {
    return new Command.RoundFailed(1, epoch, worker, "boom", 50);
  }

  private static void assertRejected(
      ClusterState state, Command command, ErrorCode code, String message) {
    Transition transition = Transitions.apply(state, command);
    assertThat(transition.state()).isSameAs(state);
    assertThat(transition.outcome())
        .isInstanceOfSatisfying(
            Outcome.Rejected.class,
            rejected -> {
              assertThat(rejected.code()).isEqualTo(code);
              assertThat(rejected.message()).contains(message);
            });
  }
}
