package io.sluice.coordinator.metadata;

import io.sluice.common.TableBucket;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Who leads a bucket when servers come and go. Only a live in-sync replica is elected, the
 * preferred (first) replica before others and one that drains or leaves after all others; each
 * election, also one that finds nobody, raises the leader epoch by one. The last in-sync replica
 * stays in the set when it dies, because it alone has every committed record. If it comes back with
 * an empty disk, nobody is elected by itself where other replicas may hold more.
 */
final class Elections {
  private static final int DEAD = 3;

  private Elections() {}

  /** A server's session ended; the state already says that it is not alive. */
  static BucketChanges sessionEnded(ClusterState state, int serverId) {
    return changeBucketsOf(state, serverId, bucket -> handedOver(state, bucket, serverId));
  }

  /**
   * A server registered; the state already says that it is alive.
   *
   * @param restarted whether it is another process than before, so that what it led needs a new
   *     epoch
   * @param mayLack whether records may be missing that it had acknowledged as in sync
   * @param empty whether all of them are
   */
  static BucketChanges registered(
      ClusterState state, int serverId, boolean restarted, boolean mayLack, boolean empty) {
    return changeBucketsOf(
        state,
        serverId,
        bucket -> {
          Bucket next = mayLack ? handedOver(state, bucket, serverId) : bucket;
          if (mayLack && empty && next.replicas().size() > 1 && isOnlyCopy(next, serverId)) {
            return next.stranded() ? next : next.asStranded();
          }
          if (restarted && next.leader() == serverId) {
            // Another in-sync replica is up already and can lead at once, unless it will not stay.
            int other = candidate(state, next, serverId);
            next = next.elected(rank(state, other) <= rank(state, serverId) ? other : serverId);
          }
          return led(state, next);
        });
  }

  /** A server is about to stop; the state already says so. */
  static BucketChanges leaving(ClusterState state, int serverId) {
    return changeBucketsOf(
        state,
        serverId,
        bucket -> {
          int other = candidate(state, bucket, Bucket.NO_LEADER);
          return bucket.leader() == serverId && rank(state, other) < rank(state, serverId)
              ? bucket.elected(other)
              : bucket;
        });
  }

  /**
   * The bucket without that server in its in-sync set and led by another one, if there is one in
   * sync. A dead server does not lead any more even if it stays as the last one in sync.
   */
  static Bucket handedOver(ClusterState state, Bucket bucket, int serverId) {
    boolean last = bucket.isr().size() == 1;
    if (last && state.isAlive(serverId)) {
      return bucket;
    }
    Bucket next = bucket;
    if (bucket.leader() == serverId) {
      next = next.elected(candidate(state, next, serverId));
    }
    return next.shrunk(serverId);
  }

  /** With a leader, if it has none and somebody can be elected. */
  static Bucket led(ClusterState state, Bucket bucket) {
    if (bucket.hasLeader()) {
      return bucket;
    }
    int leader = candidate(state, bucket, Bucket.NO_LEADER);
    return leader == Bucket.NO_LEADER ? bucket : bucket.elected(leader);
  }

  /**
   * The live in-sync replica to elect, other than {@code excluded}: the first one in the order of
   * preference that neither drains nor leaves, else one that drains, else one that leaves.
   */
  static int candidate(ClusterState state, Bucket bucket, int excluded) {
    if (bucket.stranded()) {
      return Bucket.NO_LEADER;
    }
    int best = Bucket.NO_LEADER;
    int bestRank = DEAD;
    for (int replica : bucket.replicas()) {
      if (replica != excluded && bucket.isr().contains(replica)) {
        int rank = rank(state, replica);
        if (rank < bestRank) {
          best = replica;
          bestRank = rank;
        }
      }
    }
    return best;
  }

  private static int rank(ClusterState state, int serverId) {
    TabletServer server = state.servers().get(serverId);
    if (server == null || !server.alive()) {
      return DEAD;
    }
    if (server.leaving()) {
      return 2;
    }
    return server.state() == ServerState.ACTIVE ? 0 : 1;
  }

  /** Buckets whose only in-sync replica is this server. */
  static List<TableBucket> onlyCopies(ClusterState state, int serverId) {
    List<TableBucket> found = new ArrayList<>();
    for (PersistentMap.Entry<Long, Table> entry : state.tables()) {
      for (Bucket bucket : entry.value().buckets()) {
        if (isOnlyCopy(bucket, serverId)) {
          found.add(entry.value().bucketId(bucket));
        }
      }
    }
    return found;
  }

  private static boolean isOnlyCopy(Bucket bucket, int serverId) {
    return bucket.isr().size() == 1 && bucket.isr().get(0) == serverId;
  }

  /** One walk over all buckets; what does not change is shared. */
  private static BucketChanges changeBucketsOf(
      ClusterState state, int serverId, UnaryOperator<Bucket> change) {
    BucketChanges changes = new BucketChanges();
    PersistentMap<Long, Table> tables =
        state
            .tables()
            .mapValues(
                table -> {
                  Chunks.Edit<Bucket> edit = Chunks.copyOf(table.buckets()).edit();
                  boolean changed = false;
                  for (int i = 0; i < table.buckets().size(); i++) {
                    Bucket bucket = table.buckets().get(i);
                    if (!bucket.replicas().contains(serverId)) {
                      continue;
                    }
                    Bucket next = change.apply(bucket);
                    if (next != bucket) {
                      edit.set(i, next);
                      changes.count(table.bucketId(bucket), bucket, next);
                      changed = true;
                    }
                  }
                  return changed ? table.withBuckets(edit.done()) : table;
                });
    changes.become(state.withTables(tables));
    return changes;
  }
}
