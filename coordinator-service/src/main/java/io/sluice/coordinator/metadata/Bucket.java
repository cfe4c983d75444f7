package io.sluice.coordinator.metadata;

import java.util.List;

/**
 * Who holds and who leads one bucket.
 *
 * @param partitionId partition, 0 when the table is not partitioned
 * @param bucket number, from 0
 * @param replicas servers that hold it, the preferred leader first
 * @param leader server that leads it, {@link #NO_LEADER} when none does
 * @param leaderEpoch from 1, grows by one at each election, never goes down
 * @param isr in-sync replicas, never empty: they have every committed record
 * @param isrVersion grows by one at each change of {@code isr}
 */
public record Bucket(
    long partitionId,
    int bucket,
    List<Integer> replicas,
    int leader,
    int leaderEpoch,
    List<Integer> isr,
    int isrVersion) {
  /** Server ids start at 1. */
  public static final int NO_LEADER = 0;

  public Bucket {
    replicas = List.copyOf(replicas);
    isr = isr.equals(replicas) ? replicas : List.copyOf(isr);
    if (isr.isEmpty() || !replicas.containsAll(isr)) {
      throw new IllegalArgumentException(
          "In-sync replicas " + isr + " must be some of the replicas " + replicas);
    }
    if (leader != NO_LEADER && !isr.contains(leader)) {
      throw new IllegalArgumentException("Leader " + leader + " is not in sync; those are " + isr);
    }
  }

  /** A new bucket, led by its first replica in epoch 1, all replicas in sync. */
  static Bucket created(long partitionId, int bucket, List<Integer> replicas) {
    return new Bucket(partitionId, bucket, replicas, replicas.get(0), 1, replicas, 0);
  }

  /** Whether some server leads it. */
  public boolean hasLeader() {
    return leader != NO_LEADER;
  }

  Bucket elected(int newLeader) {
    return new Bucket(partitionId, bucket, replicas, newLeader, leaderEpoch + 1, isr, isrVersion);
  }

  /** Without that in-sync replica, which must not be the leader; the last one stays. */
  Bucket shrunk(int server) {
    if (isr.size() == 1 || !isr.contains(server)) {
      return this;
    }
    List<Integer> rest = isr.stream().filter(member -> member != server).toList();
    return new Bucket(partitionId, bucket, replicas, leader, leaderEpoch, rest, isrVersion + 1);
  }
}
