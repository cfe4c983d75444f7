package io.sluice.tablet.replica;

import io.sluice.common.TableBucket;
import java.util.List;

/**
 * Who keeps a bucket and who leads it, as the coordinator decided.
 *
 * @param bucket the bucket
 * @param leaderServerId server that leads it, 0 for none
 * @param leaderEpoch grows with every election
 * @param replicas servers that keep a copy
 * @param isr servers whose copy has all that is committed
 * @param isrVersion grows with every change of the ISR
 */
public record ReplicaRole(
    TableBucket bucket,
    int leaderServerId,
    int leaderEpoch,
    List<Integer> replicas,
    List<Integer> isr,
    int isrVersion) {
  public ReplicaRole {
    replicas = List.copyOf(replicas);
    isr = List.copyOf(isr);
  }

  /** Whether it was decided before the other one. */
  boolean isOlderThan(ReplicaRole other) {
    return leaderEpoch < other.leaderEpoch
        || (leaderEpoch == other.leaderEpoch && isrVersion < other.isrVersion);
  }

  /** With no other in-sync replica, what the server writes is committed. */
  boolean isOnlyReplica(int serverId) {
    return isr.isEmpty() || (isr.size() == 1 && isr.get(0) == serverId);
  }
}
