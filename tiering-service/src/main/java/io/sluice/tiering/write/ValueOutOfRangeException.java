package io.sluice.tiering.write;

/** A value that the lake's type cannot hold; the writer adds table, bucket, offset and column. */
final class ValueOutOfRangeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int row;
  private final String value;

  /**
   * @param row position in the vector
   * @param value its text
   * @param why what it does not fit
   */
  ValueOutOfRangeException(int row, Object value, String why) {
    super(why);
    this.row = row;
    this.value = String.valueOf(value);
  }

  int row() {
    return row;
  }

  String value() {
    return value;
  }
}
