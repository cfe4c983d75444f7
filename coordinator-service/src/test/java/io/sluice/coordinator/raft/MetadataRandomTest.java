package io.sluice.coordinator.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.TablePath;
import io.sluice.coordinator.metadata.Bucket;
import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.Fixtures;
import io.sluice.coordinator.metadata.LakeHold;
import io.sluice.coordinator.metadata.LakeOffset;
import io.sluice.coordinator.metadata.LakeTable;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.Outcome;
import io.sluice.coordinator.metadata.Partition;
import io.sluice.coordinator.metadata.PersistentMap;
import io.sluice.coordinator.metadata.Table;
import io.sluice.coordinator.metadata.Transition;
import io.sluice.coordinator.metadata.Transitions;
import io.sluice.testkit.Seeds;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random commands against a model of what must hold. */
class MetadataRandomTest {
  private static final UUID GROUP = new UUID(1, 2);

  @TempDir Path directory;

  @Test
  void invariantsHoldAndEveryReplayGivesTheSameBytes() {
    Map<Class<?>, Integer> accepted = new HashMap<>();
    Seeds.run(
        60,
        (seed, random) -> {
          List<Command> commands = new ArrayList<>();
          ClusterState state = ClusterState.EMPTY;
          Model model = new Model();
          for (int i = 0; i < 300; i++) {
            Command command = randomCommand(random, state);
            byte[] encoded = CommandCodec.encode(command);
            assertThat(CommandCodec.decode(encoded)).isEqualTo(command);
            Transition transition = Transitions.apply(state, command);
            model.check(command, transition);
            if (transition.outcome() instanceof Outcome.Accepted) {
              accepted.merge(command.getClass(), 1, Integer::sum);
            }
            state = transition.state();
            commands.add(command);
          }
          ClusterState replayed = ClusterState.EMPTY;
          for (Command command : commands) {
            replayed =
                Transitions.apply(replayed, CommandCodec.decode(CommandCodec.encode(command)))
                    .state();
          }
          assertThat(replayed).isEqualTo(state);
          assertThat(snapshot(replayed)).isEqualTo(snapshot(state));
          assertThat(roundTrip(state)).isEqualTo(state);
        });
    if (System.getProperty("sluice.seed") == null) {
      for (Class<?> kind :
          List.of(
              Command.AlterTable.class,
              Command.CreatePartition.class,
              Command.DropPartition.class,
              Command.GrantIds.class)) {
        assertThat(accepted.get(kind)).as("%s accepted", kind).isGreaterThan(20);
      }
    }
  }

  private static byte[] snapshot(ClusterState state) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    SnapshotFile.writeTo(bytes, GROUP, 3, new MetadataImage(77, state));
    return bytes.toByteArray();
  }

  private ClusterState roundTrip(ClusterState state) throws IOException {
    Path file = directory.resolve("snapshot");
    SnapshotFile.write(file, GROUP, 3, new MetadataImage(77, state));
    assertThat(Files.readAllBytes(file)).isEqualTo(snapshot(state));
    return SnapshotFile.read(file, GROUP).state();
  }

  private static Command randomCommand(SplittableRandom random, ClusterState state) {
    String database = "d" + random.nextInt(3);
    String table = "t" + random.nextInt(6);
    int server = 1 + random.nextInt(4);
    String incarnation = "i" + random.nextInt(3);
    return switch (random.nextInt(33)) {
      case 0 -> new Command.Bootstrap("c" + random.nextInt(5));
      case 1 -> new Command.CreateDatabase(database, "x", random.nextInt(100));
      case 2 -> new Command.DropDatabase(database, random.nextInt(4) == 0);
      case 3, 4, 5 -> createTable(random, new TablePath(database, table));
      case 6 -> new Command.DropTable(new TablePath(database, table));
      case 7, 8, 9 ->
          new Command.RegisterServer(
              Fixtures.server(
                  server, incarnation, "boot" + random.nextInt(2), random.nextBoolean()),
              random.nextInt(100));
      case 10 -> new Command.EndSession(server, incarnation);
      case 11, 12, 13, 14, 15, 16 -> lakeCommand(random);
      case 17, 18, 19 ->
          new Command.CreatePartition(
              1 + random.nextInt(20), newPartition(random, 2), random.nextInt(100));
      case 20, 21 -> dropPartition(random, state);
      case 22, 23, 24 ->
          new Command.AlterTable(
              1 + random.nextInt(20),
              random.nextInt(2),
              random.nextBoolean() ? null : Fixtures.wider(2 + random.nextInt(3)),
              Map.of("a", "" + random.nextInt(3)),
              "altered");
      case 25, 26 -> createPartitioned(random, new TablePath(database, table));
      case 27, 28, 29 -> grantIds(random, state);
      default -> new Command.InitWriter(random.nextInt(3) == 0 ? "" : "w" + random.nextInt(4));
    };
  }

  /** Often to the leader of a bucket that there is. */
  private static Command grantIds(SplittableRandom random, ClusterState state) {
    List<Command> possible = new ArrayList<>();
    long count = 1 + random.nextInt(100);
    possible.add(
        new Command.GrantIds(1 + random.nextInt(20), 0, random.nextInt(4), 1, 1, count, 500));
    for (PersistentMap.Entry<Long, Table> entry : state.tables()) {
      for (Bucket bucket : entry.value().buckets()) {
        possible.add(
            new Command.GrantIds(
                entry.key(),
                bucket.partitionId(),
                bucket.bucket(),
                bucket.leader(),
                bucket.leaderEpoch() - random.nextInt(2),
                count,
                500));
      }
    }
    return possible.get(random.nextInt(possible.size()));
  }

  private static Command createPartitioned(SplittableRandom random, TablePath path) {
    List<Command.NewPartition> partitions = new ArrayList<>();
    for (int i = 0; i < random.nextInt(3); i++) {
      partitions.add(
          new Command.NewPartition(List.of("start" + i), newPartition(random, 2).placement()));
    }
    return new Command.CreateTable(
        path,
        Fixtures.SCHEMA,
        List.of("id"),
        Map.of(),
        "",
        random.nextInt(100),
        List.of(),
        new Command.Partitioning(List.of("name"), 2, 1, partitions));
  }

  /** Often of a partition that there is. */
  private static Command dropPartition(SplittableRandom random, ClusterState state) {
    List<Command> possible = new ArrayList<>();
    possible.add(new Command.DropPartition(1 + random.nextInt(12), 1 + random.nextInt(12)));
    for (PersistentMap.Entry<Long, Table> entry : state.tables()) {
      for (Partition partition : entry.value().partitions()) {
        possible.add(new Command.DropPartition(entry.key(), partition.partitionId()));
      }
    }
    return possible.get(random.nextInt(possible.size()));
  }

  private static Command.NewPartition newPartition(SplittableRandom random, int buckets) {
    List<List<Integer>> placement = new ArrayList<>();
    for (int bucket = 0; bucket < buckets; bucket++) {
      placement.add(List.of(1 + random.nextInt(4)));
    }
    return new Command.NewPartition(List.of("p" + random.nextInt(12)), placement);
  }

  private static Command lakeCommand(SplittableRandom random) {
    long table = 1 + random.nextInt(30);
    long epoch = random.nextInt(5);
    return switch (random.nextInt(8)) {
      case 0, 1, 2 -> new Command.RaiseTieringEpoch(table, epoch);
      case 3, 4 ->
          new Command.RoundCommitted(
              table,
              epoch,
              "r" + random.nextInt(50),
              random.nextInt(100),
              List.of(new LakeOffset(0, 0, 10L * random.nextInt(3))),
              List.of(new LakeOffset(0, 0, 10L * (1 + random.nextInt(4)))),
              new LakeTable.LastRound(
                  random.nextInt(9), random.nextInt(9), random.nextInt(9), random.nextInt(100)));
      case 5 -> new Command.RoundEmpty(table, epoch, random.nextInt(100));
      case 6 ->
          new Command.RoundFailed(
              table, epoch, "w" + random.nextInt(3), "cause", random.nextInt(100));
      default ->
          new Command.SetLakeHold(
              table, LakeHold.values()[random.nextInt(4)], random.nextBoolean() ? "" : "why");
    };
  }

  private static Command createTable(SplittableRandom random, TablePath path) {
    int factor = 1 + random.nextInt(3);
    List<List<Integer>> placement = new ArrayList<>();
    for (int bucket = 0; bucket <= random.nextInt(4); bucket++) {
      List<Integer> replicas = new ArrayList<>();
      int first = random.nextInt(4);
      for (int i = 0; i < factor; i++) {
        replicas.add(1 + (first + i) % 4);
      }
      placement.add(replicas);
    }
    return new Command.CreateTable(
        path,
        Fixtures.SCHEMA,
        List.of(),
        random.nextBoolean()
            ? Map.of("b", "2", "a", "1")
            : Map.of("table.datalake.enabled", "true"),
        "c",
        random.nextInt(100),
        placement);
  }

  /** Remembers everything ever seen. */
  private static final class Model {
    private final Map<TablePath, Long> tables = new HashMap<>();
    private final Set<Long> tableIds = new HashSet<>();
    private final Set<Long> writerIds = new HashSet<>();
    private final Set<String> ids = new HashSet<>();
    private final Map<String, Long> writers = new HashMap<>();
    private final Map<String, Integer> writerEpochs = new HashMap<>();
    private final Map<String, Bucket> buckets = new HashMap<>();
    private final Map<Long, LakeTable> lakes = new HashMap<>();
    private final Map<Long, Table> known = new HashMap<>();
    private final Map<Long, Long> partitionOwners = new HashMap<>();

    void check(Command command, Transition transition) {
      ClusterState state = transition.state();
      if (transition.outcome() instanceof Outcome.Accepted accepted) {
        follow(command, accepted);
      } else {
        assertThat(transition.events()).isEmpty();
      }
      Map<TablePath, Long> found = new HashMap<>();
      for (PersistentMap.Entry<TablePath, Long> entry : state.tableIds()) {
        found.put(entry.key(), entry.value());
      }
      assertThat(found).isEqualTo(tables);
      assertThat(state.tables().size()).isEqualTo(tables.size());
      for (PersistentMap.Entry<Long, Table> entry : state.tables()) {
        for (Bucket bucket : entry.value().buckets()) {
          check(state, entry.value().bucketId(bucket).toString(), bucket);
          assertThat(state.bucket(entry.value().bucketId(bucket))).isSameAs(bucket);
        }
        check(command, transition, entry.value());
        assertThat(state.lakes().containsKey(entry.key())).isEqualTo(entry.value().lakeEnabled());
      }
      for (PersistentMap.Entry<Long, LakeTable> entry : state.lakes()) {
        assertThat(state.table(entry.key())).isNotNull();
        check(command, entry.value());
      }
    }

    /** Ids of partitions and schemas only grow; a version goes with an accepted alteration. */
    private void check(Command command, Transition transition, Table table) {
      Table before = known.put(table.tableId(), table);
      Set<List<String>> values = new HashSet<>();
      for (Partition partition : table.partitions()) {
        assertThat(values.add(partition.values())).as("values are there once").isTrue();
        assertThat(partition.partitionId()).isLessThan(transition.state().nextPartitionId());
        Long owner = partitionOwners.putIfAbsent(partition.partitionId(), table.tableId());
        assertThat(owner == null || owner == table.tableId()).as("ids are never reused").isTrue();
        if (before != null && before.partition(partition.partitionId()) == null) {
          assertThat(before.partitions().stream().map(Partition::partitionId))
              .allMatch(id -> id < partition.partitionId());
        }
        assertThat(table.bucketsOf(partition.partitionId())).hasSize(table.bucketCount());
      }
      if (before == null || before.version() == table.version()) {
        return;
      }
      assertThat(command).isInstanceOf(Command.AlterTable.class);
      assertThat(((Command.AlterTable) command).version()).isEqualTo(before.version());
      assertThat(table.version()).isEqualTo(before.version() + 1);
      assertThat(table.schemas().subList(0, before.schemas().size())).isEqualTo(before.schemas());
    }

    /** Epochs only grow; offsets move by a round alone, from where they were. */
    private void check(Command command, LakeTable lake) {
      LakeTable before = lakes.put(lake.tableId(), lake);
      if (before == null) {
        return;
      }
      assertThat(lake.epoch()).isBetween(before.epoch(), before.epoch() + 1);
      assertThat(lake.endedEpoch()).isBetween(before.endedEpoch(), lake.epoch());
      assertThat(lake.failures().total()).isGreaterThanOrEqualTo(before.failures().total());
      if (!lake.offsets().equals(before.offsets())) {
        assertThat(command).isInstanceOf(Command.RoundCommitted.class);
        Command.RoundCommitted round = (Command.RoundCommitted) command;
        assertThat(before.offset(0, 0)).isEqualTo(round.start().get(0).offset());
        assertThat(lake.offset(0, 0)).isEqualTo(round.end().get(0).offset());
        assertThat(before.rounds()).doesNotContain(round.roundId());
      }
    }

    private void follow(Command command, Outcome.Accepted accepted) {
      if (command instanceof Command.CreateTable create) {
        assertThat(tableIds.add(accepted.id())).as("table ids are never reused").isTrue();
        tables.put(create.path(), accepted.id());
      } else if (command instanceof Command.DropTable drop) {
        assertThat(tables.remove(drop.path())).isEqualTo(accepted.id());
      } else if (command instanceof Command.DropDatabase drop) {
        tables.keySet().removeIf(path -> path.database().equals(drop.name()));
      } else if (command instanceof Command.InitWriter init) {
        followWriter(init.name(), accepted);
      } else if (command instanceof Command.GrantIds grant) {
        assertThat(accepted.count()).isBetween(1L, grant.count());
        for (long id = accepted.id(); id < accepted.id() + accepted.count(); id++) {
          assertThat(id).isBetween(1L, grant.largest());
          assertThat(ids.add(grant.tableId() + "/" + id)).as("an id is given once").isTrue();
        }
      }
    }

    private void followWriter(String name, Outcome.Accepted accepted) {
      Long known = name.isEmpty() ? null : writers.get(name);
      if (known == null) {
        assertThat(writerIds.add(accepted.id())).as("writer ids are never reused").isTrue();
        assertThat(accepted.epoch()).isZero();
      } else {
        assertThat(accepted.id()).isEqualTo(known);
        assertThat(accepted.epoch()).isEqualTo(writerEpochs.get(name) + 1);
      }
      if (!name.isEmpty()) {
        writers.put(name, accepted.id());
        writerEpochs.put(name, accepted.epoch());
      }
    }

    private void check(ClusterState state, String id, Bucket bucket) {
      Bucket before = buckets.put(id, bucket);
      assertThat(bucket.isr()).isNotEmpty();
      assertThat(bucket.replicas()).containsAll(bucket.isr());
      if (bucket.hasLeader()) {
        assertThat(bucket.isr()).contains(bucket.leader());
        assertThat(state.isAlive(bucket.leader())).as("leader of %s lives", id).isTrue();
      } else {
        assertThat(bucket.isr()).noneMatch(state::isAlive);
      }
      if (before != null) {
        assertThat(bucket.leaderEpoch()).isGreaterThanOrEqualTo(before.leaderEpoch());
        assertThat(bucket.isrVersion()).isGreaterThanOrEqualTo(before.isrVersion());
        if (bucket.leader() != before.leader()) {
          assertThat(bucket.leaderEpoch()).isGreaterThan(before.leaderEpoch());
        }
        if (!bucket.isr().equals(before.isr())) {
          assertThat(bucket.isrVersion()).isGreaterThan(before.isrVersion());
        }
      }
    }
  }
}
