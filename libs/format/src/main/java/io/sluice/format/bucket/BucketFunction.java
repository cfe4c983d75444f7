package io.sluice.format.bucket;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.ByteAccumulator;
import io.sluice.format.row.KeyEncoder;
import io.sluice.format.row.Row;
import io.sluice.format.row.VectorRow;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import java.util.List;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * The bucket of a row, by its bucket columns; {@code docs/formats/bucketing.md} has the rules and
 * {@code docs/formats/vectors/bucketing.json} test vectors for other languages.
 *
 * <p>One NOT NULL column of a type that Iceberg can bucket: the bucket of Iceberg's transform
 * {@code bucket[N]}. Any other bucket key: Murmur3 of the encoded key. A NULL in any bucket column:
 * bucket 0. Not thread-safe; one per thread.
 */
public final class BucketFunction {
  private final int[] positions;
  private final int bucketCount;
  private final @Nullable IcebergHash iceberg;
  private final KeyEncoder encoder;
  private final ByteAccumulator key = new ByteAccumulator(64);

  private BucketFunction(
      int[] positions, int bucketCount, @Nullable IcebergHash iceberg, KeyEncoder encoder) {
    this.positions = positions;
    this.bucketCount = bucketCount;
    this.iceberg = iceberg;
    this.encoder = encoder;
  }

  /**
   * The function of a table.
   *
   * @param schema the schema of the rows that will be asked for
   * @param bucketKey names of the bucket columns in order, at least one
   * @param bucketCount number of buckets, from 1
   * @throws SluiceException INVALID_OPTION for an empty key or a count below 1, COLUMN_NOT_FOUND,
   *     UNSUPPORTED for ARRAY, MAP and ROW columns
   */
  public static BucketFunction of(TableSchema schema, List<String> bucketKey, int bucketCount) {
    if (bucketKey.isEmpty()) {
      throw new SluiceException(
          ErrorCode.INVALID_OPTION, "bucket.key is empty; rows of such a table go to any bucket");
    }
    if (bucketCount < 1) {
      throw new SluiceException(
          ErrorCode.INVALID_OPTION, "bucket.num is " + bucketCount + "; it must be at least 1");
    }
    int[] positions = new int[bucketKey.size()];
    for (int i = 0; i < positions.length; i++) {
      positions[i] = schema.position(bucketKey.get(i));
    }
    KeyEncoder encoder = KeyEncoder.of(schema, bucketKey);
    Column first = schema.columns().get(positions[0]);
    boolean iceberg =
        positions.length == 1 && !first.nullable() && IcebergHash.supports(first.type());
    return new BucketFunction(
        positions, bucketCount, iceberg ? new IcebergHash(first) : null, encoder);
  }

  /** Whether the buckets are those of Iceberg's {@code bucket[N]} transform of the one column. */
  public boolean isIceberg() {
    return iceberg != null;
  }

  /** Number of buckets. */
  public int bucketCount() {
    return bucketCount;
  }

  /** The bucket of the row, from 0. */
  public int bucket(Row row) {
    for (int position : positions) {
      if (row.isNull(position)) {
        return 0;
      }
    }
    if (iceberg != null) {
      return bucketOf(iceberg.hash(row, positions[0]));
    }
    key.clear();
    encoder.encode(row, key);
    return bucketOf(Murmur3.hash(key.array(), 0, key.length()));
  }

  /**
   * The buckets of all rows of a root.
   *
   * @param root vectors of the schema's Arrow types
   * @param target takes the bucket of each row; at least as long as the root has rows
   */
  public void buckets(VectorSchemaRoot root, int[] target) {
    int rows = root.getRowCount();
    if (iceberg != null) {
      iceberg.hashes(root.getVector(positions[0]), rows, target);
      for (int row = 0; row < rows; row++) {
        target[row] = bucketOf(target[row]);
      }
      return;
    }
    VectorRow cursor = new VectorRow(root);
    for (int row = 0; row < rows; row++) {
      target[row] = bucket(cursor.at(row));
    }
  }

  private int bucketOf(int hash) {
    return (hash & Integer.MAX_VALUE) % bucketCount;
  }
}
