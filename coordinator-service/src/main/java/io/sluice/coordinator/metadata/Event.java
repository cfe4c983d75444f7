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

  /** Leader, epoch, replicas, in-sync replicas or target of these buckets changed. */
  record BucketsChanged(List<TableBucket> buckets) implements Event {
    public BucketsChanged {
      buckets = List.copyOf(buckets);
    }
  }

  /** A bucket came to servers, or left them; besides {@link BucketsChanged}. */
  record ReplicasMoved(TableBucket bucket, List<Integer> came, List<Integer> left)
      implements Event {
    public ReplicasMoved {
      came = List.copyOf(came);
      left = List.copyOf(left);
    }
  }

  /**
   * How many buckets were given a leader or a new epoch, lost in-sync replicas, gained some, and
   * came to the end of a move; besides {@link BucketsChanged}.
   */
  record ReplicationChanged(int elections, int shrinks, int expansions, int moves)
      implements Event {}

  /** A server was told to drain, or not to. */
  record ServerStateChanged(int serverId, ServerState state) implements Event {}

  /**
   * A leader was elected by an explicit call, whether it has every committed record or not. An
   * alarm.
   *
   * @param isr in-sync replicas of before
   */
  record UncleanElection(TableBucket bucket, int serverId, List<Integer> isr) implements Event {
    public UncleanElection {
      isr = List.copyOf(isr);
    }
  }

  /** A named writer has a new epoch. */
  record WriterStarted(long writerId, int epoch) implements Event {}

  /** A session was opened or renewed. */
  record ServerRegistered(int serverId, String incarnation) implements Event {}

  /** A session ended. */
  record SessionEnded(int serverId, String incarnation) implements Event {}

  /**
   * A server came back after a power loss, or with an empty disk, and is the only one in sync of
   * these buckets: records may be lost. An alarm.
   */
  record DataMaybeLost(int serverId, List<TableBucket> buckets) implements Event {
    public DataMaybeLost {
      buckets = List.copyOf(buckets);
    }
  }
}
