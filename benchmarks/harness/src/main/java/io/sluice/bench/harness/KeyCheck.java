package io.sluice.bench.harness;

import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * What a table must hold under some of its keys, by a model that is told of every write: an upsert
 * replaces the columns that it has, adds to sums and unites bitmaps. Not thread-safe.
 */
final class KeyCheck {
  /** So many keys, evenly over all. */
  private static final long KEYS = 500;

  private static final long ANSWER_SECONDS = 60;

  private final RowRing ring;
  private final List<BenchSchema.BenchColumn> columns;
  private final long keys;
  private final long stride;
  private final Map<Long, Object[]> rows = new HashMap<>();

  private KeyCheck(RowRing ring, long keys) {
    this.ring = ring;
    this.columns = ring.schema().columns();
    this.keys = keys;
    this.stride = Math.max(1, keys / KEYS);
  }

  /** Of a table without rows that will have so many keys. */
  static KeyCheck ofEmptyTable(RowRing ring, long keys) {
    return new KeyCheck(ring, keys);
  }

  /** Of a table as it is: whatever it has is right. */
  static KeyCheck ofTable(RowRing ring, long keys, KeyedReader reader) throws Exception {
    KeyCheck check = new KeyCheck(ring, keys);
    check
        .read(reader)
        .forEach(
            (key, row) -> {
              if (row.length > 0) {
                check.rows.put(key, row);
              }
            });
    return check;
  }

  /** A row with this key has been written. */
  void written(int[] written, long key, long number) {
    if (key % stride != 0) {
      return;
    }
    Object[] row = rows.computeIfAbsent(key, k -> new Object[columns.size()]);
    for (int column : written) {
      Object value = comparable(ring.value(column, key, number));
      Object before = row[column];
      row[column] =
          before != null && columns.get(column).aggregates() ? combined(before, value) : value;
    }
  }

  private static Object combined(Object before, Object value) {
    if (value instanceof BitSet added) {
      BitSet union = (BitSet) ((BitSet) before).clone();
      union.or(added);
      return union;
    }
    return (Long) before + (Long) value;
  }

  private static Object comparable(Object value) {
    return value instanceof byte[] bytes ? PortableBitmap.decode(bytes) : value;
  }

  private Map<Long, Object[]> read(KeyedReader reader) throws Exception {
    Map<Long, CompletableFuture<Object[]>> answers = new LinkedHashMap<>();
    for (long key = 0; key < keys; key += stride) {
      answers.put(key, reader.row(key));
    }
    Map<Long, Object[]> read = new LinkedHashMap<>();
    for (var answer : answers.entrySet()) {
      Object[] row = answer.getValue().get(ANSWER_SECONDS, TimeUnit.SECONDS);
      for (int column = 0; column < row.length; column++) {
        row[column] = row[column] == null ? null : comparable(row[column]);
      }
      read.put(answer.getKey(), row);
    }
    return read;
  }

  /**
   * Reads the rows and compares them.
   *
   * @throws IllegalStateException when one of them is not as it was written
   */
  void compare(KeyedReader reader, String table) throws Exception {
    for (var read : read(reader).entrySet()) {
      if (isWrong(read)) {
        throw new IllegalStateException(
            "Row %d of %s is %s; it was written as %s"
                .formatted(
                    read.getKey(),
                    table,
                    Arrays.toString(read.getValue()),
                    Arrays.toString(expected(read.getKey()))));
      }
    }
  }

  /** Reads the rows and counts those that are not as they were written. */
  long countWrong(KeyedReader reader) throws Exception {
    return read(reader).entrySet().stream().filter(this::isWrong).count();
  }

  private boolean isWrong(Map.Entry<Long, Object[]> read) {
    return !Arrays.equals(read.getValue(), expected(read.getKey()));
  }

  private Object[] expected(long key) {
    return rows.getOrDefault(key, new Object[0]);
  }
}
