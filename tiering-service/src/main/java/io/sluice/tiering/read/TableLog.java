package io.sluice.tiering.read;

import io.sluice.client.LogScanner;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.TableSchema;
import java.util.Map;

/** The log of one table, whose offsets were asked for when it was opened. */
public interface TableLog {
  /** The table's current schema. */
  TableSchema schema();

  /** What could be read of each bucket when this was opened. */
  Map<Integer, BucketLog> buckets();

  /**
   * Reads ranges of buckets: all columns in their order, then the offset, then the timestamp.
   *
   * @param starts first offset by bucket
   * @param ends offset after the last, for the same buckets
   * @throws SluiceException what a tablet or the coordinator says
   */
  LogScanner scan(Map<Integer, Long> starts, Map<Integer, Long> ends);
}
