package io.sluice.systemtests.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.AppendWriter;
import io.sluice.client.Connection;
import io.sluice.client.LogScanner;
import io.sluice.client.Scan;
import io.sluice.client.ScanBatch;
import io.sluice.client.Table;
import io.sluice.client.TableSpec;
import io.sluice.client.WriterOptions;
import io.sluice.common.TableBucket;
import io.sluice.format.row.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Filters over several buckets of several servers: the rows of a full scan, chosen. */
final class FilteredScanIT {
  private static final String DATABASE = "filtered";
  private static final int ROWS = 20_000;

  private final LocalCluster cluster = LocalCluster.shared();

  @BeforeEach
  void createDatabase() {
    try (Connection connection = cluster.connect()) {
      connection.admin().createDatabase(DATABASE, true);
    }
  }

  private record Choice(String text, LongPredicate reference) {}

  private static final List<Choice> CHOICES =
      List.of(
          new Choice("id BETWEEN 500 AND 520", id -> id >= 500 && id <= 520),
          new Choice("name LIKE 'n-7%' AND half < 40.5", id -> id / 2.0 < 40.5 && is7(id)),
          new Choice("name IS NULL", id -> id % 11 == 0),
          new Choice("NOT (name LIKE '%1%')", id -> id % 11 != 0 && !has1(id)),
          new Choice("half IN (1, 2.5, 9999) OR id > 19990", FilteredScanIT::inList),
          new Choice("id < 0", id -> false));

  private static boolean is7(long id) {
    return id % 11 != 0 && Long.toString(id).startsWith("7");
  }

  private static boolean has1(long id) {
    return Long.toString(id).contains("1");
  }

  private static boolean inList(long id) {
    return id == 2 || id == 5 || id == 19998 || id > 19990;
  }

  private static Table load(Connection connection, String path) {
    connection
        .admin()
        .createTable(
            TableSpec.of(path)
                .column("id", "BIGINT")
                .column("name", "STRING")
                .column("half", "DOUBLE")
                .buckets(3)
                .build());
    Table table = connection.table(path);
    try (AppendWriter writer = table.appendWriter(WriterOptions.defaults().batchBytes(16 << 10))) {
      for (long id = 0; id < ROWS; id++) {
        writer.append(Row.of(id, id % 11 == 0 ? null : "n-" + id, id / 2.0));
      }
    }
    return table;
  }

  private static void read(LogScanner scanner, List<Long> ids) {
    while (!scanner.finished()) {
      for (ScanBatch batch : scanner.poll(Duration.ofMillis(200))) {
        try (batch) {
          for (Row row : batch.rows()) {
            ids.add(row.getLong(0));
          }
        }
      }
    }
  }

  private static List<Long> ids(Scan scan) {
    List<Long> ids = new ArrayList<>();
    try (LogScanner scanner = scan.open()) {
      read(scanner, ids);
    }
    return ids;
  }

  private static List<Long> expected(Choice choice) {
    return LongStream.range(0, ROWS).filter(choice.reference()).boxed().toList();
  }

  @Test
  void filtersGiveTheRowsOfAFullScanForWhichTheyAreTrueAndSkipNone() {
    try (Connection connection = cluster.connect()) {
      Table table = load(connection, DATABASE + ".whole");
      long all;
      try (LogScanner scanner = table.scan().open()) {
        read(scanner, new ArrayList<>());
        all = scanner.bytesReceived();
      }
      for (Choice choice : CHOICES) {
        List<Long> expected = expected(choice);
        assertThat(ids(table.scan().filter(choice.text())))
            .as(choice.text())
            .containsExactlyInAnyOrderElementsOf(expected);
        assertThat(ids(table.scan().columns("id").filter(choice.text()))).hasSameSizeAs(expected);
        assertThat(ids(table.scan().skipBy(choice.text()))).containsAll(expected);
      }
      try (LogScanner scanner = table.scan().skipBy("id BETWEEN 500 AND 520").open()) {
        read(scanner, new ArrayList<>());
        assertThat(scanner.bytesReceived()).isLessThan(all / 4);
      }
    }
  }

  @Test
  void aFilteredScanCutByLimitsGoesOnWithoutLossOrRepeat() {
    try (Connection connection = cluster.connect()) {
      Table table = load(connection, DATABASE + ".pieces");
      for (Choice choice : CHOICES.subList(1, 4)) {
        List<Long> found = new ArrayList<>();
        Map<TableBucket, Long> at = null;
        List<Long> expected = expected(choice);
        int limit = Math.max(7, expected.size() / 9);
        for (int piece = 0; piece < 30; piece++) {
          Scan scan = table.scan().columns("id").filter(choice.text()).limit(limit);
          List<Long> some = new ArrayList<>();
          try (LogScanner scanner = (at == null ? scan : scan.fromPositions(at)).open()) {
            read(scanner, some);
            at = scanner.bucketPositions();
          }
          assertThat(some.size()).isLessThanOrEqualTo(limit);
          found.addAll(some);
          if (some.isEmpty()) {
            break;
          }
        }
        assertThat(found).as(choice.text()).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(at.values().stream().mapToLong(each -> each).sum())
            .as("positions behind all that was skipped")
            .isEqualTo(ROWS);
      }
    }
  }
}
