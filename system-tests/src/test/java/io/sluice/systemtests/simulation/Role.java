package io.sluice.systemtests.simulation;

import io.sluice.coordinator.metadata.Bucket;
import java.util.List;

/** What the coordinator tells a tablet of the bucket. */
record Role(
    int leader,
    int epoch,
    List<Integer> replicas,
    List<Integer> isr,
    int version,
    int minInsync,
    long lakeEnd) {
  static Role of(Bucket bucket, long lakeEnd) {
    return new Role(
        bucket.leader(),
        bucket.leaderEpoch(),
        bucket.replicas(),
        bucket.isr(),
        bucket.isrVersion(),
        bucket.minInsync(),
        lakeEnd);
  }

  boolean isOlderThan(Role other) {
    return epoch < other.epoch || (epoch == other.epoch && version < other.version);
  }
}
