package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.bucket.BucketFunction;
import io.sluice.format.row.KeyEncoder;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which columns the rows of a put have, all of which it writes, and what its deletes do. Made once
 * for a stream of puts. Immutable.
 */
public final class PutShape {
  private static final int NO_COLUMN = -1;

  private final TableSchema rows;
  private final boolean partial;
  private final KeyEncoder keys;
  private final List<String> bucketKey;
  private final int bucketCount;

  private PutShape(TableSchema rows, boolean partial, List<String> bucketKey, int bucketCount) {
    this.rows = rows;
    this.partial = partial;
    this.keys = KeyEncoder.of(rows);
    this.bucketKey = List.copyOf(bucketKey);
    this.bucketCount = bucketCount;
  }

  /**
   * Puts of whole rows. Columns that were added to the table after this schema keep what they have,
   * and get their write default in a new row.
   *
   * @throws SluiceException INVALID_SCHEMA when the table has no primary key
   */
  public static PutShape full(TableSchema schema) {
    requireKey(schema);
    return new PutShape(schema, false, List.of(), 0);
  }

  /**
   * Puts whose rows have exactly the target columns, in that order. Upserts leave the other columns
   * as they are; deletes set the target columns to NULL and keep the row.
   *
   * @param targetIds column ids, with the key columns among them
   * @throws SluiceException COLUMN_NOT_FOUND; INVALID_ARGUMENT when a key column, or another NOT
   *     NULL column without a write default, is not a target, or a target is named twice
   */
  public static PutShape partial(TableSchema schema, List<Integer> targetIds) {
    return partial(schema, targetIds, NO_COLUMN);
  }

  /**
   * As the other, of a table whose server gives ids: their column need be no target, whether it may
   * be NULL or not, because a new row has a value for it.
   *
   * @param idColumn id of the column that gets the ids
   */
  public static PutShape partial(TableSchema schema, List<Integer> targetIds, int idColumn) {
    requireKey(schema);
    List<Column> targets = targets(schema, targetIds, idColumn);
    TableSchema rows = new TableSchema(schema.schemaId(), targets, schema.primaryKey());
    return new PutShape(rows, true, List.of(), 0);
  }

  /**
   * Puts of whole rows of a table whose server gives ids: the rows have every column but that of
   * the ids, which an upsert leaves as it is. Deletes delete.
   *
   * @param columnIds the ids of the other columns, in the order of the rows
   */
  public static PutShape withoutIds(TableSchema schema, List<Integer> columnIds) {
    requireKey(schema);
    // The column of the ids may be NOT NULL: a new row has a value for it, the server's.
    List<Column> columns = columnIds.stream().map(id -> column(schema, id)).toList();
    TableSchema rows = new TableSchema(schema.schemaId(), columns, schema.primaryKey());
    return new PutShape(rows, false, List.of(), 0);
  }

  /**
   * The same shape, with a check that every row belongs to the bucket it is put into.
   *
   * @param bucketKeyColumns names of the bucket columns in the schema of the put
   * @param buckets number of buckets of the table
   */
  public PutShape routedBy(List<String> bucketKeyColumns, int buckets) {
    return new PutShape(rows, partial, bucketKeyColumns, buckets);
  }

  private static void requireKey(TableSchema schema) {
    if (schema.primaryKey().isEmpty()) {
      throw new SluiceException(
          ErrorCode.INVALID_SCHEMA, "The table has no primary key; append to it instead");
    }
  }

  private static List<Column> targets(TableSchema schema, List<Integer> targetIds, int idColumn) {
    Set<Integer> wanted = new HashSet<>(targetIds);
    if (wanted.size() != targetIds.size()) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT, "Target columns " + targetIds + " name a column twice");
    }
    List<Column> targets = new ArrayList<>();
    for (Integer id : targetIds) {
      targets.add(column(schema, id));
    }
    for (Column column : schema.columns()) {
      if (wanted.contains(column.id()) || column.id() == idColumn) {
        continue;
      }
      if (schema.primaryKey().contains(column.name())) {
        throw refused(column, "it is a key column");
      }
      if (!column.nullable() && column.writeDefault() == null) {
        throw refused(column, "it is NOT NULL, and a new row would have no value for it");
      }
    }
    return targets;
  }

  private static Column column(TableSchema schema, int id) {
    for (Column column : schema.columns()) {
      if (column.id() == id) {
        return column;
      }
    }
    throw new SluiceException(
        ErrorCode.COLUMN_NOT_FOUND,
        "Column id " + id + " does not exist in schema " + schema.schemaId());
  }

  private static SluiceException refused(Column column, String why) {
    return new SluiceException(
        ErrorCode.INVALID_ARGUMENT,
        "Column '" + column.name() + "' must be a target column: " + why);
  }

  /** The columns of the rows, in their order. */
  public TableSchema rows() {
    return rows;
  }

  /** Whether deletes keep the row. */
  public boolean partial() {
    return partial;
  }

  KeyEncoder keys() {
    return keys;
  }

  /** A function of its own for each caller, null when the routing is not to be checked. */
  @Nullable BucketFunction bucketFunction() {
    return bucketCount == 0 ? null : BucketFunction.of(rows, bucketKey, bucketCount);
  }
}
