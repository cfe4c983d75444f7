package io.sluice.tablet.kv.merge;

import io.sluice.format.row.Row;
import io.sluice.format.schema.DataType.IntegerType;

/** The range of an integer column, and what becomes of results outside of it. */
final class IntegerRange {
  private final MergedColumn column;
  private final long min;
  private final long max;

  IntegerRange(MergedColumn column) {
    this.column = column;
    int bits = ((IntegerType) column.column().type()).bits();
    this.min = Long.MIN_VALUE >> 64 - bits;
    this.max = Long.MAX_VALUE >> 64 - bits;
  }

  /** The sum as the column has it. */
  long sum(long before, long put) {
    long result = before + put;
    boolean wrapped = ((before ^ result) & (put ^ result)) < 0;
    return wrapped ? outside(before, put, put < 0) : fitting(result, before, put);
  }

  /** The product as the column has it. */
  long product(long before, long put) {
    long result = before * put;
    boolean wrapped = Math.multiplyHigh(before, put) != result >> 63;
    return wrapped ? outside(before, put, before < 0 != put < 0) : fitting(result, before, put);
  }

  private long fitting(long result, long before, long put) {
    return result < min || result > max ? outside(before, put, result < 0) : result;
  }

  private long outside(long before, long put, boolean negative) {
    if (!column.saturates()) {
      throw column.overflow(before, put);
    }
    return negative ? min : max;
  }

  /** The row that has the result. */
  Row choose(Row before, long old, long result, OwnValues own) {
    return result == old ? before : own.setLong(column.position(), result);
  }
}
