package io.sluice.coordinator.metadata;

import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.format.schema.TableSchema;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One change of the cluster's metadata, as it goes through Raft. A command carries every time and
 * every choice made for it (placement, cluster id): applying it again gives the same state.
 */
public sealed interface Command {

  /** Gives a new cluster its id; does nothing when it has one. */
  record Bootstrap(String clusterId) implements Command {}

  /** Creates a database; rejected with DATABASE_EXISTS. */
  record CreateDatabase(String name, String comment, long nowMs) implements Command {}

  /** Drops a database; rejected with DATABASE_NOT_FOUND, or DATABASE_NOT_EMPTY unless cascading. */
  record DropDatabase(String name, boolean cascade) implements Command {}

  /**
   * Creates a checked table; rejected with DATABASE_NOT_FOUND, TABLE_EXISTS, or NOT_ENOUGH_SERVERS
   * when a server of the placement is no longer alive. Accepted with the table's id.
   *
   * @param placement for each bucket its replicas, the preferred leader first; empty when it is
   *     partitioned
   * @param partitioning how it is partitioned, {@link Partitioning#NONE} when it is not
   */
  record CreateTable(
      TablePath path,
      TableSchema schema,
      List<String> bucketKey,
      Map<String, String> options,
      String comment,
      long nowMs,
      List<List<Integer>> placement,
      Partitioning partitioning)
      implements Command {
    public CreateTable {
      bucketKey = List.copyOf(bucketKey);
      options = Map.copyOf(options);
      placement = placement.stream().map(List::copyOf).toList();
    }

    /** Creates a table that is not partitioned. */
    public CreateTable(
        TablePath path,
        TableSchema schema,
        List<String> bucketKey,
        Map<String, String> options,
        String comment,
        long nowMs,
        List<List<Integer>> placement) {
      this(path, schema, bucketKey, options, comment, nowMs, placement, Partitioning.NONE);
    }
  }

  /**
   * How a new table is partitioned.
   *
   * @param keys names of the partition columns in order
   * @param bucketCount buckets of each partition
   * @param replicationFactor replicas of each bucket
   * @param partitions partitions that are there from the beginning
   */
  record Partitioning(
      List<String> keys, int bucketCount, int replicationFactor, List<NewPartition> partitions) {
    /** Not partitioned. */
    public static final Partitioning NONE = new Partitioning(List.of(), 0, 0, List.of());

    public Partitioning {
      keys = List.copyOf(keys);
      partitions = List.copyOf(partitions);
    }
  }

  /**
   * A partition to create.
   *
   * @param values canonical texts of its values
   * @param placement for each bucket its replicas, the preferred leader first
   */
  record NewPartition(List<String> values, List<List<Integer>> placement) {
    public NewPartition {
      values = List.copyOf(values);
      placement = placement.stream().map(List::copyOf).toList();
    }
  }

  /** About one existing table; rejected with TABLE_NOT_FOUND when there is none of that id. */
  sealed interface ForTable extends Command {
    /** The table. */
    long tableId();
  }

  /**
   * Gives a table what its alteration leads to; rejected with SCHEMA_CHANGED when the table was
   * altered since this was planned. Accepted with the table's id.
   *
   * @param version version of the table that it was planned from
   * @param schema the new schema, null when the columns stay as they are
   * @param options all options
   * @param comment the comment
   */
  record AlterTable(
      long tableId,
      int version,
      @Nullable TableSchema schema,
      Map<String, String> options,
      String comment)
      implements ForTable {
    public AlterTable {
      options = Map.copyOf(options);
    }
  }

  /**
   * Creates a checked partition; rejected with PARTITION_EXISTS, TOO_MANY_PARTITIONS, or
   * NOT_ENOUGH_SERVERS when a server of the placement is no longer alive. Accepted with the
   * partition's id.
   */
  record CreatePartition(long tableId, NewPartition partition, long nowMs) implements ForTable {}

  /** Drops a partition; rejected with PARTITION_NOT_FOUND. Accepted with the partition's id. */
  record DropPartition(long tableId, long partitionId) implements ForTable {}

  /**
   * Gives the leader of a bucket ids of the table's auto-increment column: at most {@code count},
   * fewer when the column cannot hold so many more. Rejected with NOT_LEADER unless that server
   * leads the bucket in that epoch, with IDS_EXHAUSTED when there are none left. Accepted with the
   * first id and their number.
   *
   * @param count how many are wanted, at least 1
   * @param largest the largest id that the column can hold
   */
  record GrantIds(
      long tableId,
      long partitionId,
      int bucket,
      int serverId,
      int leaderEpoch,
      long count,
      long largest)
      implements ForTable {
    public GrantIds {
      if (count < 1 || partitionId < 0 || bucket < 0) {
        throw new IllegalArgumentException(
            count + " ids cannot be granted to bucket " + partitionId + "-" + bucket);
      }
    }
  }

  /** Drops a table; rejected with TABLE_NOT_FOUND. Accepted with the table's id. */
  record DropTable(TablePath path) implements Command {}

  /** About a tablet server. */
  sealed interface ForServer extends Command {}

  /**
   * Opens or renews a server's session and elects leaders for what it may lead. A server that may
   * have lost records that it had acknowledged leaves every in-sync set that has another member
   * before that.
   *
   * @param emptyDisk whether it starts with nothing on its disk
   */
  record RegisterServer(TabletServer.Registration registration, long nowMs, boolean emptyDisk)
      implements ForServer {
    /** One that has its data, if it had any. */
    public RegisterServer(TabletServer.Registration registration, long nowMs) {
      this(registration, nowMs, false);
    }
  }

  /**
   * Ends the session of that incarnation, moves the server's leaderships and takes it out of every
   * in-sync set that has another member. Does nothing when another incarnation has registered.
   */
  record EndSession(int serverId, String incarnation) implements ForServer {}

  /**
   * That incarnation is about to stop: its leaderships move to other live in-sync replicas where
   * there are any, and it is not elected any more where another one can be. May be said again, for
   * what nobody else could lead before. Does nothing when another incarnation has registered.
   */
  record Leaving(int serverId, String incarnation) implements ForServer {}

  /**
   * Says what is wanted with a server. Rejected with NOT_FOUND when there is none of that id.
   * DECOMMISSIONED is rejected with INVALID_ARGUMENT while it holds replicas, and takes the
   * registration away when its session has ended.
   */
  record SetServerState(int serverId, ServerState state) implements ForServer {}

  /**
   * About replicas of many buckets; each is decided for itself, and the outcome names the decisions
   * in the order of the buckets. BUCKET_NOT_FOUND for one that there is not.
   */
  sealed interface ForReplicas extends Command {
    /** The most buckets one command may name. */
    int MAX_BUCKETS = 1000;
  }

  /**
   * What leaders ask their in-sync sets to be. Refused with FENCED_LEADER_EPOCH unless the server
   * leads in that epoch, with STALE_ISR unless the version is the current one, with
   * STALE_INCARNATION when one that comes in is not registered and alive under the incarnation
   * named, with INVALID_ARGUMENT when the set lacks its leader or names one that is no replica.
   * Ends a move in the same step when everyone of its target is in sync.
   */
  record AlterIsr(int serverId, List<IsrChange> changes) implements ForReplicas {
    public AlterIsr {
      changes = List.copyOf(changes);
      checkCount(changes.size());
    }
  }

  /**
   * One in-sync set.
   *
   * @param isrVersion version of the set that it replaces
   */
  record IsrChange(TableBucket bucket, int leaderEpoch, int isrVersion, List<IsrMember> isr) {
    public IsrChange {
      isr = List.copyOf(isr);
    }
  }

  /**
   * A member of an in-sync set.
   *
   * @param incarnation the process that fetches; does not count for those in the set already
   */
  record IsrMember(int serverId, String incarnation) {}

  /**
   * These replicas of that incarnation are offline: they leave the in-sync sets that have another
   * member, which leads from then on where they led. Nothing is done for the last in-sync replica,
   * or when another incarnation has registered.
   */
  record ReplicasOffline(int serverId, String incarnation, List<TableBucket> buckets)
      implements ForReplicas {
    public ReplicasOffline {
      buckets = List.copyOf(buckets);
      checkCount(buckets.size());
    }
  }

  /**
   * Begins to move replicas; a move under way is replaced. Refused with NOT_ENOUGH_SERVERS when a
   * server that is to get one is not alive, leaves, or drains; with NOT_ENOUGH_REPLICAS when no
   * in-sync replica would be left; with INVALID_ARGUMENT when the target is empty or names a server
   * twice. A target that is in sync already is reached at once.
   */
  record Reassign(List<Move> moves) implements ForReplicas {
    public Reassign {
      moves = List.copyOf(moves);
      checkCount(moves.size());
    }
  }

  /**
   * Where replicas shall be.
   *
   * @param target the servers, the preferred leader first
   */
  record Move(TableBucket bucket, List<Integer> target) {
    public Move {
      target = List.copyOf(target);
    }
  }

  /**
   * Gives moves up: what they added leaves. Nothing is done for a bucket that is not being moved.
   * Refused with NOT_ENOUGH_REPLICAS when none of the replicas of before is in sync.
   */
  record CancelReassign(List<TableBucket> buckets) implements ForReplicas {
    public CancelReassign {
      buckets = List.copyOf(buckets);
      checkCount(buckets.size());
    }
  }

  /**
   * Gives the leadership back to the first live in-sync replica, in the order of preference, that
   * neither leaves nor drains. Nothing is done where it leads already.
   */
  record ElectPreferred(List<TableBucket> buckets) implements ForReplicas {
    public ElectPreferred {
      buckets = List.copyOf(buckets);
      checkCount(buckets.size());
    }
  }

  /**
   * Makes a replica the leader and the only one in sync, whatever it has: committed records that it
   * lacks are lost. Refused with INVALID_ARGUMENT when it is no replica, with NOT_ENOUGH_SERVERS
   * when its server is not alive.
   */
  record ElectUnclean(TableBucket bucket, int serverId) implements ForReplicas {}

  private static void checkCount(int buckets) {
    if (buckets > ForReplicas.MAX_BUCKETS) {
      throw new IllegalArgumentException(
          "A command names " + buckets + " buckets; it may name " + ForReplicas.MAX_BUCKETS);
    }
  }

  /**
   * Gives a writer its id and next epoch: a fresh id and epoch 0 for a new or an empty name.
   * Accepted with both.
   */
  record InitWriter(String name) implements Command {}

  /** About one table's copy in the lake; rejected with TABLE_NOT_FOUND where there is none. */
  sealed interface ForLake extends Command {
    /** The table. */
    long tableId();
  }

  /**
   * Takes the table into its next tiering epoch. Does nothing when it is there; rejected with
   * FENCED_ROUND when the epoch is not the next one.
   */
  record RaiseTieringEpoch(long tableId, long epoch) implements ForLake {}

  /**
   * Records what a snapshot of the lake says. Accepted with the table's id when this command
   * recorded it, with 0 when the round was recorded before. Rejected with FENCED_ROUND when a
   * bucket does not start where its record ends, or when the epoch is above the current one; an
   * older epoch moves the offsets and leaves the state of the table alone.
   *
   * @param start where each bucket of the round began; one that is missing at 0
   * @param end where it ended; one that is missing stays where it is recorded
   */
  record RoundCommitted(
      long tableId,
      long epoch,
      String roundId,
      long snapshotId,
      List<LakeOffset> start,
      List<LakeOffset> end,
      LakeTable.LastRound size)
      implements ForLake {
    public RoundCommitted {
      start = List.copyOf(start);
      end = List.copyOf(end);
    }
  }

  /** The round of that epoch found nothing new; does nothing when the epoch is over. */
  record RoundEmpty(long tableId, long epoch, long nowMs) implements ForLake {}

  /** The round of that epoch failed and counts; does nothing when the epoch is over. */
  record RoundFailed(long tableId, long epoch, String worker, String cause, long nowMs)
      implements ForLake {}

  /** Sets a hold unless a stronger one stands, or clears it. */
  record SetLakeHold(long tableId, LakeHold hold, String reason) implements ForLake {}
}
