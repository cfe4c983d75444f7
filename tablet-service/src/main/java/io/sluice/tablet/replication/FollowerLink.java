package io.sluice.tablet.replication;

/** A follower's stream of fetches, as the leader's rules see it. Read by any thread. */
public interface FollowerLink {
  /** The follower. */
  int serverId();

  /** The process that fetches. */
  String incarnation();

  /** When the newest fetch came, on the monotonic clock of the leader. */
  long lastFetchNanos();

  /**
   * When the answer was sent that the newest fetch follows, on the monotonic clock of the leader;
   * {@link #NO_LEASE} before there is one, and for a stream that is over. The follower sent that
   * fetch later, and promised with it not to act as leader for the time of the lease.
   */
  long leaseBaseNanos();

  /** No lease. */
  long NO_LEASE = Long.MIN_VALUE;
}
