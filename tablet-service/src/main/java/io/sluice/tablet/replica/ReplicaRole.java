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
 * @param isrVersion grows with every change of the replicas or the ISR
 * @param minInsync in-sync replicas without which nothing is committed
 * @param lakeEndOffset end of what the lake has: no record gets an offset below it
 */
public record ReplicaRole(
    TableBucket bucket,
    int leaderServerId,
    int leaderEpoch,
    List<Integer> replicas,
    List<Integer> isr,
    int isrVersion,
    int minInsync,
    long lakeEndOffset) {
  /** A number of in-sync replicas of 0 stands for what is usual with as many replicas. */
  public ReplicaRole {
    replicas = List.copyOf(replicas);
    isr = List.copyOf(isr);
    minInsync = minInsync > 0 ? minInsync : Math.min(2, Math.max(1, replicas.size()));
  }

  /** With the usual number of in-sync replicas, of a bucket that is not in a lake. */
  public ReplicaRole(
      TableBucket bucket,
      int leaderServerId,
      int leaderEpoch,
      List<Integer> replicas,
      List<Integer> isr,
      int isrVersion) {
    this(bucket, leaderServerId, leaderEpoch, replicas, isr, isrVersion, 0, 0);
  }

  /** Whether it was decided before the other one. */
  boolean isOlderThan(ReplicaRole other) {
    return leaderEpoch < other.leaderEpoch
        || (leaderEpoch == other.leaderEpoch && isrVersion < other.isrVersion);
  }

  /** Whether a server other than this one has all that is committed. */
  boolean hasOthersInSync(int server) {
    return isr.size() > 1 || !isr.contains(server);
  }

  /** Whether as many replicas are in sync as a write needs. */
  boolean hasMinInsync() {
    return isr.size() >= minInsync;
  }
}
