package io.sluice.coordinator.metadata;

import io.sluice.common.TableBucket;
import java.util.List;

/** What a command changed, for those who derive something from the state. */
public sealed interface Event {

  /** A table appeared, with all its buckets. */
  record TableCreated(long tableId) implements Event {}

  /** A table is gone; this is what it was. */
  record TableDropped(Table table) implements Event {}

  /** Columns, options or comment of a table changed. */
  record TableAltered(long tableId) implements Event {}

  /** A partition appeared, with all its buckets. */
  record PartitionCreated(long tableId, long partitionId) implements Event {}

  /** A partition is gone; these were its buckets. */
  record PartitionDropped(long tableId, long partitionId, List<Bucket> buckets) implements Event {
    public PartitionDropped {
      buckets = List.copyOf(buckets);
    }
  }

  /** Leader, epoch or in-sync replicas of these buckets changed. */
  record BucketsChanged(List<TableBucket> buckets) implements Event {
    public BucketsChanged {
      buckets = List.copyOf(buckets);
    }
  }

  /** A named writer has a new epoch. */
  record WriterStarted(long writerId, int epoch) implements Event {}

  /** A session was opened or renewed. */
  record ServerRegistered(int serverId, String incarnation) implements Event {}

  /** A session ended. */
  record SessionEnded(int serverId, String incarnation) implements Event {}

  /**
   * A server came back after a power loss and holds the only copy of these buckets: their last
   * second may be lost. An alarm.
   */
  record DataMaybeLost(int serverId, List<TableBucket> buckets) implements Event {
    public DataMaybeLost {
      buckets = List.copyOf(buckets);
    }
  }
}
