package io.sluice.coordinator.control;

import io.sluice.coordinator.metadata.Bucket;
import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.PersistentMap;
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
 * Where new replicas go: to the servers that have the least, counted in replicas and in bytes on
 * their disks alike, replicas of a bucket to different racks while there are any; the one that is
 * first for the fewest buckets is first, which makes it the preferred leader. Servers that are not
 * alive, leave or drain get none. Pure; a placement counts what it has placed.
 */
final class Placement {
  private final List<Load> loads;
  private final long totalReplicas;
  private final long totalBytes;
  private final double bytesPerReplica;

  /** What one live server has to carry. */
  private static final class Load {
    private final int serverId;
    private final String rack;
    private final long bytes;
    private int preferred;
    private int replicas;

    /** Replicas that were placed here, which have no bytes yet. */
    private int placed;

    Load(TabletServer server, long bytes) {
      this.serverId = server.serverId();
      this.rack = server.registration().rack();
      this.bytes = bytes;
    }
  }

  private Placement(List<Load> loads) {
    this.loads = loads;
    long held = 0;
    long bytes = 0;
    for (Load load : loads) {
      held += load.replicas;
      bytes += load.bytes;
    }
    this.totalReplicas = Math.max(1, held);
    this.totalBytes = Math.max(1, bytes);
    this.bytesPerReplica = (double) bytes / totalReplicas;
  }

  /** A placement that counts replicas alone. */
  static Placement of(ClusterState state) {
    return of(state, serverId -> 0);
  }

  /**
   * A placement over the servers that may be given replicas in this state.
   *
   * @param diskUsedBytes what the replicas of a server take, by server id; 0 when not known
   */
  static Placement of(ClusterState state, IntToLongFunction diskUsedBytes) {
    Map<Integer, Load> loads = new HashMap<>();
    List<Load> ordered = new ArrayList<>();
    for (PersistentMap.Entry<Integer, TabletServer> entry : state.servers()) {
      if (entry.value().takesReplicas()) {
        Load load = new Load(entry.value(), diskUsedBytes.applyAsLong(entry.key()));
        loads.put(entry.key(), load);
        ordered.add(load);
      }
    }
    for (PersistentMap.Entry<Long, Table> entry : state.tables()) {
      for (Bucket bucket : entry.value().buckets()) {
        count(loads, bucket);
      }
    }
    return new Placement(ordered);
  }

  private static void count(Map<Integer, Load> loads, Bucket bucket) {
    for (int i = 0; i < bucket.replicas().size(); i++) {
      @Nullable Load load = loads.get(bucket.replicas().get(i));
      if (load != null) {
        load.replicas++;
        load.preferred += i == 0 ? 1 : 0;
      }
    }
  }

  /** How many servers there are to place on. */
  int liveServers() {
    return loads.size();
  }

  /** The replicas of each bucket, the preferred leader first; needs that many servers. */
  List<List<Integer>> place(int buckets, int replicationFactor) {
    List<List<Integer>> placement = new ArrayList<>(buckets);
    for (int bucket = 0; bucket < buckets; bucket++) {
      placement.add(resized(List.of(), replicationFactor));
    }
    return placement;
  }

  /**
   * The replicas of a bucket when there shall be more or fewer of them: the first ones that may
   * have replicas stay, and others are added. Needs that many servers.
   */
  List<Integer> resized(List<Integer> replicas, int replicationFactor) {
    List<Integer> all = new ArrayList<>(replicationFactor);
    Set<String> racks = new HashSet<>();
    for (int replica : replicas) {
      for (Load load : loads) {
        if (load.serverId == replica && all.size() < replicationFactor) {
          all.add(replica);
          racks.add(load.rack);
        }
      }
    }
    boolean anew = all.isEmpty();
    while (all.size() < replicationFactor) {
      Load chosen = choose(all, racks);
      chosen.replicas++;
      chosen.placed++;
      all.add(chosen.serverId);
      racks.add(chosen.rack);
    }
    return anew ? ordered(all) : all;
  }

  /** The one that is first for the fewest buckets goes first. */
  private List<Integer> ordered(List<Integer> replicas) {
    Load first =
        loads.stream()
            .filter(load -> replicas.contains(load.serverId))
            .min(
                Comparator.<Load>comparingInt(load -> load.preferred)
                    .thenComparingInt(load -> replicas.indexOf(load.serverId)))
            .orElseThrow();
    first.preferred++;
    List<Integer> ordered = new ArrayList<>(replicas);
    ordered.remove(Integer.valueOf(first.serverId));
    ordered.add(0, first.serverId);
    return ordered;
  }

  private Load choose(List<Integer> taken, Set<String> racks) {
    return loads.stream()
        .filter(load -> !taken.contains(load.serverId))
        .min(
            Comparator.<Load>comparingInt(load -> racks.contains(load.rack) ? 1 : 0)
                .thenComparingDouble(this::share)
                .thenComparingInt(load -> load.serverId))
        .orElseThrow(() -> new IllegalArgumentException("Fewer servers than replicas"));
  }

  /** A server's part of all replicas and of all bytes; a new replica counts as an average one. */
  private double share(Load load) {
    double bytes = load.bytes + load.placed * bytesPerReplica;
    return (double) load.replicas / totalReplicas + bytes / totalBytes;
  }
}
