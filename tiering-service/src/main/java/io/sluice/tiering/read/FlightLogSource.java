package io.sluice.tiering.read;

import io.sluice.client.BucketOffsets;
import io.sluice.client.Connection;
import io.sluice.client.LogScanner;
import io.sluice.client.Table;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.format.schema.TableSchema;
import java.util.Map;
import java.util.TreeMap;

/** Reads over Flight with the Java client. */
public final class FlightLogSource implements LogSource {
  private final Connection connection;

  /**
   * @param connection stays the caller's
   */
  public FlightLogSource(Connection connection) {
    this.connection = connection;
  }

  @Override
  public TableLog open(TablePath path, long tableId) {
    Map<Integer, BucketLog> buckets = new TreeMap<>();
    connection
        .admin()
        .listOffsets(path)
        .forEach((bucket, offsets) -> buckets.put(bucket, readable(offsets)));
    // Ids only grow, so a table that has the right one now had it when its offsets were listed.
    Table table = connection.table(path);
    if (table.description().tableId() != tableId) {
      throw new SluiceException(
          ErrorCode.TABLE_CHANGED,
          "Table "
              + path
              + " has id "
              + table.description().tableId()
              + " now; the round is for id "
              + tableId);
    }
    return new FlightTableLog(table, buckets);
  }

  private static BucketLog readable(BucketOffsets offsets) {
    long rows = offsets.logEnd() - offsets.logStart();
    long rowBytes = rows > 0 ? Math.max(1, offsets.sizeBytes() / rows) : 1;
    return new BucketLog(
        offsets.logStart(), Math.min(offsets.stable(), offsets.visible()), rowBytes);
  }

  private record FlightTableLog(Table table, Map<Integer, BucketLog> buckets) implements TableLog {
    @Override
    public TableSchema schema() {
      return table.description().schema();
    }

    @Override
    public LogScanner scan(Map<Integer, Long> starts, Map<Integer, Long> ends) {
      return table.scan().fromOffsets(starts).toOffsets(ends).withOffset().withTimestamp().open();
    }
  }
}
