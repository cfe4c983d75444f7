package io.sluice.systemtests.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.LogScanner;
import io.sluice.client.Scan;
import io.sluice.client.ScanBatch;
import io.sluice.format.row.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

/** Rows of scans, one by one; what a scanner throws is thrown at once. */
public final class ScannedRows {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final Duration POLL = Duration.ofMillis(100);

  private ScannedRows() {}

  /** What is made of every row of a bounded scan. */
  public static <T> List<T> read(Scan scan, Function<Row, T> function) {
    List<T> found = new ArrayList<>();
    try (LogScanner scanner = scan.open()) {
      poll(scanner, row -> found.add(function.apply(row)), scanner::finished);
    }
    return found;
  }

  /** Hands over rows until it is enough. */
  public static void poll(LogScanner scanner, Consumer<Row> consumer, BooleanSupplier enough) {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    while (!enough.getAsBoolean()) {
      assertThat(System.nanoTime()).as("time left to scan").isLessThan(deadline);
      for (ScanBatch batch : scanner.poll(POLL)) {
        try (batch) {
          batch.rows().forEach(consumer);
        }
      }
    }
  }
}
