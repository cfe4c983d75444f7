package io.sluice.client.internal;

import io.sluice.client.BucketDescription;
import io.sluice.client.LogScanner;
import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.format.filter.Filter;
import io.sluice.format.projection.ColumnSelection;
import io.sluice.protocol.flight.v1.BucketOffsets;
import io.sluice.protocol.flight.v1.StartAt;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Opens scans: asks the leaders for offsets, so that start and end stay the same ever after. */
public final class ScanOpening {
  private ScanOpening() {}

  /** An open scan of the table in its schema of the description. Blocks for the offsets. */
  public static LogScanner open(ClientCore core, TableDescription table, ScanRequest request) {
    List<String> columns = request.columns();
    if (columns != null) {
      ColumnSelection.of(table.schema(), columns);
    }
    if (request.filtered()) {
      Filter.parse(request.filter()).bind(table.schema());
    }
    TableDescription now = table;
    if (table.partitioned()) {
      // Partitions come and go; the schema stays the one the table was opened with.
      now = core.tables().load(table.path());
      Leaders.requireSame(table, now);
    }
    PartitionChoice choice = new PartitionChoice(table, request);
    Set<TableBucket> buckets = buckets(now, request, choice);
    StartAt at =
        switch (request.start()) {
          case EARLIEST -> StartAt.START_EARLIEST;
          case LATEST -> StartAt.START_LATEST;
          case TIMESTAMP -> StartAt.START_TIMESTAMP;
        };
    Map<TableBucket, BucketOffsets> offsets =
        core.leaders().offsets(now, buckets, at, request.timestampMs());
    List<BucketPosition> positions = new ArrayList<>();
    for (TableBucket bucket : buckets) {
      BucketOffsets found = offsets.get(bucket);
      if (found == null) {
        throw new SluiceException(
            ErrorCode.INTERNAL, "No offsets for bucket " + bucket + " of " + table.path());
      }
      positions.add(position(table, request, bucket, found));
    }
    StreamingLogScanner scanner = new StreamingLogScanner(core, table, request, positions, choice);
    core.remember(scanner);
    scanner.start();
    return scanner;
  }

  private static Set<TableBucket> buckets(
      TableDescription table, ScanRequest request, PartitionChoice choice) {
    Set<TableBucket> known = new TreeSet<>();
    for (BucketDescription each : table.buckets()) {
      known.add(each.tableBucket(table.tableId()));
    }
    if (!request.offsets().isEmpty()) {
      Set<TableBucket> given = new TreeSet<>(request.offsets().keySet());
      if (request.follow() && table.partitioned()) {
        // What follows goes on without partitions that were dropped meanwhile.
        Set<Long> there = new HashSet<>();
        table.partitions().forEach(each -> there.add(each.partitionId()));
        given.removeIf(
            bucket -> bucket.tableId() == table.tableId() && !there.contains(bucket.partitionId()));
      }
      given.forEach(bucket -> requireKnown(table, bucket, known));
      return given;
    }
    for (int bucket : request.buckets()) {
      if (bucket < 0 || bucket >= table.bucketCount()) {
        throw noBucket(table, bucket);
      }
    }
    choice.requireAll(table);
    Set<Long> partitions = choice.of(table);
    known.removeIf(
        bucket ->
            !(request.buckets().isEmpty() || request.buckets().contains(bucket.bucket()))
                || (table.partitioned() && !partitions.contains(bucket.partitionId())));
    return known;
  }

  private static void requireKnown(
      TableDescription table, TableBucket bucket, Set<TableBucket> known) {
    if (bucket.tableId() != table.tableId()) {
      throw Leaders.changed(table.path(), bucket.tableId());
    }
    if (known.contains(bucket)) {
      return;
    }
    Set<Long> partitions = new HashSet<>();
    known.forEach(each -> partitions.add(each.partitionId()));
    if (table.partitioned() && !partitions.contains(bucket.partitionId())) {
      throw PartitionChoice.gone(table, bucket.partitionId());
    }
    throw noBucket(table, bucket.bucket());
  }

  private static SluiceException noBucket(TableDescription table, int bucket) {
    return new SluiceException(
        ErrorCode.BUCKET_NOT_FOUND,
        "Bucket "
            + bucket
            + " of "
            + table.path()
            + " does not exist; its buckets are 0 to "
            + (table.bucketCount() - 1));
  }

  private static BucketPosition position(
      TableDescription table, ScanRequest request, TableBucket bucket, BucketOffsets found) {
    if (request.current()) {
      return BucketPosition.ofCurrentRows(bucket, found.getVisible());
    }
    Long given = request.offsets().get(bucket);
    long end = request.follow() ? BucketPosition.NEVER : end(table, request, bucket, found);
    if (given == null) {
      boolean earliest = request.start() == ScanRequest.Start.EARLIEST;
      return new BucketPosition(bucket, found.getOffset(), end, earliest);
    }
    checkReadable(table, found, given);
    return new BucketPosition(bucket, given, Math.max(given, end), false);
  }

  private static long end(
      TableDescription table, ScanRequest request, TableBucket bucket, BucketOffsets found) {
    Long end = request.ends().get(bucket);
    if (end == null) {
      return found.getVisible();
    }
    checkReadable(table, found, end);
    return end;
  }

  private static void checkReadable(TableDescription table, BucketOffsets found, long offset) {
    if (offset < found.getLogStart() || offset > found.getVisible()) {
      throw new SluiceException(
          ErrorCode.OFFSET_OUT_OF_RANGE,
          "Offset "
              + offset
              + " of bucket "
              + found.getBucket()
              + " of "
              + table.path()
              + " cannot be read; its offsets are "
              + found.getLogStart()
              + " to "
              + found.getVisible());
    }
  }
}
