package io.sluice.tablet.flight;

import com.google.protobuf.ByteString;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.format.filter.BoundFilter;
import io.sluice.format.filter.Filter;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.flight.WireMessages;
import io.sluice.protocol.flight.v1.BucketScan;
import io.sluice.protocol.flight.v1.EndAt;
import io.sluice.protocol.flight.v1.ScanTicket;
import io.sluice.protocol.flight.v1.StartAt;
import io.sluice.tablet.replica.HostedTable;
import io.sluice.tablet.replica.Replica;
import io.sluice.tablet.replica.ReplicaOffsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Turns a ticket, which is never trusted, into a {@link ScanPlan}. */
final class ScanPlanner {
  private final TableDirectory directory;

  ScanPlanner(TableDirectory directory) {
    this.directory = directory;
  }

  /** The ticket's message; INVALID_TICKET when it is none. */
  static ScanTicket parse(ByteString ticket) {
    if (ticket.isEmpty()) {
      throw new SluiceException(
          ErrorCode.INVALID_TICKET,
          "The ticket is empty; it must be a ScanTicket, protobuf or JSON, as GetFlightInfo gives");
    }
    return WireMessages.parse(ticket, ScanTicket.getDefaultInstance(), ErrorCode.INVALID_TICKET);
  }

  /** Checks the ticket against the table and the roles of this server. May ask the coordinator. */
  ScanPlan plan(ScanTicket ticket) {
    if (ticket.getLimit() < 0) {
      throw invalid("limit is " + ticket.getLimit() + "; it must be at least 0");
    }
    if (ticket.getMaxBytes() < 0) {
      throw invalid("max_bytes is " + ticket.getMaxBytes() + "; it must be at least 0");
    }
    HostedTable table = table(ticket);
    checkKvScan(table.path(), table.schema(), ticket);
    TableSchema schema = table.schema(schemaId(ticket));
    ScanSchema columns = ScanSchema.of(schema, ticket);
    if (ticket.getKvScan() && columns.cutsColumns()) {
      throw KvScanStream.notWithRows("columns in parts; name whole columns");
    }
    ScanPlan.RowChoice choice = choice(schema, ticket);
    List<ScanPlan.Range> ranges = new ArrayList<>();
    Set<TableBucket> seen = new HashSet<>();
    for (BucketScan scan : scans(table, choice.filter(), ticket)) {
      TableBucket bucket = bucket(table, scan);
      if (!seen.add(bucket)) {
        throw invalid("bucket " + shown(bucket) + " is named twice");
      }
      ranges.add(range(table, bucket, scan));
    }
    return new ScanPlan(
        table,
        columns,
        choice,
        ranges,
        ticket.getLimit() == 0 ? Long.MAX_VALUE : ticket.getLimit(),
        ticket.getMaxBytes() == 0 ? Long.MAX_VALUE : ticket.getMaxBytes(),
        ticket.getProgress(),
        ticket.getKvScan());
  }

  /** The rows that the ticket asks for; INVALID_FILTER or INVALID_TICKET. */
  static ScanPlan.RowChoice choice(TableSchema schema, ScanTicket ticket) {
    if (!ticket.getFilter().isEmpty()) {
      return new ScanPlan.RowChoice(
          Filter.parse(ticket.getFilter()).bind(schema), ticket.getExactFilter());
    }
    if (ticket.getExactFilter()) {
      throw invalid("it says exact_filter and has no filter");
    }
    return ScanPlan.RowChoice.ALL;
  }

  /** The ranges that the ticket names; when there are none, all buckets the filter leaves. */
  private static List<BucketScan> scans(
      HostedTable table, @Nullable BoundFilter filter, ScanTicket ticket) {
    if (ticket.getBucketsCount() > 0) {
      return ticket.getBucketsList();
    }
    return allBuckets(table.partitionKeys(), table.partitions(), table.bucketCount(), filter);
  }

  /**
   * Whole buckets, those of all partitions that may have a row that fulfils the filter when the
   * table is partitioned.
   */
  static List<BucketScan> allBuckets(
      List<String> partitionKeys,
      Map<Long, List<String>> partitions,
      int bucketCount,
      @Nullable BoundFilter filter) {
    List<Long> ids = new ArrayList<>();
    if (partitionKeys.isEmpty()) {
      ids.add(TableBucket.NO_PARTITION);
    }
    new TreeMap<>(partitions)
        .forEach(
            (id, values) -> {
              if (filter == null || filter.mayMatchPartition(partitionKeys, values)) {
                ids.add(id);
              }
            });
    List<BucketScan> scans = new ArrayList<>(ids.size() * bucketCount);
    for (long id : ids) {
      for (int bucket = 0; bucket < bucketCount; bucket++) {
        scans.add(BucketScan.newBuilder().setPartitionId(id).setBucket(bucket).build());
      }
    }
    return scans;
  }

  private static TableBucket bucket(HostedTable table, BucketScan scan) {
    checkBucket(table.path(), table.partitioned(), table.bucketCount(), scan);
    return new TableBucket(table.tableId(), scan.getPartitionId(), scan.getBucket());
  }

  /** BUCKET_NOT_FOUND or INVALID_TICKET when no such bucket can be. */
  static void checkBucket(TablePath path, boolean partitioned, int bucketCount, BucketScan scan) {
    if (scan.getBucket() < 0 || scan.getBucket() >= bucketCount) {
      throw noBucket(path, scan.getBucket(), bucketCount);
    }
    if (!partitioned && scan.getPartitionId() != 0) {
      throw invalid(
          "partition_id is "
              + scan.getPartitionId()
              + " but "
              + path
              + " is not partitioned; leave it 0");
    }
    if (partitioned && scan.getPartitionId() <= 0) {
      throw invalid(
          "bucket "
              + scan.getBucket()
              + " has partition_id "
              + scan.getPartitionId()
              + " but "
              + path
              + " is partitioned; name the partition of each bucket");
    }
  }

  private static String shown(TableBucket bucket) {
    return bucket.partitionId() == TableBucket.NO_PARTITION
        ? Integer.toString(bucket.bucket())
        : bucket.bucket() + " of partition " + bucket.partitionId();
  }

  /**
   * Checks what a ticket for the current rows asks for.
   *
   * @throws SluiceException UNSUPPORTED for a log table, INVALID_TICKET for what rows do not have
   */
  static void checkKvScan(TablePath path, TableSchema schema, ScanTicket ticket) {
    if (!ticket.getKvScan()) {
      return;
    }
    if (schema.primaryKey().isEmpty()) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED,
          "Table " + path + " is a log table, which has no current rows; scan it without kv_scan");
    }
    if (!ticket.getFilter().isEmpty() || ticket.getExactFilter() || ticket.getMaxBytes() != 0) {
      throw KvScanStream.notWithRows("filter and max_bytes in this build");
    }
    if (ticket.getWithOffset() || ticket.getWithTimestamp() || ticket.getWithChangeType()) {
      throw KvScanStream.notWithRows("_offset, _timestamp and _change_type");
    }
    for (BucketScan bucket : ticket.getBucketsList()) {
      if (bucket.getStartAt() != StartAt.START_EARLIEST
          || bucket.getEndAt() != EndAt.END_VISIBLE_NOW) {
        throw KvScanStream.notWithRows("start and no end; leave start_at and end_at out");
      }
    }
  }

  private HostedTable table(ScanTicket ticket) {
    if (ticket.getDatabase().isEmpty() && ticket.getTable().isEmpty()) {
      throw invalid("it names no database and no table");
    }
    TablePath path = new TablePath(ticket.getDatabase(), ticket.getTable());
    HostedTable table = directory.hosted(path);
    if (table.schema().schemaId() < ticket.getSchemaId()) {
      // The reader heard of a change of the columns before this server did.
      directory.awaitSchema(table.tableId(), ticket.getSchemaId());
      table = directory.hosted(path);
    }
    if (ticket.getTableId() != 0 && ticket.getTableId() != table.tableId()) {
      throw new SluiceException(
          ErrorCode.TABLE_CHANGED,
          "The ticket is for "
              + table.path()
              + " with id "
              + ticket.getTableId()
              + "; that table was dropped, the one of this name now has id "
              + table.tableId());
    }
    return table;
  }

  private static int schemaId(ScanTicket ticket) {
    if (ticket.getSchemaId() < 0) {
      throw invalid("schema_id is " + ticket.getSchemaId() + "; it must be at least 0");
    }
    return ticket.getSchemaId();
  }

  private ScanPlan.Range range(HostedTable table, TableBucket bucket, BucketScan scan) {
    Replica replica = directory.replicas().require(bucket);
    int epoch = replica.requireLeader();
    if (scan.getLastEpoch() > epoch) {
      throw new SluiceException(
          ErrorCode.LEADER_NOT_READY,
          "The reader has seen leader epoch "
              + scan.getLastEpoch()
              + " of bucket "
              + shown(bucket)
              + "; this server leads it in epoch "
              + epoch
              + " and has not heard of a newer one");
    }
    ReplicaOffsets offsets = replica.offsets();
    long start = start(table, scan, replica, offsets);
    return new ScanPlan.Range(replica, start, end(scan, start, offsets));
  }

  private static long start(
      HostedTable table, BucketScan scan, Replica replica, ReplicaOffsets offsets) {
    return switch (scan.getStartAt()) {
      case START_EARLIEST -> offsets.logStart();
      case START_LATEST -> offsets.visible();
      case START_TIMESTAMP ->
          Math.min(
              offsets.visible(),
              Math.max(offsets.logStart(), replica.offsetForTime(scan.getStart())));
      case START_OFFSET -> {
        long start = scan.getStart();
        if (start < offsets.logStart() || start > offsets.visible()) {
          throw new SluiceException(
              ErrorCode.OFFSET_OUT_OF_RANGE,
              "Offset "
                  + start
                  + " of bucket "
                  + shown(replica.bucket())
                  + " of "
                  + table.path()
                  + " cannot be read; its offsets are "
                  + offsets.logStart()
                  + " to "
                  + offsets.visible());
        }
        yield start;
      }
      case UNRECOGNIZED ->
          throw invalid(
              "start_at is "
                  + scan.getStartAtValue()
                  + "; it must be one of "
                  + List.of(
                      StartAt.START_EARLIEST,
                      StartAt.START_OFFSET,
                      StartAt.START_LATEST,
                      StartAt.START_TIMESTAMP));
    };
  }

  private static long end(BucketScan scan, long start, ReplicaOffsets offsets) {
    return switch (scan.getEndAt()) {
      case END_VISIBLE_NOW -> Math.max(start, offsets.visible());
      case END_NONE -> ScanPlan.NEVER;
      case END_OFFSET -> {
        if (scan.getEnd() < start) {
          throw invalid(
              "bucket "
                  + scan.getBucket()
                  + " ends at "
                  + scan.getEnd()
                  + ", before its start "
                  + start);
        }
        yield scan.getEnd();
      }
      case UNRECOGNIZED ->
          throw invalid(
              "end_at is "
                  + scan.getEndAtValue()
                  + "; it must be one of "
                  + List.of(EndAt.END_VISIBLE_NOW, EndAt.END_OFFSET, EndAt.END_NONE));
    };
  }

  static SluiceException noBucket(TablePath path, int bucket, int count) {
    return new SluiceException(
        ErrorCode.BUCKET_NOT_FOUND,
        "Bucket "
            + bucket
            + " of "
            + path
            + " does not exist; its buckets are 0 to "
            + (count - 1));
  }

  private static SluiceException invalid(String what) {
    return new SluiceException(ErrorCode.INVALID_TICKET, "The ticket is wrong: " + what);
  }
}
