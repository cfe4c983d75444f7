package io.sluice.tablet.kv.merge;

import io.sluice.format.merge.MergeRules;
import io.sluice.format.row.Row;
import io.sluice.format.schema.TableSchema;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * What a put makes of a row, by the merge engine of the table. One owner, not thread-safe. The
 * rules are described in {@code docs/merge-engines.md}.
 */
public interface RowMerger {

  /**
   * The merger of a table's rows.
   *
   * @param schema the current schema, which the rows given to {@link #merge} follow
   * @param rules of that schema
   */
  static RowMerger of(TableSchema schema, MergeRules rules) {
    return switch (rules.engine()) {
      case LAST_ROW -> new LastRowMerger();
      case FIRST_ROW -> new FirstRowMerger();
      case VERSIONED -> new VersionedMerger(schema, rules.versionColumn());
      case AGGREGATION -> new AggregationMerger(schema, rules);
    };
  }

  /**
   * Merges a put into a row. The result refers to the rows given: it may be used until one of them
   * changes or until the next call. A result may still equal {@code before} (a column that is
   * overwritten with what it has): callers that must not record such a change compare the rows.
   *
   * @param before the row as it is, null when there is none
   * @param put the row that a plain upsert would leave: written columns from the put, the others
   *     from {@code before}, or their write defaults when there is none
   * @param written columns that the put gives a value; an aggregation table aggregates only these
   * @return the new row (perhaps {@code put} itself), null when the put changes nothing
   * @throws io.sluice.common.SluiceException AGGREGATE_OVERFLOW, or INVALID_VALUE for a bitmap that
   *     cannot be read, naming column and value
   */
  @Nullable Row merge(@Nullable Row before, Row put, BitSet written);

  /** Whether the last row wins: {@link #merge} returns {@code put} whatever was before. */
  boolean isPlain();
}
