package io.sluice.tablet.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.PrimaryKeyOptions;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.format.merge.MergeRules;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import io.sluice.tablet.kv.PutShape;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which columns the puts of a primary-key table may have by its rules: never the one that gets its
 * values from the table; all others, or some of them where the merge engine takes partial updates.
 * Immutable.
 */
final class PutColumns {
  private final TablePath path;
  private final Map<String, String> options;
  private final MergeRules rules;
  private final @Nullable Column generated;

  private PutColumns(TablePath path, TableSchema schema, Map<String, String> options) {
    this.path = path;
    this.options = options;
    this.rules = MergeRules.of(schema, options);
    int position = rules.autoIncrementColumn();
    this.generated = position < 0 ? null : schema.columns().get(position);
  }

  /**
   * Those of a table.
   *
   * @param schema the current schema: the options have its names
   */
  static PutColumns of(TablePath path, TableSchema schema, Map<String, String> options) {
    return new PutColumns(path, schema, options);
  }

  /**
   * The column that gets its values from the table, as far as that schema has it; null for none.
   *
   * @param schema any schema of the table
   */
  @Nullable Column generatedIn(TableSchema schema) {
    if (generated != null) {
      for (Column column : schema.columns()) {
        if (column.id() == generated.id()) {
          return column;
        }
      }
    }
    return null;
  }

  /**
   * Checks a native put.
   *
   * @param schema the schema of the put
   * @param targetIds its target columns, empty for all
   * @throws SluiceException INVALID_ARGUMENT, UNSUPPORTED or COLUMN_NOT_FOUND, saying what to send
   */
  void check(TableSchema schema, List<Integer> targetIds) {
    Column ids = generatedIn(schema);
    if (ids != null && (targetIds.isEmpty() || targetIds.contains(ids.id()))) {
      throw writesGenerated(ids, "name all other columns as target columns");
    }
    if (targetIds.isEmpty()) {
      return;
    }
    if (ids != null && targetIds.size() == schema.size() - 1) {
      var unused = PutShape.withoutIds(schema, targetIds);
      return;
    }
    requirePartial();
    var unused = partial(schema, targetIds);
  }

  /** The shape of puts of some columns; refused as {@link #check} does. */
  PutShape partial(TableSchema schema, List<Integer> targetIds) {
    Column ids = generatedIn(schema);
    return ids == null
        ? PutShape.partial(schema, targetIds)
        : PutShape.partial(schema, targetIds, ids.id());
  }

  /** Throws UNSUPPORTED when the table takes whole rows only. */
  void requirePartial() {
    if (!rules.takesPartialUpdates()) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED,
          "target_columns is set, but "
              + path
              + " takes whole rows only: "
              + PrimaryKeyOptions.MERGE_ENGINE
              + " is "
              + options.get(PrimaryKeyOptions.MERGE_ENGINE));
    }
  }

  /**
   * The refusal of a put that gives the column values.
   *
   * @param wayOut what to do
   */
  SluiceException writesGenerated(Column column, String wayOut) {
    return new SluiceException(
        ErrorCode.INVALID_ARGUMENT,
        "Column '"
            + column.name()
            + "' of "
            + path
            + " gets its values from the table ("
            + PrimaryKeyOptions.AUTO_INCREMENT
            + "); leave it out: "
            + wayOut);
  }
}
