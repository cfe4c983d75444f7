package io.sluice.bench.harness;

import io.sluice.bench.harness.BenchSchema.BenchColumn;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A product that keeps rows in maps; it can be told to lose writes, refuse them or be down. */
final class MemoryKeyedProduct implements KeyedProductClient {
  final Map<String, Map<Long, Object[]>> tables = new HashMap<>();
  final Map<String, Long> changes = new HashMap<>();
  long loseEvery;
  long failEvery;
  long repeatChangesEvery;

  /** So many lookups and flushes fail first. */
  int down;

  private synchronized boolean isDown() {
    return down-- > 0;
  }

  @Override
  public synchronized void createTable(TargetTable table) {
    tables.put(table.name(), new HashMap<>());
    changes.put(table.name(), 0L);
  }

  @Override
  public synchronized void dropTable(TargetTable table) {
    tables.remove(table.name());
  }

  private synchronized void store(
      TargetTable table, RowRing ring, int[] columns, long key, long number) {
    Map<Long, Object[]> rows = tables.get(table.name());
    changes.merge(table.name(), rows.containsKey(key) ? 2L : 1L, Long::sum);
    Object[] row = rows.computeIfAbsent(key, k -> new Object[ring.schema().size()]);
    for (int column : columns) {
      Object value = ring.value(column, key, number);
      row[column] = merged(ring.schema().columns().get(column), row[column], value);
    }
  }

  private static Object merged(BenchColumn column, @Nullable Object before, Object value) {
    if (before == null) {
      return value;
    }
    return switch (column.aggregate()) {
      case BenchSchema.SUM -> (Long) before + (Long) value;
      case BenchSchema.UNION -> {
        BitSet union = PortableBitmap.decode((byte[]) before);
        union.or(PortableBitmap.decode((byte[]) value));
        yield PortableBitmapTest.arrays(union);
      }
      default -> value;
    };
  }

  @Override
  public KeyedWriter upserts(TargetTable table, RowRing ring, int[] columns, Settings settings) {
    return new KeyedWriter() {
      private long written;
      private long failed;

      @Override
      public void upsert(long key, long number) {
        written++;
        if (failEvery > 0 && written % failEvery == 0) {
          failed++;
        } else if (loseEvery == 0 || key % loseEvery != 0) {
          store(table, ring, columns, key, number);
        }
      }

      @Override
      public void flush() {
        failed += isDown() ? 1 : 0;
      }

      @Override
      public long failed() {
        return failed;
      }

      @Override
      public void close() {}
    };
  }

  private synchronized Object @Nullable [] find(TargetTable table, long row) {
    return tables.get(table.name()).get(row);
  }

  @Override
  public KeyedReader lookups(TargetTable table, Settings settings) {
    if (isDown()) {
      throw new IllegalStateException("down");
    }
    return new KeyedReader() {
      @Override
      public CompletableFuture<Long> sum(long number) {
        if (isDown()) {
          return CompletableFuture.failedFuture(new IllegalStateException("down"));
        }
        ReadSum sum = ReadSum.plain();
        int rows = table.schema().grouped() ? BenchSchema.GROUP_ROWS : 1;
        for (long row = number * rows; row < (number + 1) * rows; row++) {
          Object[] found = find(table, row);
          for (int column = 0; found != null && column < found.length; column++) {
            sum.value(found[column]);
          }
        }
        return CompletableFuture.completedFuture(sum.sum());
      }

      @Override
      public CompletableFuture<Object[]> row(long number) {
        Object[] found = find(table, number);
        return CompletableFuture.completedFuture(found == null ? new Object[0] : found.clone());
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public RowReader changelog(TargetTable table, Settings settings) {
    long start = storedRows(table);
    return new RowReader() {
      private long position = start;

      @Override
      public int poll(Duration timeout, ReadSum sum) {
        int read = 0;
        for (; position < storedRows(table); position++) {
          read += repeatChangesEvery > 0 && position % repeatChangesEvery == 0 ? 2 : 1;
        }
        return read;
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public synchronized long storedRows(TargetTable table) {
    return changes.get(table.name());
  }

  @Override
  public RowWriter writer(TargetTable table, RowRing ring, Settings settings) {
    throw new UnsupportedOperationException();
  }

  @Override
  public RowReader reader(TargetTable table, int[] columns, ReadForm form, Settings settings) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long storedBytes(TargetTable table) {
    return -1;
  }

  @Override
  public void close() {}
}
