package io.sluice.systemtests.replicated;

import io.sluice.client.ClientConfig;
import io.sluice.client.Connection;
import io.sluice.client.LogScanner;
import io.sluice.client.Scan;
import io.sluice.client.ScanBatch;
import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import io.sluice.systemtests.replicated.History.Kind;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Follows a table, and now and then reads parts of it again: what was once read stays as it was.
 */
final class ScanClient extends Client {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration RETRY = Duration.ofMillis(200);

  private final Kind kind;
  private final String path;
  private final SplittableRandom random;
  private final Map<Integer, Long> positions = new HashMap<>();

  ScanClient(
      String name,
      History history,
      ClientConfig config,
      Kind kind,
      String path,
      SplittableRandom random) {
    super(name, history, config);
    this.kind = kind;
    this.path = path;
    this.random = random;
  }

  @Override
  void work() {
    while (!finishing()) {
      try (Connection connection = connect()) {
        Scan scan = connection.table(path).scan();
        if (kind != Kind.LOG) {
          scan.withChangeType();
        }
        try (LogScanner scanner =
            (positions.isEmpty() ? scan.fromEarliest() : scan.fromOffsets(positions))
                .follow()
                .open()) {
          follow(scanner);
        }
      } catch (SluiceException failure) {
        failed(failure);
        pause(RETRY);
      }
    }
  }

  /** Some thousand rows, then again from somewhere before. */
  private void follow(LogScanner scanner) {
    long wanted = random.nextInt(3_000, 30_000);
    try {
      for (long read = 0; read < wanted && !finishing(); ) {
        for (ScanBatch batch : scanner.poll(POLL)) {
          try (batch) {
            read += tell(kind, batch, history(), name());
            history().operation();
          }
        }
      }
    } finally {
      positions.putAll(scanner.positions());
    }
    positions.replaceAll((bucket, offset) -> Math.max(0, offset - random.nextInt(2_000)));
  }

  /** Notes the rows of a batch; returns how many there are. */
  static int tell(Kind kind, ScanBatch batch, History history, String by) {
    int record = 0;
    for (Row row : batch.rows()) {
      long content =
          kind == Kind.LOG
              ? LogTable.content(row, history)
              : Contents.ofChange(
                  batch.changeTypes().get(record),
                  (int) row.getLong(0),
                  KeyedTables.state(kind, row, history));
      history.tell(kind, batch.bucket(), batch.baseOffset() + record, content, by);
      record++;
    }
    return record;
  }
}
