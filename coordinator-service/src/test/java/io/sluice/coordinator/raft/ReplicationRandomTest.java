package io.sluice.coordinator.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.coordinator.metadata.Bucket;
import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.Event;
import io.sluice.coordinator.metadata.Fixtures;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.MetadataLog;
import io.sluice.coordinator.metadata.PersistentMap;
import io.sluice.coordinator.metadata.ServerState;
import io.sluice.coordinator.metadata.Table;
import io.sluice.coordinator.metadata.TabletServer;
import io.sluice.coordinator.metadata.Transition;
import io.sluice.coordinator.metadata.Transitions;
import io.sluice.testkit.Seeds;
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

/**
 * Servers that come and go and replicas that move, at random: whoever leads has every committed
 * record, unless an alarm said otherwise.
 */
class ReplicationRandomTest {
  private static final UUID GROUP = new UUID(1, 2);
  private static final int SERVERS = 6;

  @TempDir Path directory;

  @Test
  void whoeverLeadsHasEveryCommittedRecord() {
    Map<Class<?>, Integer> changing = new HashMap<>();
    Seeds.run(
        60,
        (seed, random) -> {
          List<Command> commands = new ArrayList<>();
          Model model = new Model();
          ClusterState state = start(model, commands);
          for (int i = 0; i < 300; i++) {
            Command command = randomCommand(random, state);
            byte[] encoded = CommandCodec.encode(command);
            assertThat(CommandCodec.decode(encoded)).isEqualTo(command);
            Transition transition = Transitions.apply(state, command);
            MetadataLog.Applied applied =
                CommandCodec.decodeOutcome(CommandCodec.encode(i, transition.outcome()));
            assertThat(applied.outcome()).isEqualTo(transition.outcome());
            model.check(state, command, transition);
            if (!transition.events().isEmpty()) {
              changing.merge(command.getClass(), 1, Integer::sum);
            }
            state = transition.state();
            commands.add(command);
          }
          replay(commands, state);
        });
    if (System.getProperty("sluice.seed") == null) {
      for (Class<?> kind : Command.ForReplicas.class.getPermittedSubclasses()) {
        assertThat(changing.getOrDefault(kind, 0)).as("%s changed something", kind).isPositive();
      }
      for (Class<?> kind : Command.ForServer.class.getPermittedSubclasses()) {
        assertThat(changing.getOrDefault(kind, 0)).as("%s changed something", kind).isPositive();
      }
    }
  }

  private static ClusterState start(Model model, List<Command> commands) {
    ClusterState state = ClusterState.EMPTY;
    commands.add(new Command.CreateDatabase("demo", "", 1));
    for (int server = 1; server <= SERVERS; server++) {
      commands.add(Fixtures.register(server, "i0"));
    }
    commands.add(
        Fixtures.createTable(
            "t", List.of(List.of(1, 2, 3), List.of(3, 4), List.of(5, 6, 1, 2), List.of(6))));
    for (Command command : commands) {
      Transition transition = Transitions.apply(state, command);
      model.check(state, command, transition);
      state = transition.state();
    }
    return state;
  }

  /** From the beginning, and from a snapshot in the middle. */
  private void replay(List<Command> commands, ClusterState expected) throws Exception {
    ClusterState replayed = ClusterState.EMPTY;
    Path file = directory.resolve("snapshot");
    for (int i = 0; i < commands.size(); i++) {
      replayed =
          Transitions.apply(replayed, CommandCodec.decode(CommandCodec.encode(commands.get(i))))
              .state();
      if (i == commands.size() / 2) {
        SnapshotFile.write(file, GROUP, 3, new MetadataImage(i, replayed));
        assertThat(SnapshotFile.read(file, GROUP).state()).isEqualTo(replayed);
        replayed = SnapshotFile.read(file, GROUP).state();
      }
    }
    assertThat(replayed).isEqualTo(expected);
  }

  private static Command randomCommand(SplittableRandom random, ClusterState state) {
    int server = 1 + random.nextInt(SERVERS);
    String incarnation = incarnation(random, state, server);
    return switch (random.nextInt(24)) {
      case 0, 1, 2, 3 ->
          new Command.RegisterServer(
              Fixtures.server(
                  server,
                  "i" + random.nextInt(4),
                  "boot" + (random.nextInt(6) == 0 ? 2 : 1),
                  random.nextInt(3) == 0),
              random.nextInt(100),
              random.nextInt(20) == 0);
      case 4, 5 -> new Command.EndSession(server, incarnation);
      case 6 -> new Command.Leaving(server, incarnation);
      case 7 ->
          new Command.SetServerState(
              server, random.nextInt(3) == 0 ? ServerState.DRAINING : ServerState.ACTIVE);
      case 8 -> new Command.SetServerState(server, ServerState.DECOMMISSIONED);
      case 9 -> new Command.ReplicasOffline(server, incarnation, someBuckets(random, state));
      case 10, 11, 12 -> reassign(random, state);
      case 13 -> new Command.CancelReassign(someBuckets(random, state));
      case 14 -> new Command.ElectPreferred(someBuckets(random, state));
      case 15 ->
          random.nextInt(4) == 0
              ? new Command.ElectUnclean(someBuckets(random, state).get(0), server)
              : new Command.ElectPreferred(someBuckets(random, state));
      case 16 -> otherTable(random);
      default -> alterIsr(random, state);
    };
  }

  private static Command otherTable(SplittableRandom random) {
    return random.nextBoolean()
        ? Fixtures.createTable("u", List.of(List.of(1 + random.nextInt(SERVERS))))
        : new Command.DropTable(new TablePath("demo", "u"));
  }

  /** Mostly the one that is registered. */
  private static String incarnation(SplittableRandom random, ClusterState state, int server) {
    TabletServer known = state.servers().get(server);
    return known == null || random.nextInt(8) == 0
        ? "i" + random.nextInt(4)
        : known.registration().incarnation();
  }

  private static List<TableBucket> someBuckets(SplittableRandom random, ClusterState state) {
    List<TableBucket> some = new ArrayList<>();
    for (PersistentMap.Entry<Long, Table> entry : state.tables()) {
      for (Bucket bucket : entry.value().buckets()) {
        if (random.nextBoolean()) {
          some.add(entry.value().bucketId(bucket));
        }
      }
    }
    if (some.isEmpty() || random.nextInt(6) == 0) {
      some.add(TableBucket.of(1 + random.nextInt(9), random.nextInt(5)));
    }
    return some;
  }

  private static Command reassign(SplittableRandom random, ClusterState state) {
    List<Command.Move> moves = new ArrayList<>();
    for (TableBucket bucket : someBuckets(random, state)) {
      List<Integer> target = new ArrayList<>();
      for (int i = 0; i <= random.nextInt(3); i++) {
        int server = 1 + random.nextInt(SERVERS);
        if (!target.contains(server) || random.nextInt(10) == 0) {
          target.add(server);
        }
      }
      moves.add(new Command.Move(bucket, target));
    }
    return new Command.Reassign(moves);
  }

  /** A leader that mostly knows what it asks for, of all it leads. */
  private static Command alterIsr(SplittableRandom random, ClusterState state) {
    int leader = 1 + random.nextInt(SERVERS);
    List<Command.IsrChange> changes = new ArrayList<>();
    for (PersistentMap.Entry<Long, Table> entry : state.tables()) {
      for (Bucket bucket : entry.value().buckets()) {
        if (bucket.leader() != leader && random.nextInt(10) > 0) {
          continue;
        }
        List<Command.IsrMember> members = new ArrayList<>();
        for (int replica : bucket.replicas()) {
          if (replica == leader || random.nextInt(4) > 0) {
            members.add(new Command.IsrMember(replica, incarnation(random, state, replica)));
          }
        }
        changes.add(
            new Command.IsrChange(
                entry.value().bucketId(bucket),
                bucket.leaderEpoch() - (random.nextInt(10) == 0 ? 1 : 0),
                bucket.isrVersion() - (random.nextInt(10) == 0 ? 1 : 0),
                members));
      }
    }
    return new Command.AlterIsr(leader, changes);
  }

  /** Who has every committed record of each bucket, by what replicas do between the commands. */
  private static final class Model {
    private final Map<TableBucket, Set<Integer>> whole = new HashMap<>();
    private final Map<TableBucket, Bucket> known = new HashMap<>();

    void check(ClusterState before, Command command, Transition transition) {
      lose(before, command, transition);
      for (PersistentMap.Entry<Long, Table> entry : transition.state().tables()) {
        for (Bucket bucket : entry.value().buckets()) {
          TableBucket id = entry.value().bucketId(bucket);
          Bucket old = known.put(id, bucket);
          Set<Integer> full = whole.computeIfAbsent(id, any -> new HashSet<>(bucket.replicas()));
          join(command, old, bucket, full);
          checkShape(transition.state(), id, bucket);
          if (old != null) {
            checkSteps(id, old, bucket);
          }
          assertThat(full).as("in sync is only who has all of %s", id).containsAll(bucket.isr());
          if (bucket.hasLeader() && bucket.isr().size() >= bucket.minInsync()) {
            full.retainAll(bucket.isr());
          }
        }
      }
    }

    /** Power losses, empty disks and unclean elections: alarms go before the last copy counts. */
    private void lose(ClusterState before, Command command, Transition transition) {
      if (command instanceof Command.RegisterServer register) {
        TabletServer.Registration now = register.registration();
        TabletServer known = before.servers().get(now.serverId());
        boolean lost =
            known != null
                && !known.registration().incarnation().equals(now.incarnation())
                && (register.emptyDisk()
                    || (!known.registration().bootId().equals(now.bootId()) && !now.cleanStop()));
        if (lost) {
          whole.values().forEach(full -> full.remove(now.serverId()));
        }
      }
      for (Event event : transition.events()) {
        if (event instanceof Event.DataMaybeLost alarm) {
          alarm.buckets().forEach(id -> whole.put(id, new HashSet<>(Set.of(alarm.serverId()))));
        } else if (event instanceof Event.UncleanElection alarm) {
          whole.put(alarm.bucket(), new HashSet<>(Set.of(alarm.serverId())));
        }
      }
    }

    /** A leader proposes only who has caught up. */
    private static void join(Command command, Bucket old, Bucket now, Set<Integer> full) {
      if (command instanceof Command.AlterIsr && old != null) {
        now.isr().stream().filter(member -> !old.isr().contains(member)).forEach(full::add);
      }
    }

    private static void checkShape(ClusterState state, TableBucket id, Bucket bucket) {
      assertThat(bucket.replicas()).doesNotHaveDuplicates().containsAll(bucket.isr());
      assertThat(bucket.isr()).isNotEmpty();
      if (bucket.hasLeader()) {
        assertThat(bucket.isr()).contains(bucket.leader());
        assertThat(state.isAlive(bucket.leader())).as("leader of %s lives", id).isTrue();
      } else if (bucket.stranded()) {
        assertThat(bucket.isr()).as("others would have been elected").hasSize(1);
      } else {
        assertThat(bucket.isr()).noneMatch(state::isAlive);
      }
      if (bucket.isr().size() > 1) {
        assertThat(bucket.isr())
            .as("only the last one stays when it dies")
            .allMatch(state::isAlive);
      }
      assertThat(bucket.before()).isNotEmpty();
      if (bucket.moving()) {
        Set<Integer> union = new HashSet<>(bucket.before());
        union.addAll(bucket.target());
        assertThat(union).hasSameElementsAs(bucket.replicas());
        assertThat(bucket.isr().containsAll(bucket.target())).as("the move is over").isFalse();
      } else {
        assertThat(bucket.adding()).isEmpty();
      }
      int smaller = Math.min(bucket.before().size(), bucket.replicas().size());
      if (bucket.moving()) {
        smaller = Math.min(smaller, bucket.target().size());
      }
      assertThat(bucket.minInsync()).isEqualTo(Math.min(2, smaller));
    }

    private static void checkSteps(TableBucket id, Bucket old, Bucket now) {
      assertThat(now.leaderEpoch()).isGreaterThanOrEqualTo(old.leaderEpoch());
      assertThat(now.isrVersion()).isGreaterThanOrEqualTo(old.isrVersion());
      if (now.leader() != old.leader()) {
        assertThat(now.leaderEpoch()).as("epoch of %s", id).isGreaterThan(old.leaderEpoch());
      }
      boolean same =
          now.replicas().equals(old.replicas())
              && now.isr().equals(old.isr())
              && now.target().equals(old.target());
      if (!same) {
        assertThat(now.isrVersion()).as("version of %s", id).isGreaterThan(old.isrVersion());
      }
    }
  }
}
