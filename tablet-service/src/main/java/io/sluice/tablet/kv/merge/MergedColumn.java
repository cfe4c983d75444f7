package io.sluice.tablet.kv.merge;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.merge.FieldAggregate;
import io.sluice.format.schema.Column;

/**
 * A column that is aggregated.
 *
 * @param position of the column in the rows
 */
record MergedColumn(int position, Column column, FieldAggregate aggregate) {

  /** The column and its function, for messages. */
  String name() {
    return "column '"
        + column.name()
        + "' ("
        + column.type()
        + ", "
        + aggregate.function().text()
        + ")";
  }

  /** Whether a result that leaves the range of the type becomes the nearest value in it. */
  boolean saturates() {
    return aggregate.saturate();
  }

  /** The refusal of a put whose result leaves the range of the type. */
  SluiceException overflow(Object before, Object put) {
    return new SluiceException(
        ErrorCode.AGGREGATE_OVERFLOW,
        "The result of "
            + put
            + " put to "
            + before
            + " in "
            + name()
            + " does not fit; the row stays as it is. With fields."
            + column.name()
            + ".agg.on-overflow = saturate it would become the nearest value that fits");
  }
}
