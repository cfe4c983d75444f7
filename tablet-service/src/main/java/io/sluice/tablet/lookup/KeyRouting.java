package io.sluice.tablet.lookup;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.format.bucket.BucketFunction;
import io.sluice.format.bucket.KeyPrefix;
import io.sluice.format.row.KeyEncoder;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import io.sluice.tablet.replica.HostedTable;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.VectorSchemaRoot;

/** Where the rows of a table's keys are. One owner, not thread-safe. */
public final class KeyRouting {
  private final TableSchema keySchema;
  private final KeyEncoder encoder;
  private final BucketFunction buckets;
  // Of rows as they are decoded, whose columns may be fewer and in another order.
  private final BucketFunction decodedBuckets;
  private final String what;

  private KeyRouting(
      TableSchema keySchema,
      KeyEncoder encoder,
      BucketFunction buckets,
      BucketFunction decodedBuckets,
      String what) {
    this.keySchema = keySchema;
    this.encoder = encoder;
    this.buckets = buckets;
    this.decodedBuckets = decodedBuckets;
    this.what = what;
  }

  /**
   * The routing of whole keys.
   *
   * @param bucketKey columns that choose the bucket, all of them key columns
   * @throws SluiceException UNSUPPORTED when the table has no primary key
   */
  public static KeyRouting of(
      TablePath path, TableSchema schema, List<String> bucketKey, int bucketCount) {
    if (schema.primaryKey().isEmpty()) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED,
          "Table " + path + " is a log table, without a primary key to look rows up by");
    }
    List<Column> columns = new ArrayList<>();
    schema.primaryKey().forEach(name -> columns.add(schema.column(name)));
    TableSchema keys = new TableSchema(schema.schemaId(), columns, schema.primaryKey());
    List<String> routed = bucketKey.isEmpty() ? keys.primaryKey() : bucketKey;
    BucketFunction buckets = BucketFunction.of(keys, routed, bucketCount);
    return new KeyRouting(keys, KeyEncoder.of(keys), buckets, buckets, "key");
  }

  /**
   * The routing of prefixes of keys: the key columns are the partition columns and the bucket key.
   *
   * @param bucketKey columns that choose the bucket, empty for all key columns but those of the
   *     partition
   * @throws SluiceException UNSUPPORTED when the table has no prefix lookups
   */
  public static KeyRouting ofPrefixes(
      TablePath path,
      TableSchema schema,
      List<String> partitionKeys,
      List<String> bucketKey,
      int bucketCount) {
    KeyPrefix prefix = KeyPrefix.of(path, schema, partitionKeys, bucketKey);
    // A bucket key that is not given would be the rest of the key, which has no prefix.
    return new KeyRouting(
        prefix.schema(),
        prefix.encoder(),
        BucketFunction.of(prefix.schema(), bucketKey, bucketCount),
        BucketFunction.of(prefix.encodedSchema(), bucketKey, bucketCount),
        "prefix");
  }

  static KeyRouting of(HostedTable table) {
    return of(table.path(), table.schema(), table.bucketKey(), table.bucketCount());
  }

  static KeyRouting ofPrefixes(HostedTable table) {
    return ofPrefixes(
        table.path(),
        table.schema(),
        table.partitionKeys(),
        table.bucketKey(),
        table.bucketCount());
  }

  /** The key columns in key order. */
  public TableSchema keySchema() {
    return keySchema;
  }

  /** Encodes rows of the key columns. */
  public KeyEncoder encoder() {
    return encoder;
  }

  /** The buckets of rows of the key columns; see {@link BucketFunction#buckets}. */
  public void buckets(VectorSchemaRoot keys, int[] target) {
    buckets.buckets(keys, target);
  }

  /**
   * Checks that an encoded key, or prefix, may have rows in the bucket.
   *
   * @throws SluiceException INVALID_VALUE when it is none of the table, INVALID_ARGUMENT when its
   *     rows would be in another bucket
   */
  void check(byte[] key, int bucket) {
    int own = decodedBuckets.bucket(encoder.decode(key));
    if (own != bucket) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "A "
              + what
              + " belongs to bucket "
              + own
              + " of "
              + buckets.bucketCount()
              + ", not to bucket "
              + bucket);
    }
  }
}
