package io.sluice.tablet.replica;

import io.sluice.common.SluiceException;
import io.sluice.tablet.kv.KvLog;

/** The log of a replica as the store of its rows sees it. */
record ReplicaChangelog(LocalReplica replica) implements KvLog {
  @Override
  public void force() {
    Housekeeper.force(replica);
  }

  @Override
  public long sizeBytes() {
    return replica.log().sizeBytes();
  }

  @Override
  public void damaged(SluiceException damage) {
    replica.onShard(() -> replica.restoreRows(damage));
  }
}
