package io.sluice.tablet.kv.merge;

import io.sluice.format.row.Row;

/** The smallest or the largest value, see {@link RowOrder}; of equal ones the first. */
final class ExtremeFunction extends NullIgnoringFunction {
  private final RowOrder order;
  private final int wanted;

  private ExtremeFunction(MergedColumn column, int wanted) {
    super(column.position());
    this.order = RowOrder.of(column.column().type());
    this.wanted = wanted;
  }

  static ExtremeFunction min(MergedColumn column) {
    return new ExtremeFunction(column, -1);
  }

  static ExtremeFunction max(MergedColumn column) {
    return new ExtremeFunction(column, 1);
  }

  @Override
  Row combine(Row before, Row put, OwnValues own) {
    return Integer.signum(order.compare(put, before, column)) == wanted ? put : before;
  }
}
