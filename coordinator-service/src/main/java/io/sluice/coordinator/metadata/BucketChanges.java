package io.sluice.coordinator.metadata;

import io.sluice.common.TableBucket;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Buckets that one command changes, and the events it makes of them. Lives for one command. */
final class BucketChanges {
  private final List<TableBucket> changed = new ArrayList<>();
  private final List<Event> moved = new ArrayList<>();
  private final Map<TableBucket, Bucket> pending = new LinkedHashMap<>();
  private ClusterState state;
  private int elections;
  private int shrinks;
  private int expansions;
  private int moves;

  /** Changes that somebody else applies, see {@link #become}. */
  BucketChanges() {
    this(ClusterState.EMPTY);
  }

  BucketChanges(ClusterState state) {
    this.state = state;
  }

  /** The bucket as the command has left it so far, or null. */
  @Nullable Bucket get(TableBucket id) {
    Bucket mine = pending.get(id);
    return mine == null ? state.bucket(id) : mine;
  }

  /** Replaces a bucket that there is. */
  void put(TableBucket id, Bucket before, Bucket after) {
    if (!after.equals(before)) {
      boolean first = pending.put(id, after) == null;
      count(id, before, after);
      if (!first) {
        changed.remove(changed.size() - 1);
      }
    }
  }

  /** Takes a change into the events. */
  void count(TableBucket id, Bucket before, Bucket after) {
    changed.add(id);
    elections += after.leaderEpoch() > before.leaderEpoch() ? 1 : 0;
    shrinks += after.isr().size() < before.isr().size() ? 1 : 0;
    expansions += after.isr().size() > before.isr().size() ? 1 : 0;
    moves += before.moving() && !after.moving() ? 1 : 0;
    if (!after.replicas().equals(before.replicas())) {
      List<Integer> came = without(after.replicas(), before.replicas());
      List<Integer> left = without(before.replicas(), after.replicas());
      if (!came.isEmpty() || !left.isEmpty()) {
        moved.add(new Event.ReplicasMoved(id, came, left));
      }
    }
  }

  private static List<Integer> without(List<Integer> servers, List<Integer> gone) {
    return servers.stream().filter(server -> !gone.contains(server)).toList();
  }

  /** Sets the state that the changes led to. */
  void become(ClusterState changedState) {
    state = changedState;
  }

  /** The state with everything that was put. */
  ClusterState state() {
    if (!pending.isEmpty()) {
      Map<Long, List<Bucket>> byTable = new TreeMap<>();
      pending.forEach(
          (id, bucket) ->
              byTable.computeIfAbsent(id.tableId(), any -> new ArrayList<>()).add(bucket));
      PersistentMap<Long, Table> tables = state.tables();
      for (Map.Entry<Long, List<Bucket>> entry : byTable.entrySet()) {
        Table table = tables.get(entry.getKey());
        if (table != null) {
          tables = tables.with(entry.getKey(), table.withChanged(entry.getValue()));
        }
      }
      state = state.withTables(tables);
      pending.clear();
    }
    return state;
  }

  /** Adds the events, none when nothing changed. */
  void addTo(List<Event> events) {
    if (!changed.isEmpty()) {
      events.add(new Event.BucketsChanged(changed));
      events.addAll(moved);
      events.add(new Event.ReplicationChanged(elections, shrinks, expansions, moves));
    }
  }
}
