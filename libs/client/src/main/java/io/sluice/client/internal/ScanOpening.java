package io.sluice.client.internal;

import io.sluice.client.BucketDescription;
import io.sluice.client.LogScanner;
import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.flight.v1.BucketOffsets;
import io.sluice.protocol.flight.v1.StartAt;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Opens scans: asks the leaders for offsets, so that start and end stay the same ever after. */
public final class ScanOpening {
  private ScanOpening() {}

  /** An open scan. Blocks for the offsets. */
  public static LogScanner open(ClientCore core, TableDescription table, ScanRequest request) {
    List<String> columns = request.columns();
    if (columns != null) {
      columns.forEach(table.schema()::position);
    }
    Set<Integer> buckets = buckets(table, request);
    StartAt at =
        switch (request.start()) {
          case EARLIEST -> StartAt.START_EARLIEST;
          case LATEST -> StartAt.START_LATEST;
          case TIMESTAMP -> StartAt.START_TIMESTAMP;
        };
    Map<Integer, BucketOffsets> offsets =
        core.leaders().listOffsets(table, buckets, at, request.timestampMs());
    List<BucketPosition> positions = new ArrayList<>();
    for (int bucket : buckets) {
      BucketOffsets found = offsets.get(bucket);
      if (found == null) {
        throw new SluiceException(
            ErrorCode.INTERNAL, "No offsets for bucket " + bucket + " of " + table.path());
      }
      positions.add(position(table, request, found));
    }
    StreamingLogScanner scanner = new StreamingLogScanner(core, table, request, positions);
    core.remember(scanner);
    scanner.start();
    return scanner;
  }

  private static Set<Integer> buckets(TableDescription table, ScanRequest request) {
    Set<Integer> wanted =
        request.offsets().isEmpty() ? request.buckets() : request.offsets().keySet();
    Set<Integer> known = new TreeSet<>();
    table.buckets().forEach((BucketDescription each) -> known.add(each.bucket()));
    for (int bucket : wanted) {
      if (!known.contains(bucket)) {
        throw new SluiceException(
            ErrorCode.BUCKET_NOT_FOUND,
            "Bucket "
                + bucket
                + " of "
                + table.path()
                + " does not exist; its buckets are 0 to "
                + (table.bucketCount() - 1));
      }
    }
    return wanted.isEmpty() ? known : new TreeSet<>(wanted);
  }

  private static BucketPosition position(
      TableDescription table, ScanRequest request, BucketOffsets found) {
    if (request.current()) {
      return BucketPosition.ofCurrentRows(found.getBucket(), found.getVisible());
    }
    Long given = request.offsets().get(found.getBucket());
    long end = request.follow() ? BucketPosition.NEVER : end(table, request, found);
    if (given == null) {
      boolean earliest = request.start() == ScanRequest.Start.EARLIEST;
      return new BucketPosition(found.getBucket(), found.getOffset(), end, earliest);
    }
    checkReadable(table, found, given);
    return new BucketPosition(found.getBucket(), given, Math.max(given, end), false);
  }

  private static long end(TableDescription table, ScanRequest request, BucketOffsets found) {
    Long end = request.ends().get(found.getBucket());
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
