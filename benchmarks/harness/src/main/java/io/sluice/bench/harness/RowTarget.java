package io.sluice.bench.harness;

/** Takes the values of one row by position. */
public interface RowTarget {
  void setInt(int position, int value);

  void setLong(int position, long value);

  void setString(int position, String value);

  void setBytes(int position, byte[] value);
}
