package io.sluice.cli.demo;

import io.sluice.client.Admin;
import io.sluice.client.Connection;
import io.sluice.client.LogScanner;
import io.sluice.client.ScanBatch;
import io.sluice.client.Table;
import io.sluice.client.TableSpec;
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
  static final int BUCKETS = 4;
  static final List<String> COLUMNS = List.of("date", "delay", "distance", "origin", "destination");

  private static final List<String> TYPES =
      List.of("TIMESTAMP(6)", "BIGINT", "BIGINT", "STRING", "STRING");

  /** Marks a table as made by the demo, so that a table of somebody else is never dropped. */
  private static final String COMMENT = "Flights of the demo; dropped when the demo runs again";

  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final Duration POLL = Duration.ofSeconds(1);

  private final Connection connection;

  FlightsTable(Connection connection) {
    this.connection = connection;
  }

  /** Creates database and table; a table that an earlier demo left is dropped first. */
  boolean create() {
    Admin admin = connection.admin();
    admin.createDatabase(PATH.database(), true);
    boolean dropped = OwnTables.drop(admin, PATH, COMMENT);
    TableSpec.Builder spec = TableSpec.of(PATH.toString()).buckets(BUCKETS).comment(COMMENT);
    for (int i = 0; i < COLUMNS.size(); i++) {
      spec.requiredColumn(COLUMNS.get(i), TYPES.get(i));
    }
    admin.createTable(spec.build());
    return dropped;
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
