package io.sluice.coordinator.metadata;

import static io.sluice.coordinator.metadata.Fixtures.apply;
import static io.sluice.coordinator.metadata.Fixtures.createTable;
import static io.sluice.coordinator.metadata.Fixtures.register;
import static io.sluice.coordinator.metadata.Fixtures.server;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import java.util.List;
import org.junit.jupiter.api.Test;

class TransitionsTest {
  private static final ClusterState WITH_DATABASE =
      apply(
          ClusterState.EMPTY,
          new Command.Bootstrap("c1"),
          new Command.CreateDatabase("demo", "", 1));

  @Test
  void bootstrapGivesTheIdOnce() {
    ClusterState again = apply(WITH_DATABASE, new Command.Bootstrap("c2"));
    assertThat(again.clusterId()).isEqualTo("c1");
  }

  @Test
  void createdTableIsLedByItsFirstReplicaInEpochOne() {
    ClusterState state =
        apply(
            WITH_DATABASE,
            register(1, "a"),
            register(2, "b"),
            createTable("t", List.of(List.of(1), List.of(2, 1))));
    Table table = state.table(new TablePath("demo", "t"));
    assertThat(table.tableId()).isEqualTo(1);
    assertThat(table.buckets().get(0)).isEqualTo(new Bucket(0, 0, List.of(1), 1, 1, List.of(1), 0));
    assertThat(table.buckets().get(1).leader()).isEqualTo(2);
    assertThat(table.buckets().get(1).isr()).containsExactly(2, 1);
  }

  @Test
  void rejectionsNameTheirReasonAndChangeNothing() {
    ClusterState state =
        apply(WITH_DATABASE, register(1, "a"), createTable("t", List.of(List.of(1))));
    assertRejected(
        state, new Command.CreateDatabase("demo", "", 2), ErrorCode.DATABASE_EXISTS, "demo");
    assertRejected(state, new Command.DropDatabase("no", true), ErrorCode.DATABASE_NOT_FOUND, "no");
    assertRejected(
        state,
        new Command.DropDatabase("demo", false),
        ErrorCode.DATABASE_NOT_EMPTY,
        "Database demo holds 1 table; drop them first, or drop the database with cascade");
    assertRejected(
        state, createTable("t", List.of(List.of(1))), ErrorCode.TABLE_EXISTS, "demo.t exists");
    assertRejected(
        state, createTable("u", List.of(List.of(2))), ErrorCode.NOT_ENOUGH_SERVERS, "server 2");
    assertRejected(
        state,
        new Command.DropTable(new TablePath("demo", "u")),
        ErrorCode.TABLE_NOT_FOUND,
        "demo.u");
  }

  @Test
  void tableIdsAreNotReusedAfterADrop() {
    ClusterState state =
        apply(
            WITH_DATABASE,
            register(1, "a"),
            createTable("t", List.of(List.of(1))),
            new Command.DropTable(new TablePath("demo", "t")),
            createTable("t", List.of(List.of(1))));
    assertThat(state.table(new TablePath("demo", "t")).tableId()).isEqualTo(2);
    assertThat(state.table(1)).isNull();
  }

  @Test
  void cascadeDropsTheTablesOfThatDatabaseAlone() {
    ClusterState state =
        apply(
            WITH_DATABASE,
            register(1, "a"),
            createTable("t", List.of(List.of(1))),
            createTable("u", List.of(List.of(1))),
            new Command.CreateDatabase("other", "", 1));
    Transition dropped = Transitions.apply(state, new Command.DropDatabase("demo", true));
    assertThat(dropped.state().tables().size()).isZero();
    assertThat(dropped.state().tableIds().size()).isZero();
    assertThat(dropped.state().databases().containsKey("other")).isTrue();
    assertThat(dropped.events()).hasSize(2).allMatch(e -> e instanceof Event.TableDropped);
  }

  @Test
  void endOfASessionLeavesTheLastReplicaInSyncAndNobodyLeading() {
    ClusterState state =
        apply(
            WITH_DATABASE,
            register(1, "a"),
            createTable("t", List.of(List.of(1))),
            new Command.EndSession(1, "a"));
    assertThat(bucket(state, 0))
        .isEqualTo(new Bucket(0, 0, List.of(1), Bucket.NO_LEADER, 2, List.of(1), 0));
    assertThat(state.isAlive(1)).isFalse();
  }

  @Test
  void endOfASessionMovesLeadershipToALiveInSyncReplica() {
    ClusterState state =
        apply(
            WITH_DATABASE,
            register(1, "a"),
            register(2, "b"),
            createTable("t", List.of(List.of(1, 2), List.of(2, 1))),
            new Command.EndSession(1, "a"));
    assertThat(bucket(state, 0)).isEqualTo(new Bucket(0, 0, List.of(1, 2), 2, 2, List.of(2), 1));
    assertThat(bucket(state, 1)).isEqualTo(new Bucket(0, 1, List.of(2, 1), 2, 1, List.of(2), 1));
  }

  @Test
  void endOfAnOlderIncarnationDoesNothing() {
    ClusterState state =
        apply(
            WITH_DATABASE,
            register(1, "a"),
            createTable("t", List.of(List.of(1))),
            register(1, "b"));
    Transition late = Transitions.apply(state, new Command.EndSession(1, "a"));
    assertThat(late.state()).isEqualTo(state);
    assertThat(late.events()).isEmpty();
  }

  @Test
  void aRestartedServerIsElectedAgainInANewEpoch() {
    ClusterState before =
        apply(WITH_DATABASE, register(1, "a"), createTable("t", List.of(List.of(1))));
    Transition restarted = Transitions.apply(before, register(1, "b"));
    assertThat(bucket(restarted.state(), 0).leader()).isEqualTo(1);
    assertThat(bucket(restarted.state(), 0).leaderEpoch()).isEqualTo(2);
    assertThat(restarted.events())
        .contains(new Event.BucketsChanged(List.of(TableBucket.of(1, 0))));
  }

  @Test
  void aReconnectOfTheSameIncarnationKeepsEpochs() {
    ClusterState before =
        apply(WITH_DATABASE, register(1, "a"), createTable("t", List.of(List.of(1))));
    Transition again = Transitions.apply(before, register(1, "a"));
    assertThat(again.state()).isEqualTo(before);
    assertThat(again.events()).containsExactly(new Event.ServerRegistered(1, "a"));
  }

  @Test
  void anOfflineBucketIsElectedWhenItsReplicaComesBack() {
    ClusterState state =
        apply(
            WITH_DATABASE,
            register(1, "a"),
            createTable("t", List.of(List.of(1))),
            new Command.EndSession(1, "a"),
            register(1, "a"));
    assertThat(bucket(state, 0).leader()).isEqualTo(1);
    assertThat(bucket(state, 0).leaderEpoch()).isEqualTo(3);
  }

  @Test
  void powerLossTakesAServerOutOfSyncWhereAnotherHasTheData() {
    ClusterState before =
        apply(
            WITH_DATABASE,
            register(1, "a"),
            register(2, "b"),
            createTable("t", List.of(List.of(1, 2), List.of(1))));
    Transition back =
        Transitions.apply(before, new Command.RegisterServer(server(1, "c", "boot-2", false), 9));
    assertThat(bucket(back.state(), 0).leader()).isEqualTo(2);
    assertThat(bucket(back.state(), 0).isr()).containsExactly(2);
    assertThat(bucket(back.state(), 1).leader()).isEqualTo(1);
    assertThat(back.events()).contains(new Event.DataMaybeLost(1, List.of(TableBucket.of(1, 1))));
  }

  @Test
  void aCleanStopBeforeARebootKeepsTheServerInSync() {
    ClusterState before =
        apply(
            WITH_DATABASE,
            register(1, "a"),
            register(2, "b"),
            createTable("t", List.of(List.of(1, 2))));
    Transition back =
        Transitions.apply(before, new Command.RegisterServer(server(1, "c", "boot-2", true), 9));
    assertThat(bucket(back.state(), 0).isr()).containsExactly(1, 2);
    assertThat(back.events()).noneMatch(e -> e instanceof Event.DataMaybeLost);
  }

  @Test
  void writersKeepTheirIdAndRaiseTheirEpoch() {
    assertThat(Transitions.apply(WITH_DATABASE, new Command.InitWriter("w")).outcome())
        .isEqualTo(new Outcome.Accepted(1, 0));
    ClusterState state =
        apply(WITH_DATABASE, new Command.InitWriter("w"), new Command.InitWriter(""));
    Transition again = Transitions.apply(state, new Command.InitWriter("w"));
    assertThat(again.outcome()).isEqualTo(new Outcome.Accepted(1, 1));
    assertThat(again.events()).containsExactly(new Event.WriterStarted(1, 1));
    assertThat(Transitions.apply(state, new Command.InitWriter("")).outcome())
        .isEqualTo(new Outcome.Accepted(3, 0));
    assertThat(state.writers().size()).isEqualTo(1);
  }

  @Test
  void aWriterNameIsRefusedWhenItsEpochsAreUsedUp() {
    ClusterState worn = WITH_DATABASE.withWriter(new Writer("w", 1, Writer.MAX_EPOCH));
    assertRejected(worn, new Command.InitWriter("w"), ErrorCode.INVALID_ARGUMENT, "65536 times");
  }

  private static Bucket bucket(ClusterState state, int bucket) {
    return state.bucket(TableBucket.of(1, bucket));
  }

  private static void assertRejected(
      ClusterState state, Command command, ErrorCode code, String message) {
    Transition transition = Transitions.apply(state, command);
    assertThat(transition.state()).isSameAs(state);
    assertThat(transition.events()).isEmpty();
    assertThat(transition.outcome()).isInstanceOf(Outcome.Rejected.class);
    Outcome.Rejected rejected = (Outcome.Rejected) transition.outcome();
    assertThat(rejected.code()).isEqualTo(code);
    assertThat(rejected.message()).contains(message);
  }
}
