package io.sluice.tablet.replica;

import io.sluice.common.TableBucket;
import io.sluice.common.TimeSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which damaged replicas are thrown away and copied anew from their leaders: those that are
 * not in sync, while another server leads. The last in-sync copy is never thrown away. One that
 * goes bad again and again is left alone for longer and longer. Not thread-safe.
 */
final class Rebuilds {
  private static final Logger log = LoggerFactory.getLogger(Rebuilds.class);
  private static final long FIRST_PAUSE_NANOS = 30_000_000_000L;
  private static final int MOST_DOUBLINGS = 7;

  private final int serverId;
  private final TimeSource time;
  private final ReplicationCounters counters;
  private final Map<TableBucket, Rebuild> before = new HashMap<>();

  /** When the newest one was, and how many there were. */
  private record Rebuild(long atNanos, int times) {}

  Rebuilds(int serverId, TimeSource time, ReplicationCounters counters) {
    this.serverId = serverId;
    this.time = time;
    this.counters = counters;
  }

  /**
   * Those of the buckets whose replica is damaged and to be begun anew now.
   *
   * @param offlineReason why the replica of a bucket serves nothing, null when it serves
   */
  List<TableBucket> due(
      List<ReplicaRole> roles, Function<TableBucket, @Nullable String> offlineReason) {
    List<TableBucket> due = new ArrayList<>();
    for (ReplicaRole role : roles) {
      TableBucket bucket = role.bucket();
      String reason = offlineReason.apply(bucket);
      if (reason != null && mayBegin(role)) {
        log.warn(
            "Begins the replica of {} anew from server {}, which leads; it was offline: {}",
            bucket,
            role.leaderServerId(),
            reason);
        before.merge(
            bucket,
            new Rebuild(time.nanoTime(), 1),
            (old, now) -> new Rebuild(now.atNanos(), old.times() + 1));
        counters.rebuilt();
        due.add(bucket);
      }
    }
    return due;
  }

  private boolean mayBegin(ReplicaRole role) {
    if (role.leaderServerId() == 0
        || role.leaderServerId() == serverId
        || !role.replicas().contains(serverId)
        || role.isr().contains(serverId)
        || role.isr().isEmpty()) {
      return false;
    }
    Rebuild last = before.get(role.bucket());
    return last == null
        || time.nanoTime() - last.atNanos()
            >= FIRST_PAUSE_NANOS << Math.min(MOST_DOUBLINGS, last.times() - 1);
  }

  /** A bucket is not here any more. */
  void forget(TableBucket bucket) {
    before.remove(bucket);
  }
}
