package io.sluice.tablet.kv.merge;

import io.sluice.format.merge.MergeRules;
import io.sluice.format.row.Row;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Every column but the key has a function. Values that a put does not give change nothing; a new
 * row has what the functions make of its first values.
 */
final class AggregationMerger implements RowMerger {
  private final @Nullable ColumnFunction[] functions;
  private final Row[] sources;
  private final AggregatedRow result;
  private final OwnValues own;

  AggregationMerger(TableSchema schema, MergeRules rules) {
    this.functions = new @Nullable ColumnFunction[schema.size()];
    this.own = new OwnValues(schema.size());
    this.sources = new Row[schema.size()];
    this.result = new AggregatedRow(sources);
    RoaringUnion bitmaps = new RoaringUnion();
    for (int i = 0; i < functions.length; i++) {
      Column column = schema.columns().get(i);
      sources[i] = own;
      if (!schema.primaryKey().contains(column.name())) {
        MergedColumn merged = new MergedColumn(i, column, rules.aggregate(i));
        functions[i] = ColumnFunction.of(merged, bitmaps);
      }
    }
  }

  @Override
  public @Nullable Row merge(@Nullable Row before, Row put, BitSet written) {
    return before == null ? first(put, written) : next(before, put, written);
  }

  private Row first(Row put, BitSet written) {
    for (int i = 0; i < functions.length; i++) {
      ColumnFunction function = functions[i];
      sources[i] = function == null ? put : function.first(put, written.get(i), own);
    }
    return result;
  }

  private @Nullable Row next(Row before, Row put, BitSet written) {
    boolean changed = false;
    for (int i = 0; i < functions.length; i++) {
      ColumnFunction function = functions[i];
      Row source = before;
      if (function != null && written.get(i)) {
        source = function.merge(before, put, own);
        changed |= source != before;
      }
      sources[i] = source;
    }
    return changed ? result : null;
  }

  @Override
  public boolean isPlain() {
    return false;
  }
}
