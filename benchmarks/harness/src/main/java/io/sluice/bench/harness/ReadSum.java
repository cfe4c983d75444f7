package io.sluice.bench.harness;

import java.util.Arrays;

/**
 * Takes every value that a reader reads, so that no product gets away with less, and adds them up
 * to a sum that does not depend on the order of the rows: numbers whole, texts by length and first
 * byte. On request it keeps when each row arrived. Not thread-safe.
 */
public final class ReadSum {
  private static final int TEXT_FACTOR = 31;
  private static final long[] NO_ARRIVALS = {};

  private final long[] arrivals;
  private long sum;
  private long arrivalNanos;

  private ReadSum(long[] arrivals) {
    this.arrivals = arrivals;
  }

  /** Only adds up. */
  public static ReadSum plain() {
    return new ReadSum(NO_ARRIVALS);
  }

  /** Also keeps the arrival of the rows 0 to {@code rows - 1}. */
  public static ReadSum withArrivals(int rows) {
    long[] arrivals = new long[rows];
    Arrays.fill(arrivals, Long.MIN_VALUE);
    return new ReadSum(arrivals);
  }

  /** The rows that follow have arrived now. Once for what one poll of the client returned. */
  public void arrived() {
    if (arrivals.length > 0) {
      arrivalNanos = System.nanoTime();
    }
  }

  /** The first column, the number of the row; counts like any other number. */
  public void id(long value) {
    sum += value;
    if (value < arrivals.length) {
      arrivals[(int) value] = arrivalNanos;
    }
  }

  /** A number. */
  public void number(long value) {
    sum += value;
  }

  /** A text as bytes. */
  public void text(int length, byte first) {
    sum += (long) length * TEXT_FACTOR + first;
  }

  /** A text of ASCII characters, which all generated texts are. */
  public void text(String value) {
    text(value.length(), value.isEmpty() ? 0 : (byte) value.charAt(0));
  }

  /** A value as it stands in a {@link RowRing}. */
  public void value(Object value) {
    if (value instanceof Integer integer) {
      number(integer);
    } else if (value instanceof Long bigint) {
      number(bigint);
    } else if (value instanceof String text) {
      text(text);
    } else {
      bytes((byte[]) value);
    }
  }

  /** Bytes: like a text. */
  public void bytes(byte[] value) {
    text(value.length, value.length == 0 ? 0 : value[0]);
  }

  /** The sum so far. */
  public long sum() {
    return sum;
  }

  /** When each row arrived, by {@link System#nanoTime}; {@link Long#MIN_VALUE} = not yet. */
  long[] arrivals() {
    return arrivals;
  }
}
