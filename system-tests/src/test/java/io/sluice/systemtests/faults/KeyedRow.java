package io.sluice.systemtests.faults;

import io.sluice.format.row.Row;
import org.jspecify.annotations.Nullable;

/**
 * The columns beside the key of a row of {@link KeyedTable}. Every upsert writes its own number
 * into all of its columns, so that a value says which operation wrote it.
 *
 * @param left column {@code left_text}, alone in a column set of partial updates
 * @param right column {@code right_text}, of the other set
 * @param number column {@code number}, of the same set
 */
record KeyedRow(@Nullable String left, @Nullable String right, @Nullable Long number) {
  static final KeyedRow EMPTY = new KeyedRow(null, null, null);

  /** The row that an operation upserts whole. */
  static KeyedRow of(long operation) {
    return new KeyedRow("l" + operation, "r" + operation, operation);
  }

  static KeyedRow read(Row row) {
    return new KeyedRow(
        row.isNull(1) ? null : row.getString(1),
        row.isNull(2) ? null : row.getString(2),
        row.isNull(3) ? null : row.getLong(3));
  }

  Row withKey(long key) {
    return Row.of(key, left, right, number);
  }

  KeyedRow withLeft(@Nullable String newLeft) {
    return new KeyedRow(newLeft, right, number);
  }

  KeyedRow withRight(KeyedRow other) {
    return new KeyedRow(left, other.right, other.number);
  }

  /** The operation whose values this row has and the one before has not, -1 for none. */
  long operationSince(KeyedRow before) {
    long fromLeft = left == null || left.equals(before.left) ? -1 : number(left);
    long fromRight = right == null || right.equals(before.right) ? -1 : number(right);
    long fromNumber = number == null || number.equals(before.number) ? -1 : number;
    if (fromRight != fromNumber || (fromLeft >= 0 && fromRight >= 0 && fromLeft != fromRight)) {
      throw new AssertionError(this + " mixes several operations after " + before);
    }
    return Math.max(fromLeft, fromRight);
  }

  private static long number(String text) {
    return Long.parseLong(text.substring(1));
  }
}
