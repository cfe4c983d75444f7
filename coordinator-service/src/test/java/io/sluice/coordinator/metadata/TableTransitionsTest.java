package io.sluice.coordinator.metadata;

import static io.sluice.coordinator.metadata.Fixtures.apply;
import static io.sluice.coordinator.metadata.Fixtures.createPartitioned;
import static io.sluice.coordinator.metadata.Fixtures.createTable;
import static io.sluice.coordinator.metadata.Fixtures.partition;
import static io.sluice.coordinator.metadata.Fixtures.register;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TableTransitionsTest {
  private static final ClusterState START =
      apply(
          ClusterState.EMPTY,
          new Command.Bootstrap("c1"),
          new Command.CreateDatabase("demo", "", 1),
          register(1, "a"),
          register(2, "b"));

  @Test
  void anAlterationAddsItsSchemaAndRaisesTheVersion() {
    ClusterState state = apply(START, createTable("t", List.of(List.of(1))));
    Transition altered =
        Transitions.apply(
            state, new Command.AlterTable(1, 0, Fixtures.wider(2), Map.of("k", "v"), "new"));
    Table table = altered.state().table(1);
    assertThat(table.schemas()).containsExactly(Fixtures.SCHEMA, Fixtures.wider(2));
    assertThat(table.schema()).isEqualTo(Fixtures.wider(2));
    assertThat(table.options()).containsExactly(Map.entry("k", "v"));
    assertThat(table.comment()).isEqualTo("new");
    assertThat(table.version()).isEqualTo(1);
    assertThat(table.buckets()).isEqualTo(state.table(1).buckets());
    assertThat(altered.events()).containsExactly(new Event.TableAltered(1));
    assertThat(apply(altered.state(), new Command.AlterTable(1, 1, null, Map.of(), "")).table(1))
        .satisfies(
            after -> {
              assertThat(after.schemas()).isEqualTo(table.schemas());
              assertThat(after.version()).isEqualTo(2);
            });
  }

  @Test
  void anAlteredReplicationFactorCountsForPartitionsToCome() {
    ClusterState state =
        apply(
            START,
            createPartitioned("t", partition("x", 1)),
            new Command.AlterTable(1, 0, null, Map.of("table.replication.factor", "2"), ""));
    assertThat(state.table(1).replicationFactor()).isEqualTo(2);
    assertThat(state.table(1).buckets().get(0).replicas()).containsExactly(1);
    assertThat(
            apply(state, new Command.AlterTable(1, 1, null, Map.of(), ""))
                .table(1)
                .replicationFactor())
        .as("it stays when no option names it")
        .isEqualTo(2);
  }

  @Test
  void anAlterationPlannedFromAnOlderTableIsRejected() {
    ClusterState state =
        apply(
            START,
            createTable("t", List.of(List.of(1))),
            new Command.AlterTable(1, 0, Fixtures.wider(2), Map.of(), ""));
    assertRejected(
        state,
        new Command.AlterTable(1, 0, Fixtures.wider(2), Map.of(), ""),
        ErrorCode.SCHEMA_CHANGED,
        "Table demo.t was altered by somebody else at the same time");
    assertRejected(
        state,
        new Command.AlterTable(7, 0, null, Map.of(), ""),
        ErrorCode.TABLE_NOT_FOUND,
        "no table with id 7");
  }

  @Test
  void partitionsTakeIdsThatAreUniqueInTheClusterAndNeverReused() {
    ClusterState state =
        apply(
            START,
            createPartitioned("t", partition("x", 1), partition("y", 2)),
            createPartitioned("u"),
            new Command.CreatePartition(2, partition("x", 2), 9),
            new Command.DropPartition(1, 1),
            new Command.CreatePartition(1, partition("x", 1), 10));
    assertThat(state.table(1).partitions())
        .containsExactly(new Partition(2, List.of("y"), 2000), new Partition(4, List.of("x"), 10));
    assertThat(state.table(2).partitions()).containsExactly(new Partition(3, List.of("x"), 9));
    assertThat(state.nextPartitionId()).isEqualTo(5);
    assertThat(state.bucket(new TableBucket(1, 4, 1)))
        .isEqualTo(new Bucket(4, 1, List.of(1), 1, 1, List.of(1), 0));
    assertThat(state.bucket(new TableBucket(1, 1, 0))).isNull();
    assertThat(state.bucket(new TableBucket(1, 0, 0))).isNull();
    assertThat(state.bucket(new TableBucket(1, 4, 2))).isNull();
  }

  @Test
  void bucketsOfPartitionsAreElectedLikeOthers() {
    ClusterState state =
        apply(
            START,
            createPartitioned("t", partition("x", 1), partition("y", 2)),
            new Command.EndSession(1, "a"));
    assertThat(state.bucket(new TableBucket(1, 1, 0)).leader()).isEqualTo(Bucket.NO_LEADER);
    assertThat(state.bucket(new TableBucket(1, 2, 0)).leader()).isEqualTo(2);
    Transition back = Transitions.apply(state, register(1, "a2"));
    assertThat(back.events())
        .contains(
            new Event.BucketsChanged(List.of(new TableBucket(1, 1, 0), new TableBucket(1, 1, 1))));
  }

  @Test
  void rejectionsOfPartitionsNameTheirReason() {
    ClusterState state = apply(START, createPartitioned("t", partition("x", 1)));
    assertRejected(
        state,
        new Command.CreatePartition(1, partition("x", 1), 1),
        ErrorCode.PARTITION_EXISTS,
        "Partition [x] of table demo.t exists");
    assertRejected(
        state,
        new Command.CreatePartition(1, partition("y", 3), 1),
        ErrorCode.NOT_ENOUGH_SERVERS,
        "server 3 went away");
    assertRejected(
        state, new Command.DropPartition(1, 2), ErrorCode.PARTITION_NOT_FOUND, "with id 2");
    assertRejected(
        state,
        new Command.CreatePartition(5, partition("y", 1), 1),
        ErrorCode.TABLE_NOT_FOUND,
        "no table with id 5");
    assertRejected(
        state,
        createPartitioned("u", partition("y", 3)),
        ErrorCode.NOT_ENOUGH_SERVERS,
        "server 3 went away");
  }

  @Test
  void aTableHasAtMostAThousandPartitions() {
    List<Command> commands = new ArrayList<>();
    commands.add(createPartitioned("t"));
    for (int i = 0; i < 1000; i++) {
      commands.add(new Command.CreatePartition(1, partition("p" + i, 1), 1));
    }
    ClusterState full = apply(START, commands.toArray(Command[]::new));
    assertRejected(
        full,
        new Command.CreatePartition(1, partition("more", 1), 1),
        ErrorCode.TOO_MANY_PARTITIONS,
        "Table demo.t has 1000 partitions of 2 buckets; it may have 1000 partitions: drop some");
    ClusterState room = apply(full, new Command.DropPartition(1, 500));
    assertThat(apply(room, new Command.CreatePartition(1, partition("more", 1), 1)).table(1))
        .satisfies(table -> assertThat(table.partition(1001).values()).containsExactly("more"));
  }

  @Test
  void theDropOfAPartitionTellsWhatItsBucketsWere() {
    ClusterState state = apply(START, createPartitioned("t", partition("x", 1), partition("y", 2)));
    Transition dropped = Transitions.apply(state, new Command.DropPartition(1, 2));
    assertThat(dropped.events())
        .containsExactly(new Event.PartitionDropped(1, 2, state.table(1).bucketsOf(2)));
    assertThat(dropped.state().table(1).buckets()).hasSize(2);
    assertThat(apply(dropped.state(), new Command.DropTable(new TablePath("demo", "t"))).table(1))
        .isNull();
  }

  @Test
  void aCascadeDropsPartitionedTablesWithAllTheirBuckets() {
    ClusterState state = apply(START, createPartitioned("t", partition("x", 1)));
    Transition dropped = Transitions.apply(state, new Command.DropDatabase("demo", true));
    assertThat(dropped.state().tables().size()).isZero();
    assertThat(dropped.events()).containsExactly(new Event.TableDropped(state.table(1)));
  }

  private static void assertRejected(
      ClusterState state, Command command, ErrorCode code, String message) {
    Transition transition = Transitions.apply(state, command);
    assertThat(transition.state()).isSameAs(state);
    assertThat(transition.events()).isEmpty();
    Outcome.Rejected rejected = (Outcome.Rejected) transition.outcome();
    assertThat(rejected.code()).isEqualTo(code);
    assertThat(rejected.message()).contains(message);
  }
}
