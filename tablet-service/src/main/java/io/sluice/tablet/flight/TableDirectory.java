package io.sluice.tablet.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.metadata.Schemas;
import io.sluice.protocol.metadata.v1.BucketInfo;
import io.sluice.protocol.metadata.v1.TableInfo;
import io.sluice.tablet.coordinator.AppliedSignal;
import io.sluice.tablet.coordinator.Metadata;
import io.sluice.tablet.replica.HostedTable;
import io.sluice.tablet.replica.Replica;
import io.sluice.tablet.replica.Replicas;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds tables and the leaders of their buckets: from the coordinator, and from what this server
 * itself leads when no coordinator answers. Blocks for a bounded time; thread-safe.
 */
final class TableDirectory {
  /** How long a request waits for a table that was made a moment ago to arrive at this server. */
  static final Duration ARRIVAL = Duration.ofSeconds(5);

  private static final Duration PAUSE = Duration.ofMillis(50);

  private final int serverId;
  private final Replicas replicas;
  private final Metadata metadata;
  private final AppliedSignal applied;

  TableDirectory(int serverId, Replicas replicas, Metadata metadata, AppliedSignal applied) {
    this.serverId = serverId;
    this.replicas = replicas;
    this.metadata = metadata;
    this.applied = applied;
  }

  Replicas replicas() {
    return replicas;
  }

  Metadata metadata() {
    return metadata;
  }

  int serverId() {
    return serverId;
  }

  /**
   * What the coordinator knows of the table.
   *
   * @throws SluiceException TABLE_NOT_FOUND; UNAVAILABLE when no coordinator answers and this
   *     server does not lead the whole table
   */
  Located locate(TablePath path) {
    try {
      TableInfo info = metadata.table(path);
      awaitSchema(info.getTableId(), info.getSchema().getSchemaId());
      return Located.of(info);
    } catch (SluiceException failure) {
      if (failure.code() != ErrorCode.UNAVAILABLE
          && failure.code() != ErrorCode.TIMEOUT
          && failure.code() != ErrorCode.NOT_COORDINATOR_LEADER) {
        throw failure;
      }
      HostedTable table = replicas.table(path);
      if (table == null || !leadsAll(table.tableId(), bucketsOf(table))) {
        throw failure;
      }
      return Located.of(table, serverId);
    }
  }

  /**
   * The table as this server hosts it. When it hosts no bucket of it, the coordinator is asked, so
   * that the error says what is wrong.
   *
   * @throws SluiceException TABLE_NOT_FOUND, NOT_LEADER when other servers lead it, or
   *     LEADER_NOT_READY when its state has not arrived here
   */
  HostedTable hosted(TablePath path) {
    HostedTable table = replicas.table(path);
    if (table != null) {
      return table;
    }
    TableInfo info = metadata.table(path);
    if (info.getPartitionKeysCount() > 0 && info.getPartitionsCount() == 0) {
      // Nobody hosts a table that has no bucket yet.
      return hosted(info);
    }
    if (led(info)) {
      applied.await(() -> replicas.table(path) != null, ARRIVAL);
      table = replicas.table(path);
      if (table != null) {
        return table;
      }
      throw new SluiceException(
          ErrorCode.LEADER_NOT_READY, "Table " + path + " has not arrived at this server yet");
    }
    throw notLeader(path, info);
  }

  private static int bucketsOf(HostedTable table) {
    return table.partitioned()
        ? table.bucketCount() * table.partitions().size()
        : table.bucketCount();
  }

  private static HostedTable hosted(TableInfo info) {
    return new HostedTable(
        info.getTableId(),
        new TablePath(info.getDatabase(), info.getTable()),
        List.of(Schemas.toSchema(info.getSchema())),
        info.getBucketCount(),
        info.getBucketKeyList(),
        info.getOptionsMap(),
        info.getPartitionKeysList(),
        Map.of());
  }

  /** Waits until this server leads the buckets of the table that the coordinator gave it. */
  void awaitArrival(TableInfo info) {
    applied.await(() -> arrived(info, info.getBucketsList()), ARRIVAL);
  }

  /** Waits until this server leads the buckets of the partition that the coordinator gave it. */
  void awaitArrival(TableInfo info, long partitionId) {
    List<BucketInfo> buckets =
        info.getBucketsList().stream()
            .filter(each -> each.getPartitionId() == partitionId)
            .toList();
    applied.await(() -> arrived(info, buckets), ARRIVAL);
  }

  /**
   * Waits until this server knows the schema of a table that it hosts: a client may hear of a
   * change before it does. Gives up after a bounded time; who then uses the schema finds that it is
   * not there.
   */
  void awaitSchema(long tableId, int schemaId) {
    var unused = applied.await(() -> !lacksSchema(tableId, schemaId), ARRIVAL);
  }

  private boolean lacksSchema(long tableId, int schemaId) {
    HostedTable table = replicas.table(tableId);
    return table != null && table.schema().schemaId() < schemaId;
  }

  /** Waits a moment for what the coordinator tells of; blocks. */
  void pause() {
    var unused = applied.await(() -> false, PAUSE);
  }

  /** Whether this server has a replica, ready to serve, of each of these it should lead. */
  private boolean arrived(TableInfo info, List<BucketInfo> buckets) {
    Map<TableBucket, Replica> here = new HashMap<>();
    replicas.ofTable(info.getTableId()).forEach(each -> here.put(each.bucket(), each));
    for (BucketInfo bucket : buckets) {
      if (bucket.getLeaderServerId() == serverId) {
        Replica replica = here.get(Located.id(info.getTableId(), bucket));
        if (replica == null || !leads(replica)) {
          return false;
        }
      }
    }
    return true;
  }

  /** Whether this server leads every bucket of the table. */
  boolean leadsAll(Located table) {
    return leadsAll(table.tableId(), table.buckets().size());
  }

  /** Whether this server leads that many buckets of the table, which are all it has. */
  boolean leadsAll(long tableId, int bucketCount) {
    Collection<Replica> here = replicas.ofTable(tableId);
    return here.size() == bucketCount && here.stream().allMatch(TableDirectory::leads);
  }

  static boolean leads(Replica replica) {
    try {
      replica.requireLeader();
      return true;
    } catch (SluiceException notLeading) {
      return false;
    }
  }

  private boolean led(TableInfo info) {
    return info.getBucketsList().stream().anyMatch(each -> each.getLeaderServerId() == serverId);
  }

  private static SluiceException notLeader(TablePath path, TableInfo info) {
    for (BucketInfo bucket : info.getBucketsList()) {
      if (bucket.hasLeader()) {
        String leader = bucket.getLeader().getHost() + ":" + bucket.getLeader().getFlightPort();
        return new SluiceException(
            ErrorCode.NOT_LEADER,
            "This server leads no bucket of "
                + path
                + "; bucket "
                + bucket.getBucket()
                + " is led by "
                + leader,
            Map.of("leader", leader),
            null);
      }
    }
    return new SluiceException(
        ErrorCode.NOT_LEADER, "No server leads a bucket of " + path + " now");
  }

  /**
   * A table and where its buckets are led.
   *
   * @param tableId id
   * @param path name
   * @param schema current schema
   * @param bucketCount number of buckets, of each partition when the table is partitioned
   * @param bucketKey columns that choose the bucket
   * @param partitionKeys names of the partition columns, empty when it is not partitioned
   * @param partitions canonical texts of the values of every partition, by its id, ascending
   * @param options options as set
   * @param info what the coordinator said, null when it did not answer
   * @param leaders what it said of the buckets
   * @param localServerId the server that leads everything when {@code info} is null
   */
  record Located(
      long tableId,
      TablePath path,
      TableSchema schema,
      int bucketCount,
      List<String> bucketKey,
      List<String> partitionKeys,
      SortedMap<Long, List<String>> partitions,
      Map<String, String> options,
      @Nullable TableInfo info,
      Map<TableBucket, BucketInfo> leaders,
      int localServerId) {

    static Located of(TableInfo info) {
      SortedMap<Long, List<String>> partitions = new TreeMap<>();
      info.getPartitionsList()
          .forEach(each -> partitions.put(each.getPartitionId(), each.getValuesList()));
      Map<TableBucket, BucketInfo> leaders = new HashMap<>();
      info.getBucketsList().forEach(each -> leaders.put(id(info.getTableId(), each), each));
      return new Located(
          info.getTableId(),
          new TablePath(info.getDatabase(), info.getTable()),
          Schemas.toSchema(info.getSchema()),
          info.getBucketCount(),
          info.getBucketKeyList(),
          info.getPartitionKeysList(),
          partitions,
          info.getOptionsMap(),
          info,
          leaders,
          0);
    }

    static Located of(HostedTable table, int serverId) {
      return new Located(
          table.tableId(),
          table.path(),
          table.schema(),
          table.bucketCount(),
          table.bucketKey(),
          table.partitionKeys(),
          new TreeMap<>(table.partitions()),
          table.options(),
          null,
          Map.of(),
          serverId);
    }

    private static TableBucket id(long tableId, BucketInfo bucket) {
      return new TableBucket(tableId, bucket.getPartitionId(), bucket.getBucket());
    }

    /** The same table for rows that have only these of its columns. */
    Located withColumns(TableSchema columns) {
      return new Located(
          tableId,
          path,
          columns,
          bucketCount,
          bucketKey,
          partitionKeys,
          partitions,
          options,
          info,
          leaders,
          localServerId);
    }

    /** Whether its buckets are those of its partitions. */
    boolean partitioned() {
      return !partitionKeys.isEmpty();
    }

    /** A bucket of a table that is not partitioned. */
    TableBucket bucket(int bucket) {
      return TableBucket.of(tableId, bucket);
    }

    /** A bucket of a partition, of the table itself for {@link TableBucket#NO_PARTITION}. */
    TableBucket bucket(long partitionId, int bucket) {
      return new TableBucket(tableId, partitionId, bucket);
    }

    /** All buckets: by partition in the order of their ids, then by number. */
    List<TableBucket> buckets() {
      List<TableBucket> all = new ArrayList<>();
      Collection<Long> ids =
          partitioned() ? partitions.keySet() : List.of(TableBucket.NO_PARTITION);
      for (long partition : ids) {
        for (int bucket = 0; bucket < bucketCount; bucket++) {
          all.add(bucket(partition, bucket));
        }
      }
      return all;
    }

    /** Server that leads the bucket of a table that is not partitioned, 0 when none does now. */
    int leader(int bucket) {
      return leader(bucket(bucket));
    }

    /** Server that leads the bucket, 0 when none does now. */
    int leader(TableBucket bucket) {
      if (info == null) {
        return localServerId;
      }
      BucketInfo found = leaders.get(bucket);
      return found == null ? 0 : found.getLeaderServerId();
    }

    /** {@code host:port} of the leader, null when none leads now or it is this server. */
    @Nullable String leaderAddress(int bucket) {
      return leaderAddress(bucket(bucket));
    }

    /** {@code host:port} of the leader, null when none leads now or the coordinator is away. */
    @Nullable String leaderAddress(TableBucket bucket) {
      BucketInfo found = leaders.get(bucket);
      return found == null || !found.hasLeader()
          ? null
          : found.getLeader().getHost() + ":" + found.getLeader().getFlightPort();
    }
  }
}
