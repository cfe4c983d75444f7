package io.sluice.tablet.kv;

import io.sluice.format.row.NestedConversion;
import io.sluice.format.row.Row;
import org.jspecify.annotations.Nullable;

/**
 * The row after a put, in the current schema: columns that the put names come from it, the others
 * from the row before, or are their write defaults in a new row. A cursor: {@link #of} shows the
 * next pair.
 */
final class MergedRow extends DelegatingRow {
  private final PutMapping mapping;
  private @Nullable Row put;
  private @Nullable Row before;
  private boolean clearing;
  private Row id = Row.of(0L);

  MergedRow(PutMapping mapping) {
    this.mapping = mapping;
  }

  /** Sets what new rows have in the auto-increment column. */
  void nextId(long value) {
    id = Row.of(value);
  }

  /**
   * The row after an upsert.
   *
   * @param putRow in the shape of the put
   * @param rowBefore in the current schema, null when there is none
   */
  MergedRow of(Row putRow, @Nullable Row rowBefore) {
    put = putRow;
    before = rowBefore;
    clearing = false;
    return this;
  }

  /** The row after a partial delete: the named columns but the key become NULL. */
  MergedRow cleared(Row rowBefore) {
    put = null;
    before = rowBefore;
    clearing = true;
    return this;
  }

  @Override
  public int columnCount() {
    return mapping.columnCount();
  }

  @Override
  @Nullable Row source(int column) {
    if (!mapping.writes(column)) {
      if (before != null) {
        return before;
      }
      return column == mapping.idColumn() ? id : mapping.defaults();
    }
    if (clearing) {
      return mapping.isKey(column) ? before : null;
    }
    return put;
  }

  @Override
  int position(int column) {
    if (mapping.writes(column)) {
      return clearing ? column : mapping.position(column);
    }
    return before == null && column == mapping.idColumn() ? 0 : column;
  }

  @Override
  @Nullable NestedConversion conversion(int column) {
    return mapping.writes(column) && !clearing ? mapping.conversion(column) : null;
  }
}
