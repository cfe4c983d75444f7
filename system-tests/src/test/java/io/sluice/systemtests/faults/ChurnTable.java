package io.sluice.systemtests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.AppendResult;
import io.sluice.client.AppendWriter;
import io.sluice.client.Connection;
import io.sluice.client.PartitionDescription;
import io.sluice.client.TableSpec;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.format.row.Row;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.SchemaChange;
import io.sluice.systemtests.local.ScannedRows;
import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;

/**
 * A partitioned table that gets columns and loses partitions while it is written, and what is known
 * of its rows. A row is a sequence, the name of its partition, and a number for every column that
 * had been added when its writer was opened. Columns are added in turn as nullable and with a
 * default.
 */
final class ChurnTable {
  private static final Duration PATIENT = Duration.ofMinutes(1);

  /** Rows of a lasting partition before the next one is begun. */
  private static final int ROWS_PER_PARTITION = 10_000;

  /** Every so manyth row goes to the partition that is dropped now and then. */
  private static final int DOOMED = 5;

  private static final int FIRST_ADDED = 2;
  private static final int MOST_ADDED = 40;

  private final TablePath path;

  /** Columns that had been added when the row's writer was opened, by sequence. */
  private final Map<Integer, Integer> addedWhenWritten = new ConcurrentHashMap<>();

  /** Partition id of acknowledged rows, by sequence. */
  private final Map<Integer, Long> acknowledged = new ConcurrentHashMap<>();

  /** Sequences that were refused since their partition was dropped. */
  private final Set<Integer> refused = ConcurrentHashMap.newKeySet();

  private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private volatile int added;

  private ChurnTable(TablePath path) {
    this.path = path;
  }

  static ChurnTable create(Connection connection, String path) {
    ChurnTable table = new ChurnTable(TablePath.parse(path));
    connection.admin().createDatabase(table.path.database(), true);
    connection
        .admin()
        .createTable(
            TableSpec.of(path)
                .requiredColumn("sequence", "INT")
                .column("part", "STRING")
                .partitionedBy("part")
                .buckets(2)
                .build());
    return table;
  }

  TablePath path() {
    return path;
  }

  /** How many columns were added up to now. */
  int added() {
    return added;
  }

  /** Appends a row under a schema with so many added columns. */
  void append(AppendWriter writer, int sequence, int columns) {
    Object[] values = new Object[FIRST_ADDED + columns];
    values[0] = sequence;
    values[1] = sequence % DOOMED == 0 ? "doomed" : "lasting-" + sequence / ROWS_PER_PARTITION;
    for (int column = 0; column < columns; column++) {
      values[FIRST_ADDED + column] = sequence + column;
    }
    addedWhenWritten.put(sequence, columns);
    try {
      var unused =
          writer
              .append(Row.of(values))
              .whenComplete((result, failure) -> note(sequence, result, failure));
    } catch (SluiceException e) {
      note(sequence, null, e);
    }
  }

  private void note(int sequence, AppendResult result, Throwable failure) {
    if (failure == null) {
      acknowledged.put(sequence, result.partitionId());
      return;
    }
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (sequence % DOOMED == 0
        && cause instanceof SluiceException refusal
        && refusal.code() == ErrorCode.PARTITION_NOT_FOUND) {
      refused.add(sequence);
    } else {
      failures.add(new AssertionError("Row " + sequence + " failed", cause));
    }
  }

  /** Rows that were appended and neither stored nor refused up to now. */
  int unanswered() {
    return addedWhenWritten.size() - answered();
  }

  /** Rows that were stored or refused up to now. */
  int answered() {
    return acknowledged.size() + refused.size() + failures.size();
  }

  /** Acknowledged rows with this sequence or a later one; fails when a row was lost on its way. */
  long acknowledgedSince(int first) {
    if (!failures.isEmpty()) {
      throw new AssertionError("A row that must be stored failed", failures.peek());
    }
    return acknowledged.keySet().stream().filter(sequence -> sequence >= first).count();
  }

  /**
   * Makes a partition, adds a column and drops two partitions, each again until its outcome is
   * known: services may die meanwhile. The next row of a dropped one makes it anew.
   */
  void churn(Connection connection) {
    List<String> made = List.of("made");
    repeat("partition", () -> connection.admin().createPartition(path, made, true));
    if (added < MOST_ADDED) {
      addColumn(connection);
    }
    repeat("drop", () -> connection.admin().dropPartition(path, List.of("doomed"), true));
    repeat("drop", () -> connection.admin().dropPartition(path, made, true));
  }

  private void addColumn(Connection connection) {
    String name = "added_" + added;
    boolean nullable = added % 2 == 0;
    SchemaChange add =
        new SchemaChange.Add(
            List.of(),
            name,
            DataTypeParser.parse("INT"),
            nullable,
            "",
            nullable ? null : Integer.toString(-1 - added),
            new SchemaChange.Position.Last());
    repeat(
        "column",
        () -> {
          int columns = connection.admin().describe(path).schema().columns().size();
          if (columns == FIRST_ADDED + added) {
            connection.admin().alterTable(path, List.of(add));
          }
        });
    added++;
  }

  private static void repeat(String what, Runnable step) {
    Await.until(
        what + " is done",
        PATIENT,
        () -> {
          step.run();
          return true;
        });
  }

  /** Reads everything under the newest schema. */
  void check(Connection connection) {
    assertThat(failures).isEmpty();
    BitSet found = new BitSet();
    int columns = added;
    List<String> wrong = new ArrayList<>();
    ScannedRows.read(
        connection.table(path.toString()).scan(),
        row -> {
          checkRow(row, columns, found, wrong);
          return 0;
        });
    assertThat(wrong).isEmpty();
    Set<Long> live =
        connection.admin().listPartitions(path).stream()
            .map(PartitionDescription::partitionId)
            .collect(Collectors.toSet());
    assertThat(acknowledged.keySet().stream().filter(s -> live.contains(acknowledged.get(s))))
        .as("acknowledged rows of live partitions")
        .isNotEmpty()
        .allMatch(found::get);
    assertThat(acknowledged.keySet().stream().filter(sequence -> sequence % DOOMED != 0))
        .as("acknowledged rows of partitions that were never dropped")
        .allMatch(found::get);
    assertThat(refused).as("rows that were refused").noneMatch(found::get);
    assertThat(found.cardinality()).isLessThanOrEqualTo(addedWhenWritten.size());
  }

  private void checkRow(Row row, int columns, BitSet found, List<String> wrong) {
    int sequence = row.getInt(0);
    if (found.get(sequence)) {
      wrong.add(sequence + " is there twice");
    }
    found.set(sequence);
    for (int column = 0; column < columns; column++) {
      Integer value = row.isNull(FIRST_ADDED + column) ? null : row.getInt(FIRST_ADDED + column);
      Integer before = column % 2 == 0 ? null : Integer.valueOf(-1 - column);
      Integer expected =
          column < addedWhenWritten.get(sequence) ? Integer.valueOf(sequence + column) : before;
      if (!Objects.equals(value, expected)) {
        wrong.add(sequence + " has " + value + " for " + expected + " in added_" + column);
      }
    }
  }
}
