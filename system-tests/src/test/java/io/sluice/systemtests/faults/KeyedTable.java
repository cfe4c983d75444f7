package io.sluice.systemtests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.Connection;
import io.sluice.client.LogScanner;
import io.sluice.client.Scan;
import io.sluice.client.ScanBatch;
import io.sluice.client.Table;
import io.sluice.client.TableSpec;
import io.sluice.common.TablePath;
import io.sluice.format.batch.ChangeType;
import io.sluice.format.row.Row;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A primary-key table whose changelog and current rows are read with every check there is. */
final class KeyedTable {
  private static final Duration SCAN_TIMEOUT = Duration.ofSeconds(60);

  private final String path;

  private KeyedTable(String path) {
    this.path = path;
  }

  /** Creates the table, in a database that is made where missing. */
  static KeyedTable create(Connection connection, String database, String table, int buckets) {
    connection.admin().createDatabase(database, true);
    KeyedTable created = new KeyedTable(database + "." + table);
    connection
        .admin()
        .createTable(
            TableSpec.of(created.path)
                .requiredColumn("id", "BIGINT")
                .column("left_text", "STRING")
                .column("right_text", "STRING")
                .column("number", "BIGINT")
                .primaryKey("id")
                .buckets(buckets)
                .build());
    return created;
  }

  Table open(Connection connection) {
    return connection.table(path);
  }

  /** Removes the table. */
  void drop(Connection connection) {
    connection.admin().dropTable(TablePath.parse(path), false);
  }

  /**
   * Rows, and how often each operation changed one.
   *
   * @param rows by key
   * @param positions the offset of each bucket that they belong to
   * @param writes by the number of the operation
   */
  record State(Map<Long, KeyedRow> rows, Map<Integer, Long> positions, Map<Long, Integer> writes) {}

  /** The current rows, with the offsets they belong to. */
  State readCurrent(Connection connection) {
    Map<Long, KeyedRow> rows = new HashMap<>();
    try (LogScanner scanner = open(connection).scan().current().open()) {
      drain(
          scanner,
          batch -> {
            for (Row row : batch.rows()) {
              assertThat(rows.put(row.getLong(0), KeyedRow.read(row)))
                  .as("row of key %s, seen before in the same scan", row.getLong(0))
                  .isNull();
            }
          });
      return new State(rows, scanner.positions(), Map.of());
    }
  }

  /**
   * Folds the changelog from its beginning to these offsets and checks on the way that offsets grow
   * (puts that change nothing leave holes) and that every record fits the row before it.
   */
  State fold(Connection connection, Map<Integer, Long> ends) {
    Scan scan = open(connection).scan().fromEarliest().withChangeType().toOffsets(ends);
    Fold fold = new Fold();
    try (LogScanner scanner = scan.open()) {
      drain(scanner, fold::add);
    }
    assertThat(fold.pending).as("a -U at the end without its +U").isEmpty();
    return new State(fold.rows, ends, fold.writes);
  }

  private void drain(LogScanner scanner, Consumer<ScanBatch> each) {
    long deadline = System.nanoTime() + SCAN_TIMEOUT.toNanos();
    while (!scanner.finished()) {
      assertThat(System.nanoTime()).as("time left to scan %s", path).isLessThan(deadline);
      for (ScanBatch batch : scanner.poll(Duration.ofSeconds(1))) {
        try (batch) {
          each.accept(batch);
        }
      }
    }
  }

  private static final class Fold {
    final Map<Long, KeyedRow> rows = new HashMap<>();
    final Map<Integer, Long> next = new HashMap<>();
    final Map<Long, Integer> writes = new HashMap<>();
    // By bucket the key of a -U whose +U must be the next record.
    final Map<Integer, Long> pending = new HashMap<>();

    void add(ScanBatch batch) {
      assertThat(batch.baseOffset())
          .as("bucket %s goes on", batch.bucket())
          .isGreaterThanOrEqualTo(next.getOrDefault(batch.bucket(), 0L));
      next.put(batch.bucket(), batch.nextOffset());
      int record = 0;
      for (Row row : batch.rows()) {
        try {
          add(batch.bucket(), batch.changeTypes().get(record), row.getLong(0), KeyedRow.read(row));
        } catch (AssertionError e) {
          throw new AssertionError(
              "Bucket " + batch.bucket() + " offset " + (batch.baseOffset() + record), e);
        }
        record++;
      }
    }

    private void add(int bucket, ChangeType type, long key, KeyedRow row) {
      Long updating = pending.remove(bucket);
      KeyedRow before = rows.get(key);
      require((type == ChangeType.UPDATE_AFTER) == (updating != null), type, key, row, before);
      switch (type) {
        case INSERT -> {
          require(before == null, type, key, row, before);
          put(key, KeyedRow.EMPTY, row);
        }
        case UPDATE_BEFORE -> {
          require(row.equals(before), type, key, row, before);
          pending.put(bucket, key);
        }
        case UPDATE_AFTER -> {
          require(before != null && updating == key, type, key, row, before);
          require(!row.equals(before), type, key, row, before);
          put(key, before, row);
        }
        case DELETE -> {
          require(row.equals(before), type, key, row, before);
          rows.remove(key);
        }
        case APPEND -> require(false, type, key, row, before);
      }
    }

    private static void require(
        boolean good, ChangeType type, long key, KeyedRow row, @Nullable KeyedRow before) {
      if (!good) {
        throw new AssertionError(
            type + " of key " + key + " with " + row + " cannot come after " + before);
      }
    }

    private void put(long key, KeyedRow before, KeyedRow after) {
      rows.put(key, after);
      long operation = after.operationSince(before);
      if (operation >= 0) {
        writes.merge(operation, 1, Integer::sum);
      }
    }
  }
}
