package io.sluice.coordinator.balance;

import io.sluice.common.TableBucket;
import io.sluice.coordinator.metadata.Bucket;
import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.PersistentMap;
import io.sluice.coordinator.metadata.ServerState;
import io.sluice.coordinator.metadata.Table;
import io.sluice.coordinator.metadata.TabletServer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Where replicas should be. In this order: none on a server that drains, replicas of a bucket on
 * different racks, servers with about the same number of replicas and of bytes, and each server the
 * preferred leader of about the same number of buckets. Pure. A bucket that is being moved is left
 * alone, and so is one with a replica on a server that is away: it may come back, and a move could
 * not come to its end before that. One who does not expect it back drains it, too.
 *
 * <p>Bytes of a replica are not known here: those of its server divided by its replicas stand for
 * them.
 */
public final class BalancePlanner {
  /** Above this difference of two servers' loads, in replicas, something is moved. */
  private static final double SLACK = 1.000_001;

  private final Map<Integer, Load> loads = new HashMap<>();
  private final List<Load> takers = new ArrayList<>();
  private final List<Planned> buckets = new ArrayList<>();
  private int changes;

  /** What one server has to carry. */
  private static final class Load {
    private final int serverId;
    private final String rack;
    private final boolean takes;
    private final boolean drains;
    private final boolean away;
    private double weight;
    private int preferred;

    Load(TabletServer server) {
      this.serverId = server.serverId();
      this.rack = server.registration().rack();
      this.takes = server.takesReplicas();
      this.drains = server.state() != ServerState.ACTIVE;
      this.away = !server.alive() && !drains;
    }
  }

  /** A bucket and where its replicas shall be. */
  private static final class Planned {
    private final Table table;
    private final Bucket bucket;
    private final List<Integer> target;

    Planned(Table table, Bucket bucket) {
      this.table = table;
      this.bucket = bucket;
      this.target = new ArrayList<>(bucket.replicas());
    }

    boolean changed() {
      return !target.equals(bucket.replicas());
    }
  }

  /**
   * One change that the plan wants.
   *
   * @param table the table's name, for people
   * @param from replicas now
   * @param to replicas then, the preferred leader first
   */
  public record Step(TableBucket bucket, String table, List<Integer> from, List<Integer> to) {
    public Step {
      from = List.copyOf(from);
      to = List.copyOf(to);
    }

    /** Servers that get a copy. */
    public List<Integer> copiesTo() {
      return to.stream().filter(server -> !from.contains(server)).toList();
    }
  }

  private BalancePlanner(ClusterState state, IntToLongFunction diskUsedBytes) {
    for (PersistentMap.Entry<Integer, TabletServer> entry : state.servers()) {
      Load load = new Load(entry.value());
      loads.put(entry.key(), load);
      if (load.takes) {
        takers.add(load);
      }
    }
    Map<Integer, Integer> held = new HashMap<>();
    for (PersistentMap.Entry<Long, Table> entry : state.tables()) {
      for (Bucket bucket : entry.value().buckets()) {
        for (int replica : bucket.replicas()) {
          held.merge(replica, 1, Integer::sum);
        }
        Load first = loads.get(bucket.replicas().get(0));
        if (first != null) {
          first.preferred++;
        }
        if (!bucket.moving()) {
          buckets.add(new Planned(entry.value(), bucket));
        }
      }
    }
    weigh(held, diskUsedBytes);
  }

  /** Half of a server's weight is its part of all replicas, half its part of all bytes. */
  private void weigh(Map<Integer, Integer> held, IntToLongFunction diskUsedBytes) {
    long bytes = 0;
    int replicas = 0;
    for (Load load : loads.values()) {
      bytes += diskUsedBytes.applyAsLong(load.serverId);
      replicas += held.getOrDefault(load.serverId, 0);
    }
    for (Load load : loads.values()) {
      int count = held.getOrDefault(load.serverId, 0);
      double part =
          bytes == 0
              ? count
              : replicas * ((double) diskUsedBytes.applyAsLong(load.serverId) / bytes);
      load.weight = (count + part) / 2;
    }
  }

  /**
   * The changes that lead to a good distribution, those off draining servers first; empty when
   * nothing is worth a change.
   *
   * @param diskUsedBytes what the replicas of a server take, 0 when not known
   */
  public static List<Step> plan(ClusterState state, IntToLongFunction diskUsedBytes) {
    BalancePlanner planner = new BalancePlanner(state, diskUsedBytes);
    if (planner.takers.isEmpty()) {
      return List.of();
    }
    planner.emptyDraining();
    int before;
    // Each change makes racks, loads or leaderships more even and none of those before it less, so
    // this comes to an end; what it ends with is what the next plan would leave as it is.
    do {
      before = planner.changes;
      planner.spreadRacks();
      planner.level();
      planner.levelLeaders();
    } while (planner.changes > before);
    return planner.steps();
  }

  private List<Step> steps() {
    List<Step> off = new ArrayList<>();
    List<Step> others = new ArrayList<>();
    for (Planned planned : buckets) {
      if (planned.changed()) {
        boolean urgent = planned.bucket.replicas().stream().anyMatch(server -> load(server).drains);
        (urgent ? off : others)
            .add(
                new Step(
                    planned.table.bucketId(planned.bucket),
                    planned.table.path().toString(),
                    planned.bucket.replicas(),
                    planned.target));
      }
    }
    off.addAll(others);
    return off;
  }

  private Load load(int server) {
    Load load = loads.get(server);
    if (load == null) {
      throw new IllegalStateException("Server " + server + " holds replicas but is not known");
    }
    return load;
  }

  private void emptyDraining() {
    for (Planned planned : buckets) {
      for (int replica : List.copyOf(planned.target)) {
        if (load(replica).drains && canArrive(planned)) {
          Load better = lightest(planned, racksWithout(planned, replica));
          if (better != null) {
            move(planned, replica, better);
          }
        }
      }
    }
  }

  private void spreadRacks() {
    for (Planned planned : buckets) {
      if (!canArrive(planned)) {
        continue;
      }
      Set<String> seen = new HashSet<>();
      for (int replica : List.copyOf(planned.target)) {
        String rack = load(replica).rack;
        if (rack.isEmpty() || seen.add(rack) || !load(replica).takes) {
          continue;
        }
        Set<String> taken = racksWithout(planned, replica);
        Load better = lightest(planned, taken);
        if (better != null && !taken.contains(better.rack)) {
          move(planned, replica, better);
          seen.add(better.rack);
        }
      }
    }
  }

  /** Moves replicas from the server with the most to the one with the least while that helps. */
  private void level() {
    Map<Integer, List<Planned>> byServer = new HashMap<>();
    for (Planned planned : buckets) {
      planned.target.forEach(
          server -> byServer.computeIfAbsent(server, any -> new ArrayList<>()).add(planned));
    }
    List<Load> heavy = new ArrayList<>(takers);
    while (!heavy.isEmpty()) {
      Load most = heavy.stream().max(Comparator.comparingDouble(load -> load.weight)).orElseThrow();
      Load least =
          takers.stream().min(Comparator.comparingDouble(load -> load.weight)).orElseThrow();
      if (most.weight - least.weight <= SLACK) {
        return;
      }
      List<Planned> candidates = byServer.getOrDefault(most.serverId, List.of());
      Planned moved = null;
      for (int i = candidates.size() - 1; i >= 0 && moved == null; i--) {
        Planned candidate = candidates.remove(i);
        if (candidate.target.contains(most.serverId) && mayGo(candidate, most, least)) {
          moved = candidate;
        }
      }
      if (moved == null) {
        heavy.remove(most);
      } else {
        move(moved, most.serverId, least);
      }
    }
  }

  private boolean canArrive(Planned planned) {
    return planned.target.stream().noneMatch(server -> load(server).away);
  }

  /** Never into a rack that has another replica of the bucket. */
  private boolean mayGo(Planned planned, Load from, Load to) {
    return canArrive(planned)
        && !planned.target.contains(to.serverId)
        && (to.rack.isEmpty() || !racksWithout(planned, from.serverId).contains(to.rack));
  }

  /** Changes who is first where that evens out how many buckets each server is first for. */
  private void levelLeaders() {
    for (Planned planned : buckets) {
      Load first = load(planned.target.get(0));
      Load best = first;
      for (int server : planned.target) {
        Load other = load(server);
        if (other.takes && (best.drains || other.preferred + 1 < best.preferred)) {
          best = other;
        }
      }
      if (best != first) {
        int position = planned.target.indexOf(best.serverId);
        planned.target.set(position, first.serverId);
        planned.target.set(0, best.serverId);
        first.preferred--;
        best.preferred++;
        changes++;
      }
    }
  }

  private Set<String> racksWithout(Planned planned, int replica) {
    Set<String> racks = new HashSet<>();
    for (int server : planned.target) {
      if (server != replica) {
        racks.add(load(server).rack);
      }
    }
    return racks;
  }

  private @Nullable Load lightest(Planned planned, Set<String> taken) {
    return takers.stream()
        .filter(load -> !planned.target.contains(load.serverId))
        .min(
            Comparator.<Load>comparingInt(
                    load -> !load.rack.isEmpty() && taken.contains(load.rack) ? 1 : 0)
                .thenComparingDouble(load -> load.weight)
                .thenComparingInt(load -> load.serverId))
        .orElse(null);
  }

  private void move(Planned planned, int from, Load to) {
    int position = planned.target.indexOf(from);
    planned.target.set(position, to.serverId);
    load(from).weight--;
    to.weight++;
    changes++;
    if (position == 0) {
      load(from).preferred--;
      to.preferred++;
    }
  }
}
