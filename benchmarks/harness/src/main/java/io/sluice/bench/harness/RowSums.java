package io.sluice.bench.harness;

/** The sums of the rows of a table whose row of each key has the ring's values of that number. */
final class RowSums {
  private final BenchSchema schema;
  private final long[] ofRing;

  RowSums(RowRing ring) {
    this.schema = ring.schema();
    this.ofRing = new long[RowRing.ROWS];
    for (int row = 0; row < RowRing.ROWS; row++) {
      ReadSum sum = ReadSum.plain();
      for (int column = schema.numberedColumns(); column < schema.size(); column++) {
        sum.value(ring.row(row)[column]);
      }
      ofRing[row] = sum.sum();
    }
  }

  /** What a lookup of this number must return: of the row, or of all rows of the group. */
  long of(long number) {
    if (!schema.grouped()) {
      return ofRow(number);
    }
    long sum = 0;
    for (int i = 0; i < BenchSchema.GROUP_ROWS; i++) {
      sum += ofRow(number * BenchSchema.GROUP_ROWS + i);
    }
    return sum;
  }

  private long ofRow(long row) {
    long sum = ofRing[(int) (row % ofRing.length)];
    for (int column = 0; column < schema.numberedColumns(); column++) {
      sum += schema.number(column, row);
    }
    return sum;
  }
}
