package io.sluice.tablet.lookup;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.format.bucket.BucketFunction;
import io.sluice.format.row.KeyEncoder;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.VectorSchemaRoot;

/** Where the rows of a table's keys are. One owner, not thread-safe. */
public final class KeyRouting {
  private final TableSchema keySchema;
  private final KeyEncoder encoder;
  private final BucketFunction buckets;

  private KeyRouting(TableSchema keySchema, List<String> bucketKey, int bucketCount) {
    this.keySchema = keySchema;
    this.encoder = KeyEncoder.of(keySchema);
    this.buckets =
        BucketFunction.of(
            keySchema, bucketKey.isEmpty() ? keySchema.primaryKey() : bucketKey, bucketCount);
  }

  /**
   * The routing of a table.
   *
   * @param bucketKey columns that choose the bucket, all of them key columns
   * @throws SluiceException UNSUPPORTED when it has no primary key
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
    return new KeyRouting(
        new TableSchema(schema.schemaId(), columns, schema.primaryKey()), bucketKey, bucketCount);
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
   * Checks that an encoded key may have a row in the bucket.
   *
   * @throws SluiceException INVALID_VALUE when it is no key of the table, INVALID_ARGUMENT when its
   *     row would be in another bucket
   */
  void check(byte[] key, int bucket) {
    int own = buckets.bucket(encoder.decode(key));
    if (own != bucket) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "A key belongs to bucket "
              + own
              + " of "
              + buckets.bucketCount()
              + ", not to bucket "
              + bucket);
    }
  }
}
