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
import org.jspecify.annotations.Nullable;

/**
 * Where new buckets go: to the live servers with the fewest replicas, the first replica to one that
 * is first for the fewest; replicas of a bucket to different racks while there are any. Pure; a
 * placement counts what it has placed.
 */
final class Placement {
  private final List<Load> loads;

  /** What one live server has to carry. */
  private static final class Load {
    private final int serverId;
    private final String rack;
    private int preferred;
    private int replicas;

    Load(TabletServer server) {
      this.serverId = server.serverId();
      this.rack = server.registration().rack();
    }
  }

  private Placement(List<Load> loads) {
    this.loads = loads;
  }

  /** A placement over the servers that are alive in this state. */
  static Placement of(ClusterState state) {
    Map<Integer, Load> loads = new HashMap<>();
    List<Load> ordered = new ArrayList<>();
    for (PersistentMap.Entry<Integer, TabletServer> entry : state.servers()) {
      if (entry.value().alive()) {
        Load load = new Load(entry.value());
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

  /** The replicas of each bucket, the preferred leader first; needs that many live servers. */
  List<List<Integer>> place(int buckets, int replicationFactor) {
    List<List<Integer>> placement = new ArrayList<>(buckets);
    for (int bucket = 0; bucket < buckets; bucket++) {
      placement.add(placeOne(replicationFactor));
    }
    return placement;
  }

  private List<Integer> placeOne(int replicationFactor) {
    List<Integer> replicas = new ArrayList<>(replicationFactor);
    Set<String> racks = new HashSet<>();
    for (int i = 0; i < replicationFactor; i++) {
      boolean first = i == 0;
      Load chosen =
          loads.stream()
              .filter(load -> !replicas.contains(load.serverId))
              .min(
                  Comparator.<Load>comparingInt(load -> racks.contains(load.rack) ? 1 : 0)
                      .thenComparingInt(load -> first ? load.preferred : load.replicas)
                      .thenComparingInt(load -> load.replicas)
                      .thenComparingInt(load -> load.serverId))
              .orElseThrow(() -> new IllegalArgumentException("Fewer live servers than replicas"));
      chosen.replicas++;
      chosen.preferred += first ? 1 : 0;
      replicas.add(chosen.serverId);
      racks.add(chosen.rack);
    }
    return replicas;
  }
}
