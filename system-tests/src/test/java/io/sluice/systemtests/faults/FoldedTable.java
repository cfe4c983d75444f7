package io.sluice.systemtests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.Connection;
import io.sluice.client.LogScanner;
import io.sluice.client.ScanBatch;
import io.sluice.client.Table;
import io.sluice.format.batch.ChangeType;
import io.sluice.format.row.Row;
import io.sluice.format.row.RowObjects;
import io.sluice.format.schema.TableSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * state-is-fold of a primary-key table with whatever columns: reads its current rows, folds its
 * changelog up to the same offsets and checks on the way that each record fits the row before it.
 */
final class FoldedTable {
  private static final Duration SCAN_TIMEOUT = Duration.ofSeconds(60);

  private final Table table;
  private final TableSchema schema;
  private final List<Integer> keyColumns;
  private final Map<Object, List<Object>> rows = new HashMap<>();
  // By bucket the key of a -U whose +U must be the next record.
  private final Map<Integer, Object> pending = new HashMap<>();

  private FoldedTable(Table table) {
    this.table = table;
    this.schema = table.description().schema();
    this.keyColumns = schema.primaryKey().stream().map(schema::position).toList();
  }

  /** The rows of the table by key, both with their values in column order; fails where they lie. */
  static Map<Object, List<Object>> check(Connection connection, String path) {
    return new FoldedTable(connection.table(path)).check();
  }

  private Map<Object, List<Object>> check() {
    Map<Object, List<Object>> current = new HashMap<>();
    Map<Integer, Long> ends;
    try (LogScanner scanner = table.scan().current().open()) {
      drain(
          scanner,
          batch -> {
            for (Row row : batch.rows()) {
              List<Object> values = values(row);
              assertThat(current.put(key(values), values)).as("seen before: %s", values).isNull();
            }
          });
      ends = scanner.positions();
    }
    try (LogScanner scanner = table.scan().fromEarliest().withChangeType().toOffsets(ends).open()) {
      drain(scanner, this::fold);
    }
    assertThat(pending).as("a -U at the end without its +U").isEmpty();
    assertThat(current).isEqualTo(rows);
    return current;
  }

  private void drain(LogScanner scanner, Consumer<ScanBatch> each) {
    long deadline = System.nanoTime() + SCAN_TIMEOUT.toNanos();
    while (!scanner.finished()) {
      assertThat(System.nanoTime()).as("time left to scan").isLessThan(deadline);
      for (ScanBatch batch : scanner.poll(Duration.ofSeconds(1))) {
        try (batch) {
          each.accept(batch);
        }
      }
    }
  }

  private void fold(ScanBatch batch) {
    int record = 0;
    for (Row row : batch.rows()) {
      ChangeType type = batch.changeTypes().get(record);
      List<Object> values = values(row);
      if (!fold(batch.bucket(), type, values)) {
        throw new AssertionError(
            "Bucket %s offset %s: %s %s cannot come after %s"
                .formatted(
                    batch.bucket(),
                    batch.baseOffset() + record,
                    type,
                    values,
                    rows.get(key(values))));
      }
      record++;
    }
  }

  /** Whether the record fits. */
  private boolean fold(int bucket, ChangeType type, List<Object> values) {
    Object key = key(values);
    List<Object> before = rows.get(key);
    Object updating = pending.remove(bucket);
    if ((type == ChangeType.UPDATE_AFTER) != (updating != null)) {
      return false;
    }
    switch (type) {
      case INSERT -> {
        rows.put(key, values);
        return before == null;
      }
      case UPDATE_BEFORE -> {
        pending.put(bucket, key);
        return values.equals(before);
      }
      case UPDATE_AFTER -> {
        rows.put(key, values);
        return key.equals(updating) && before != null && !values.equals(before);
      }
      case DELETE -> {
        rows.remove(key);
        return values.equals(before);
      }
      default -> {
        return false;
      }
    }
  }

  private List<Object> values(Row row) {
    List<Object> values = new ArrayList<>();
    for (int column = 0; column < schema.size(); column++) {
      values.add(comparable(RowObjects.value(row, column, schema.columns().get(column).type())));
    }
    return values;
  }

  private static @Nullable Object comparable(@Nullable Object value) {
    if (!(value instanceof byte[] bytes)) {
      return value;
    }
    Byte[] boxed = new Byte[bytes.length];
    Arrays.setAll(boxed, i -> bytes[i]);
    return List.of(boxed);
  }

  private Object key(List<Object> values) {
    return keyColumns.stream().map(values::get).toList();
  }
}
