package io.sluice.systemtests.replicated;

import io.sluice.client.Connection;
import io.sluice.client.LogScanner;
import io.sluice.client.Scan;
import io.sluice.client.ScanBatch;
import io.sluice.format.row.Row;
import io.sluice.systemtests.replicated.History.Kind;
import io.sluice.systemtests.replicated.Reading.Records;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Reads the tables of a workload as a client does, when nothing is under way. */
final class TableReader {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final Duration POLL = Duration.ofSeconds(1);

  private final Connection connection;
  private final History history;

  TableReader(Connection connection, History history) {
    this.connection = connection;
    this.history = history;
  }

  /** All records of a table from its beginning. */
  List<Records> records(Kind kind, String path) {
    int buckets = connection.table(path).description().bucketCount();
    List<OffsetContents> contents = new ArrayList<>();
    Map<Integer, Long> next = new HashMap<>();
    for (int bucket = 0; bucket < buckets; bucket++) {
      contents.add(new OffsetContents());
      next.put(bucket, 0L);
    }
    Scan scan = connection.table(path).scan().fromEarliest();
    try (LogScanner scanner = (kind == Kind.LOG ? scan : scan.withChangeType()).bounded().open()) {
      drain(path, scanner, batch -> read(kind, batch, contents.get(batch.bucket()), next));
      List<Records> records = new ArrayList<>();
      for (int bucket = 0; bucket < buckets; bucket++) {
        records.add(
            new Records(contents.get(bucket), scanner.positions().getOrDefault(bucket, 0L)));
      }
      return records;
    }
  }

  private void read(Kind kind, ScanBatch batch, OffsetContents contents, Map<Integer, Long> next) {
    long expected = next.get(batch.bucket());
    boolean goesOn =
        kind == Kind.LOG ? batch.baseOffset() == expected : batch.baseOffset() >= expected;
    if (!goesOn) {
      history
          .violations()
          .add(
              "dense",
              "Bucket %d of %s goes on at %d after %d"
                  .formatted(batch.bucket(), kind, batch.baseOffset(), expected));
    }
    next.put(batch.bucket(), batch.nextOffset());
    int record = 0;
    for (Row row : batch.rows()) {
      long content =
          kind == Kind.LOG
              ? LogTable.content(row, history)
              : Contents.ofChange(
                  batch.changeTypes().get(record),
                  (int) row.getLong(0),
                  KeyedTables.state(kind, row, history));
      long before = contents.tell(batch.baseOffset() + record, content);
      if (before != 0) {
        history
            .violations()
            .add("dense", "Offset %d came twice".formatted(batch.baseOffset() + record));
      }
      record++;
    }
  }

  /** The current rows of a primary-key table, states by key. */
  Map<Integer, Long> rows(Kind kind, String path) {
    Map<Integer, Long> rows = new HashMap<>();
    try (LogScanner scanner = connection.table(path).scan().current().open()) {
      drain(
          path,
          scanner,
          batch -> {
            for (Row row : batch.rows()) {
              int key = (int) row.getLong(0);
              if (rows.put(key, KeyedTables.state(kind, row, history)) != null) {
                history.violations().add("state-is-fold", "Row %d came twice".formatted(key));
              }
            }
          });
    }
    return rows;
  }

  private static void drain(String path, LogScanner scanner, Consumer<ScanBatch> each) {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    while (!scanner.finished()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("Scan of " + path + " has not ended within " + TIMEOUT);
      }
      for (ScanBatch batch : scanner.poll(POLL)) {
        try (batch) {
          each.accept(batch);
        }
      }
    }
  }
}
