package io.sluice.cli.demo;

import io.sluice.client.Connection;
import io.sluice.client.LogScanner;
import io.sluice.client.ScanBatch;
import io.sluice.client.Table;
import io.sluice.common.TablePath;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.TimeStampMicroVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;

/** The table {@code demo.flights} in the cluster. */
final class FlightsTable {
  static final TablePath PATH = new TablePath("demo", "flights");
  static final List<String> COLUMNS = List.of("date", "delay", "distance", "origin", "destination");

  static final OwnTable OWN =
      new OwnTable(PATH, "Flights of the demo; dropped when the demo runs again", true);

  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final Duration POLL = Duration.ofSeconds(1);

  private final Connection connection;

  FlightsTable(Connection connection) {
    this.connection = connection;
  }

  Table table() {
    return connection.table(PATH.toString());
  }

  /** The wall clock of a flight's date. */
  static LocalDateTime date(long micros) {
    int nanos = (int) Math.floorMod(micros, MICROS_PER_SECOND) * 1_000;
    return LocalDateTime.ofEpochSecond(
        Math.floorDiv(micros, MICROS_PER_SECOND), nanos, ZoneOffset.UTC);
  }

  /** Size of all buckets on the servers' disks. */
  long bytesOnDisk() {
    long bytes = 0;
    for (var offsets : connection.admin().listOffsets(PATH).values()) {
      bytes += offsets.sizeBytes();
    }
    return bytes;
  }

  /** Where readers now see the end of each bucket. */
  Map<Integer, Long> visibleEnds() {
    Map<Integer, Long> ends = new HashMap<>();
    connection
        .admin()
        .listOffsets(PATH)
        .forEach((bucket, offsets) -> ends.put(bucket, offsets.visible()));
    return ends;
  }

  /** What a scan of some columns cost. */
  record Scanned(long rows, long bytesReceived, long nanos) {}

  /** Reads every row there is now, with these columns. */
  Scanned scan(List<String> columns) {
    long start = System.nanoTime();
    long rows = 0;
    try (LogScanner scanner =
        table().scan().columns(columns.toArray(String[]::new)).fromEarliest().bounded().open()) {
      while (!scanner.finished()) {
        for (ScanBatch batch : scanner.poll(POLL)) {
          try (batch) {
            rows += batch.rowCount();
          }
        }
      }
      return new Scanned(rows, scanner.bytesReceived(), System.nanoTime() - start);
    }
  }

  /** Counts the rows by reading no column. */
  long count() {
    long rows = 0;
    try (LogScanner scanner = table().scan().noColumns().fromEarliest().bounded().open()) {
      while (!scanner.finished()) {
        for (ScanBatch batch : scanner.poll(POLL)) {
          try (batch) {
            rows += batch.rowCount();
          }
        }
      }
    }
    return rows;
  }

  /** Digest of every row there is now. */
  FlightsDigest digest() {
    FlightsDigest.Accumulator accumulator = new FlightsDigest.Accumulator();
    try (LogScanner scanner = table().scan().fromEarliest().bounded().open()) {
      while (!scanner.finished()) {
        for (ScanBatch batch : scanner.poll(POLL)) {
          try (batch) {
            add(accumulator, batch.vectors());
          }
        }
      }
    }
    return accumulator.digest();
  }

  private static void add(FlightsDigest.Accumulator accumulator, VectorSchemaRoot batch) {
    TimeStampMicroVector date = (TimeStampMicroVector) batch.getVector("date");
    BigIntVector delay = (BigIntVector) batch.getVector("delay");
    BigIntVector distance = (BigIntVector) batch.getVector("distance");
    VarCharVector origin = (VarCharVector) batch.getVector("origin");
    VarCharVector destination = (VarCharVector) batch.getVector("destination");
    for (int i = 0; i < batch.getRowCount(); i++) {
      accumulator.add(
          date.get(i),
          delay.get(i),
          distance.get(i),
          String.valueOf(origin.getObject(i)),
          String.valueOf(destination.getObject(i)));
    }
  }
}
