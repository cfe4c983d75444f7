package io.sluice.tablet.replication.stream;

import io.sluice.common.TableBucket;
import io.sluice.tablet.replication.ReplicationSource;

/** The replicas of this server that others may follow. */
@FunctionalInterface
public interface ReplicationSources {
  /**
   * The replica of a bucket, whether it leads or not.
   *
   * @throws io.sluice.common.SluiceException BUCKET_NOT_FOUND, TABLE_NOT_FOUND or REPLICA_OFFLINE
   */
  ReplicationSource source(TableBucket bucket);
}
