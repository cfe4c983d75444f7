package io.sluice.bench.harness;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A product that keeps numbers of rows in lists; it can be told to lose some. */
final class MemoryProduct implements ProductClient {
  final Map<String, List<Long>> tables = new HashMap<>();
  int loseEvery;
  int readTwiceEvery;

  @Override
  public synchronized void createTable(TargetTable table) {
    tables.put(table.name(), new ArrayList<>());
  }

  @Override
  public synchronized void dropTable(TargetTable table) {
    tables.remove(table.name());
  }

  private synchronized void store(TargetTable table, long number) {
    if (loseEvery == 0 || number % loseEvery != 0) {
      tables.get(table.name()).add(number);
    }
  }

  private synchronized List<Long> from(TargetTable table, int position) {
    List<Long> rows = tables.get(table.name());
    return List.copyOf(rows.subList(position, Math.min(rows.size(), position + 100)));
  }

  @Override
  public RowWriter writer(TargetTable table, RowRing ring, Settings settings) {
    return new RowWriter() {
      @Override
      public int write(long number) {
        store(table, number);
        return 1;
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
  }

  @Override
  public RowReader reader(TargetTable table, int[] columns, ReadForm form, Settings settings) {
    return new RowReader() {
      private int position;

      @Override
      public int poll(Duration timeout, ReadSum sum) {
        List<Long> rows = from(table, position);
        sum.arrived();
        int read = 0;
        for (long number : rows) {
          sum.id(number);
          read += readTwiceEvery > 0 && number % readTwiceEvery == 0 ? 2 : 1;
        }
        position += rows.size();
        return read;
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public synchronized long storedRows(TargetTable table) {
    return tables.get(table.name()).size();
  }

  @Override
  public synchronized long storedBytes(TargetTable table) {
    return 10L * tables.get(table.name()).size();
  }

  @Override
  public void close() {}
}
