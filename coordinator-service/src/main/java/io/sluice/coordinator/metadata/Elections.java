package io.sluice.coordinator.metadata;

import io.sluice.common.TableBucket;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Who leads a bucket when servers come and go. Only a live in-sync replica is elected, the
 * preferred (first) replica before others; each election, also one that finds nobody, raises the
 * leader epoch by one. The last in-sync replica stays in the set when it dies, because it alone has
 * every committed record.
 */
final class Elections {
  private Elections() {}

  /** The tables after a change, and the buckets that differ. */
  record Result(PersistentMap<Long, Table> tables, List<TableBucket> changed) {}

  /** A server's session ended; the state already says that it is not alive. */
  static Result sessionEnded(ClusterState state, int serverId) {
    return changeBucketsOf(
        state,
        serverId,
        bucket -> {
          Bucket next = bucket;
          if (bucket.leader() == serverId) {
            next = next.elected(candidate(state, next, serverId));
          }
          return next.shrunk(serverId);
        });
  }

  /**
   * A server registered; the state already says that it is alive.
   *
   * @param restarted whether it is another process than before, so that what it led needs a new
   *     epoch
   * @param powerLost whether records may be missing that it had acknowledged as in sync
   */
  static Result registered(ClusterState state, int serverId, boolean restarted, boolean powerLost) {
    return changeBucketsOf(
        state,
        serverId,
        bucket -> {
          Bucket next = bucket;
          if (powerLost && bucket.isr().size() > 1) {
            if (bucket.leader() == serverId) {
              next = next.elected(candidate(state, next, serverId));
            }
            next = next.shrunk(serverId);
          }
          boolean led = restarted && next.leader() == serverId;
          if (led || !next.hasLeader()) {
            int leader = candidate(state, next, Bucket.NO_LEADER);
            if (led || leader != Bucket.NO_LEADER) {
              next = next.elected(leader);
            }
          }
          return next;
        });
  }

  /** Buckets whose only in-sync replica is this server. */
  static List<TableBucket> onlyCopies(ClusterState state, int serverId) {
    List<TableBucket> found = new ArrayList<>();
    for (PersistentMap.Entry<Long, Table> entry : state.tables()) {
      for (Bucket bucket : entry.value().buckets()) {
        if (bucket.isr().size() == 1 && bucket.isr().get(0) == serverId) {
          found.add(entry.value().bucketId(bucket));
        }
      }
    }
    return found;
  }

  /** The first live in-sync replica other than {@code excluded}, in the order of preference. */
  private static int candidate(ClusterState state, Bucket bucket, int excluded) {
    for (int replica : bucket.replicas()) {
      if (replica != excluded && bucket.isr().contains(replica) && state.isAlive(replica)) {
        return replica;
      }
    }
    return Bucket.NO_LEADER;
  }

  private static Result changeBucketsOf(
      ClusterState state, int serverId, UnaryOperator<Bucket> change) {
    PersistentMap<Long, Table> tables = state.tables();
    List<TableBucket> changed = new ArrayList<>();
    for (PersistentMap.Entry<Long, Table> entry : state.tables()) {
      Table table = entry.value();
      int before = changed.size();
      List<Bucket> buckets = new ArrayList<>(table.buckets().size());
      for (Bucket bucket : table.buckets()) {
        Bucket next = bucket.replicas().contains(serverId) ? change.apply(bucket) : bucket;
        if (!next.equals(bucket)) {
          changed.add(table.bucketId(bucket));
        }
        buckets.add(next);
      }
      if (changed.size() > before) {
        tables = tables.with(table.tableId(), table.withBuckets(buckets));
      }
    }
    return new Result(tables, changed);
  }
}
