package io.sluice.client.internal;

import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.bucket.BucketFunction;
import io.sluice.format.bucket.KeyPrefix;
import io.sluice.format.row.KeyEncoder;
import io.sluice.format.row.Row;
import io.sluice.format.schema.TableSchema;

/**
 * The prefixes by which the rows of one table are looked up: checks them, encodes them, finds their
 * buckets. Thread-safe.
 */
final class PrefixKeys {
  private final TableDescription table;
  private final KeyPrefix prefix;
  private final KeyEncoder encoder;

  // Guarded by this.
  private final BucketFunction buckets;

  /**
   * @throws SluiceException UNSUPPORTED when the table has no prefix lookups
   */
  PrefixKeys(TableDescription table) {
    this.table = table;
    this.prefix =
        KeyPrefix.of(table.path(), table.schema(), table.partitionKeys(), table.bucketKey());
    this.encoder = prefix.encoder();
    this.buckets =
        BucketFunction.of(prefix.schema(), TableKeys.bucketKey(table), table.bucketCount());
  }

  /** The columns of a prefix in their order. */
  TableSchema schema() {
    return prefix.schema();
  }

  /**
   * The beginning of row keys. INVALID_VALUE naming the columns when the values do not fit them.
   */
  byte[] encode(Row given) {
    if (given.columnCount() != schema().size()) {
      throw new SluiceException(
          ErrorCode.INVALID_VALUE,
          "The prefix has "
              + given.columnCount()
              + " values; a prefix of the keys of "
              + table.path()
              + " is "
              + prefix.shown());
    }
    try {
      return encoder.encode(given);
    } catch (SluiceException e) {
      throw new SluiceException(
          ErrorCode.INVALID_VALUE,
          "The prefix does not fit the keys of "
              + table.path()
              + ", "
              + prefix.shown()
              + ": "
              + e.getMessage(),
          e.details(),
          e);
    }
  }

  /** The bucket of a prefix that {@link #encode} has accepted. */
  synchronized int bucket(Row given) {
    return buckets.bucket(given);
  }
}
