package io.sluice.coordinator.metadata;

import java.util.HashMap;
import java.util.Map;

/** How many replicas each server holds and buckets it leads, and how buckets are, counted once. */
public final class ServerLoads {
  private final Map<Integer, int[]> counts = new HashMap<>();
  private int buckets;
  private int offline;
  private int underReplicated;
  private int underMinInsync;
  private int moving;

  private ServerLoads() {}

  /** Counts over all tables. */
  public static ServerLoads of(ClusterState state) {
    ServerLoads loads = new ServerLoads();
    for (PersistentMap.Entry<Long, Table> entry : state.tables()) {
      entry.value().buckets().forEach(loads::add);
    }
    return loads;
  }

  private void add(Bucket bucket) {
    buckets++;
    underReplicated += bucket.underReplicated() ? 1 : 0;
    underMinInsync += bucket.isr().size() < bucket.minInsync() ? 1 : 0;
    moving += bucket.moving() ? 1 : 0;
    for (int replica : bucket.replicas()) {
      of(replica)[1]++;
    }
    if (bucket.hasLeader()) {
      of(bucket.leader())[0]++;
    } else {
      offline++;
    }
  }

  private int[] of(int serverId) {
    return counts.computeIfAbsent(serverId, id -> new int[2]);
  }

  /** Buckets the server leads. */
  public int leaders(int serverId) {
    int[] count = counts.get(serverId);
    return count == null ? 0 : count[0];
  }

  /** Replicas the server holds, its leaderships included. */
  public int replicas(int serverId) {
    int[] count = counts.get(serverId);
    return count == null ? 0 : count[1];
  }

  /** All buckets. */
  public int buckets() {
    return buckets;
  }

  /** Buckets that no server leads. */
  public int offlineBuckets() {
    return offline;
  }

  /** Buckets with fewer in-sync replicas than there shall be. */
  public int underReplicated() {
    return underReplicated;
  }

  /** Buckets with fewer in-sync replicas than a write needs. */
  public int underMinInsync() {
    return underMinInsync;
  }

  /** Buckets whose replicas are being moved. */
  public int moving() {
    return moving;
  }
}
