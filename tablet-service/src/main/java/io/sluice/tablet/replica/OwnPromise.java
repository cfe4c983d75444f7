package io.sluice.tablet.replica;

/**
 * What this server promised as a follower: not to act as leader of a bucket for a while after its
 * last fetch, so that the leader it followed may answer lookups until then. Shard's thread only.
 */
final class OwnPromise {
  private static final long NANOS_A_MS = 1_000_000;

  private final LocalReplica replica;
  private final ReplicaContext context;
  private boolean waiting;

  OwnPromise(LocalReplica replica, ReplicaContext context) {
    this.replica = replica;
    this.context = context;
  }

  /** Whether it must still be kept; the replica then goes on when it is over. */
  boolean holds() {
    long until = context.replication().followers().promisedUntilNanos(replica.bucket());
    long left = until == Long.MIN_VALUE ? 0 : until - context.time().nanoTime();
    if (left <= 0) {
      return false;
    }
    if (!waiting) {
      waiting = true;
      context.kv().after(left / NANOS_A_MS + 1, () -> replica.onShard(this::over));
    }
    return true;
  }

  private void over() {
    waiting = false;
    replica.goOn();
  }
}
