package io.sluice.tablet.replica;

import io.sluice.common.TableBucket;
import io.sluice.common.TimeSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which damaged replicas are thrown away and copied anew from their leaders: those that are
 * not in sync, while another server leads. The last in-sync copy is never thrown away. One that
 * goes bad again and again is left alone for longer and longer. Not thread-safe.
 *
 * <p>A replica that goes offline while the process runs is kept for a while: that it joins the
 * in-sync set may have been proposed before, and must not be accepted for an empty one. Meanwhile
 * the coordinator hears that it is offline and refuses that. Of one that was damaged when the
 * process started nothing was proposed, as it has followed nobody under this incarnation.
 */
final class Rebuilds {
  private static final Logger log = LoggerFactory.getLogger(Rebuilds.class);
  private static final long FIRST_PAUSE_NANOS = 30_000_000_000L;
  private static final int MOST_DOUBLINGS = 7;

  /** Several heartbeats, which tell of what is offline. */
  private static final long SETTLING_NANOS = 5_000_000_000L;

  private final int serverId;
  private final TimeSource time;
  private final ReplicationCounters counters;
  private final Map<TableBucket, Rebuild> before = new HashMap<>();
  // Since when a replica could have been begun anew.
  private final Map<TableBucket, Long> settlingNanos = new HashMap<>();

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
   * @param sinceStart whether that is so since the process started
   */
  List<TableBucket> due(
      List<ReplicaRole> roles,
      Function<TableBucket, @Nullable String> offlineReason,
      Predicate<TableBucket> sinceStart) {
    List<TableBucket> due = new ArrayList<>();
    for (ReplicaRole role : roles) {
      TableBucket bucket = role.bucket();
      String reason = offlineReason.apply(bucket);
      if (reason == null || !mayBegin(role)) {
        settlingNanos.remove(bucket);
      } else if (sinceStart.test(bucket) || hasSettled(bucket)) {
        settlingNanos.remove(bucket);
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

  private boolean hasSettled(TableBucket bucket) {
    long now = time.nanoTime();
    Long since = settlingNanos.putIfAbsent(bucket, now);
    return since != null && now - since >= SETTLING_NANOS;
  }

  /** A bucket is not here any more. */
  void forget(TableBucket bucket) {
    before.remove(bucket);
    settlingNanos.remove(bucket);
  }
}
