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
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds tables and the leaders of their buckets: from the coordinator, and from what this server
 * itself leads when no coordinator answers. Blocks for a bounded time; thread-safe.
 */
final class TableDirectory {
  /** How long a request waits for a table that was made a moment ago to arrive at this server. */
  static final Duration ARRIVAL = Duration.ofSeconds(5);

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
      return Located.of(metadata.table(path));
    } catch (SluiceException failure) {
      if (failure.code() != ErrorCode.UNAVAILABLE
          && failure.code() != ErrorCode.TIMEOUT
          && failure.code() != ErrorCode.NOT_COORDINATOR_LEADER) {
        throw failure;
      }
      HostedTable table = replicas.table(path);
      if (table == null || !leadsAll(table.tableId(), table.bucketCount())) {
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

  /** Waits until this server leads the buckets of the table that the coordinator gave it. */
  void awaitArrival(TableInfo info) {
    applied.await(() -> arrived(info), ARRIVAL);
  }

  /** Whether this server has a replica, ready to serve, of every bucket it should lead. */
  private boolean arrived(TableInfo info) {
    Map<Integer, Replica> here = new HashMap<>();
    replicas.ofTable(info.getTableId()).forEach(each -> here.put(each.bucket().bucket(), each));
    for (BucketInfo bucket : info.getBucketsList()) {
      if (bucket.getLeaderServerId() == serverId) {
        Replica replica = here.get(bucket.getBucket());
        if (replica == null || !leads(replica)) {
          return false;
        }
      }
    }
    return true;
  }

  /** Whether this server leads every bucket of the table. */
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
   * @param bucketCount number of buckets
   * @param bucketKey columns that choose the bucket
   * @param info what the coordinator said, null when it did not answer
   * @param localServerId the server that leads everything when {@code info} is null
   */
  record Located(
      long tableId,
      TablePath path,
      TableSchema schema,
      int bucketCount,
      List<String> bucketKey,
      @Nullable TableInfo info,
      int localServerId) {

    static Located of(TableInfo info) {
      return new Located(
          info.getTableId(),
          new TablePath(info.getDatabase(), info.getTable()),
          Schemas.toSchema(info.getSchema()),
          info.getBucketCount(),
          info.getBucketKeyList(),
          info,
          0);
    }

    static Located of(HostedTable table, int serverId) {
      return new Located(
          table.tableId(),
          table.path(),
          table.schema(),
          table.bucketCount(),
          table.bucketKey(),
          null,
          serverId);
    }

    /** The same table for rows that have only these of its columns. */
    Located withColumns(TableSchema columns) {
      return new Located(tableId, path, columns, bucketCount, bucketKey, info, localServerId);
    }

    TableBucket bucket(int bucket) {
      return TableBucket.of(tableId, bucket);
    }

    /** Server that leads the bucket, 0 when none does now. */
    int leader(int bucket) {
      if (info == null) {
        return localServerId;
      }
      BucketInfo found = find(bucket);
      return found == null ? 0 : found.getLeaderServerId();
    }

    /** {@code host:port} of the leader, null when none leads now or it is this server. */
    @Nullable String leaderAddress(int bucket) {
      BucketInfo found = find(bucket);
      return found == null || !found.hasLeader()
          ? null
          : found.getLeader().getHost() + ":" + found.getLeader().getFlightPort();
    }

    private @Nullable BucketInfo find(int bucket) {
      if (info == null) {
        return null;
      }
      for (BucketInfo each : info.getBucketsList()) {
        if (each.getBucket() == bucket) {
          return each;
        }
      }
      return null;
    }
  }
}
