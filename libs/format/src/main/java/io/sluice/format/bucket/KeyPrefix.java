package io.sluice.format.bucket;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.format.row.KeyEncoder;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The beginning of a table's primary key that many rows share and that says where they are: the
 * partition columns and the bucket key. Its rows lie side by side in one bucket, because the bucket
 * key is the first part of the rest of the primary key. Immutable.
 *
 * @param schema the columns that a caller gives: the partition columns in their order, then the
 *     bucket key
 * @param encoded names of the columns with which the row keys begin, in key order
 */
public record KeyPrefix(TableSchema schema, List<String> encoded) {
  public KeyPrefix {
    encoded = List.copyOf(encoded);
  }

  /**
   * The prefix of a table.
   *
   * @param bucketKey names of the bucket columns in order, empty for all key columns but those of
   *     the partition
   * @throws SluiceException UNSUPPORTED, saying what the table would need, when it has no primary
   *     key or its bucket key is not the first part of it
   */
  public static KeyPrefix of(
      TablePath path, TableSchema schema, List<String> partitionKeys, List<String> bucketKey) {
    List<String> rest = new ArrayList<>(schema.primaryKey());
    rest.removeAll(partitionKeys);
    List<String> buckets = bucketKey.isEmpty() ? rest : bucketKey;
    if (rest.isEmpty()) {
      throw unsupported(
          path,
          schema.primaryKey().isEmpty()
              ? "it is a log table, without a primary key"
              : "its primary key has the columns of the partition alone. Look whole keys up");
    }
    if (rest.size() == 1) {
      throw unsupported(
          path,
          "its primary key has one column, "
              + rest.get(0)
              + (partitionKeys.isEmpty() ? "" : ", beside those of the partition")
              + "; a prefix of it must be shorter than the key. Look whole keys up");
    }
    if (buckets.size() >= rest.size() || !rest.subList(0, buckets.size()).equals(buckets)) {
      throw unsupported(
          path,
          "its bucket key is ("
              + String.join(", ", buckets)
              + "), which is not a first part of the primary key ("
              + String.join(", ", rest)
              + "). Look whole keys up, or create the table with for example 'bucket.key' = '"
              + rest.get(0)
              + "'");
    }
    Set<String> given = new LinkedHashSet<>(partitionKeys);
    given.addAll(buckets);
    List<Column> columns = given.stream().map(schema::column).toList();
    return new KeyPrefix(
        new TableSchema(schema.schemaId(), columns, List.copyOf(given)),
        schema.primaryKey().stream().takeWhile(given::contains).toList());
  }

  private static SluiceException unsupported(TablePath path, String why) {
    return new SluiceException(
        ErrorCode.UNSUPPORTED, "Table " + path + " has no prefix lookups: " + why);
  }

  /** Encodes rows of {@link #schema} as the beginnings of row keys. */
  public KeyEncoder encoder() {
    return KeyEncoder.of(schema, encoded);
  }

  /** The columns of {@link #encoded}, which the encoded bytes decode to. */
  public TableSchema encodedSchema() {
    return new TableSchema(
        schema.schemaId(), encoded.stream().map(schema::column).toList(), encoded);
  }

  /** The columns and types, for messages. */
  public String shown() {
    List<String> shown = new ArrayList<>();
    schema.columns().forEach(column -> shown.add(column.name() + " " + column.type()));
    return "(" + String.join(", ", shown) + ")";
  }
}
