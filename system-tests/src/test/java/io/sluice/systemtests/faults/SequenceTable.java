package io.sluice.systemtests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.Connection;
import io.sluice.client.LogScanner;
import io.sluice.client.Scan;
import io.sluice.client.ScanBatch;
import io.sluice.client.TableSpec;
import io.sluice.format.row.Row;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * A log table whose rows say themselves what they must be: a sequence, a text made from it, and a
 * number that is NULL in every seventh row.
 */
final class SequenceTable {
  private static final Duration SCAN_TIMEOUT = Duration.ofSeconds(60);
  private static final String PADDING = "-what a row of this sequence must hold";

  private final String path;

  private SequenceTable(String path) {
    this.path = path;
  }

  /** Creates the table, in a database that is made where missing. */
  static SequenceTable create(Connection connection, String database, String table, int buckets) {
    connection.admin().createDatabase(database, true);
    SequenceTable created = new SequenceTable(database + "." + table);
    connection
        .admin()
        .createTable(
            TableSpec.of(created.path)
                .requiredColumn("sequence", "BIGINT")
                .column("text", "STRING")
                .column("number", "INT")
                .buckets(buckets)
                .build());
    return created;
  }

  String path() {
    return path;
  }

  /** The row of a sequence. */
  static Row row(long sequence) {
    return Row.of(sequence, sequence + PADDING, sequence % 7 == 0 ? null : (int) (sequence % 1000));
  }

  /**
   * Reads the whole table, checks each row, that none is there twice and that offsets leave no
   * hole, and returns the sequences found.
   */
  BitSet readSequences(Connection connection) {
    return readSequences(connection.table(path).scan().fromEarliest(), new HashMap<>());
  }

  /** The same for bucket 0 from an offset. */
  BitSet readSequences(Connection connection, long start) {
    Map<Integer, Long> offsets = new HashMap<>(Map.of(0, start));
    return readSequences(connection.table(path).scan().fromOffsets(offsets), offsets);
  }

  private BitSet readSequences(Scan scan, Map<Integer, Long> nextOffsets) {
    BitSet found = new BitSet();
    try (LogScanner scanner = scan.bounded().open()) {
      long deadline = System.nanoTime() + SCAN_TIMEOUT.toNanos();
      while (!scanner.finished()) {
        assertThat(System.nanoTime()).as("time left to scan %s", path).isLessThan(deadline);
        for (ScanBatch batch : scanner.poll(Duration.ofSeconds(1))) {
          try (batch) {
            assertThat(batch.baseOffset())
                .as("bucket %s goes on without a hole", batch.bucket())
                .isEqualTo(nextOffsets.getOrDefault(batch.bucket(), 0L));
            nextOffsets.put(batch.bucket(), batch.nextOffset());
            addSequences(batch, found);
          }
        }
      }
    }
    return found;
  }

  private static void addSequences(ScanBatch batch, BitSet found) {
    for (Row row : batch.rows()) {
      long sequence = row.getLong(0);
      boolean right =
          row.getString(1).equals(sequence + PADDING)
              && row.isNull(2) == (sequence % 7 == 0)
              && (row.isNull(2) || row.getInt(2) == sequence % 1000);
      if (!right) {
        throw new AssertionError("Sequence " + sequence + " came back with other values");
      }
      if (found.get(Math.toIntExact(sequence))) {
        throw new AssertionError(
            "Sequence " + sequence + " is there twice, again in bucket " + batch.bucket());
      }
      found.set(Math.toIntExact(sequence));
    }
  }
}
