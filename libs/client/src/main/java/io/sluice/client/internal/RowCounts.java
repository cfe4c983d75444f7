package io.sluice.client.internal;

import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.protocol.flight.v1.BucketOffsets;
import io.sluice.protocol.flight.v1.StartAt;
import java.util.List;

/** Counts the rows of primary-key tables by asking the leaders of their buckets. */
public final class RowCounts {
  private static final int MAX_ATTEMPTS = 5;
  private static final long UNKNOWN = -1;

  private RowCounts() {}

  /** The rows of the table now; see {@link io.sluice.client.Table#count}. */
  public static long count(ClientCore core, TableDescription opened) {
    if (opened.schema().primaryKey().isEmpty()) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED,
          "Table "
              + opened.path()
              + " is a log table, whose rows are not counted; read it with scan(), or ask"
              + " Admin.listOffsets for the offsets of its buckets");
    }
    for (int attempt = 1; ; attempt++) {
      // Partitions come and go: those that exist now are counted.
      TableDescription table = core.tables().load(opened.path());
      Leaders.requireSame(opened, table);
      try {
        return sum(core, table);
      } catch (SluiceException e) {
        if (e.code() != ErrorCode.PARTITION_NOT_FOUND || attempt == MAX_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private static long sum(ClientCore core, TableDescription table) {
    List<TableBucket> buckets =
        table.buckets().stream().map(bucket -> bucket.tableBucket(table.tableId())).toList();
    long rows = 0;
    for (BucketOffsets each :
        core.leaders().offsets(table, buckets, StartAt.START_LATEST, 0).values()) {
      if (each.getRowCount() == UNKNOWN) {
        throw new SluiceException(
            ErrorCode.UNSUPPORTED,
            "The rows of "
                + table.path()
                + " are not counted, because 'table.changelog.image' = 'wal' writes rows without"
                + " knowing whether they exist; count them with scan().current()");
      }
      rows += each.getRowCount();
    }
    return rows;
  }
}
