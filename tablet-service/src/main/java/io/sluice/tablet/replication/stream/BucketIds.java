package io.sluice.tablet.replication.stream;

import io.sluice.common.TableBucket;
import io.sluice.protocol.cluster.v1.BucketId;

/** Buckets as they travel. */
final class BucketIds {
  private BucketIds() {}

  static BucketId of(TableBucket bucket) {
    return BucketId.newBuilder()
        .setTableId(bucket.tableId())
        .setPartitionId(bucket.partitionId())
        .setBucket(bucket.bucket())
        .build();
  }

  static TableBucket toBucket(BucketId id) {
    return new TableBucket(id.getTableId(), id.getPartitionId(), id.getBucket());
  }
}
