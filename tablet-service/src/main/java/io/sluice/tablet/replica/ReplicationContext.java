package io.sluice.tablet.replica;

import io.sluice.tablet.replication.Followers;
import io.sluice.tablet.replication.IsrProposals;
import io.sluice.tablet.replication.ReplicationTimes;

/**
 * What the replicas need of the servers around this one.
 *
 * @param followers fetches for those that follow
 * @param proposals the way of leaders to the coordinator
 * @param addresses where clients reach them
 * @param lagNanos a follower that was not at the log end for so long leaves the in-sync set
 * @param leaseNanos how long a follower's promise not to lead holds
 */
public record ReplicationContext(
    Followers followers,
    IsrProposals proposals,
    ClientAddresses addresses,
    long lagNanos,
    long leaseNanos) {
  /** For servers without others around them. */
  public static final ReplicationContext NONE =
      of(
          Followers.NONE,
          (bucket, proposal, then) -> {
            // Nobody answers: what was proposed stays open.
          },
          ClientAddresses.NONE);

  /** With the times that all servers go by. */
  public static ReplicationContext of(
      Followers followers, IsrProposals proposals, ClientAddresses addresses) {
    return new ReplicationContext(
        followers, proposals, addresses, ReplicationTimes.LAG_NANOS, ReplicationTimes.LEASE_NANOS);
  }
}
