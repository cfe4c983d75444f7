package io.sluice.tablet.replica;

import java.util.Collection;

/**
 * How the buckets led from here are replicated, as of the last tick.
 *
 * @param leaders buckets that this server leads, or prepares to
 * @param underReplicated those that miss a replica in the in-sync set
 * @param underMinIsr those that refuse writes as too few replicas are in sync
 * @param maxLag records that the follower lacks which lacks the most
 * @param sumLag records that all followers lack together
 */
public record ReplicationStats(
    int leaders, int underReplicated, int underMinIsr, long maxLag, long sumLag) {
  static ReplicationStats of(Collection<LocalReplica> replicas) {
    int leaders = 0;
    int underReplicated = 0;
    int underMinIsr = 0;
    long maxLag = 0;
    long sumLag = 0;
    for (LocalReplica replica : replicas) {
      Leading leading = replica.leading();
      leaders += leading.isActive() ? 1 : 0;
      LeaderView view = leading.view();
      if (view == null) {
        continue;
      }
      underReplicated += view.underReplicated() ? 1 : 0;
      underMinIsr += view.underMinIsr() ? 1 : 0;
      for (LeaderView.Follower follower : view.followers()) {
        maxLag = Math.max(maxLag, follower.lag());
        sumLag += follower.lag();
      }
    }
    return new ReplicationStats(leaders, underReplicated, underMinIsr, maxLag, sumLag);
  }
}
