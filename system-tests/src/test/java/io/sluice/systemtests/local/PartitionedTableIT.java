package io.sluice.systemtests.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.AppendWriter;
import io.sluice.client.Connection;
import io.sluice.client.Key;
import io.sluice.client.LogScanner;
import io.sluice.client.Lookuper;
import io.sluice.client.PartitionDescription;
import io.sluice.client.Scan;
import io.sluice.client.TableSpec;
import io.sluice.client.UpsertWriter;
import io.sluice.client.WriterOptions;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.format.row.Row;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tables with partitions: made by hand, by writing and by time; read, pruned and dropped. */
final class PartitionedTableIT {
  private static final String DATABASE = "partitioned";
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final DateTimeFormatter DAY = DateTimeFormatter.BASIC_ISO_DATE;

  private final LocalCluster cluster = LocalCluster.shared();

  @BeforeEach
  void createDatabase() {
    try (Connection connection = cluster.connect()) {
      connection.admin().createDatabase(DATABASE, true);
    }
  }

  @Test
  void writersMakePartitionsAndScansLeaveOutThoseThatAFilterRulesOut() {
    String path = DATABASE + ".by_region";
    try (Connection connection = cluster.connect()) {
      connection
          .admin()
          .createTable(
              TableSpec.of(path)
                  .column("id", "INT")
                  .column("dt", "DATE")
                  .column("region", "STRING")
                  .partitionedBy("dt", "region")
                  .buckets(2)
                  .build());
      try (AppendWriter writer = connection.table(path).appendWriter()) {
        for (int i = 0; i < 300; i++) {
          writer.append(Row.of(i, LocalDate.of(2024, 1, 1 + i % 3), i % 2 == 0 ? "EU/West" : "US"));
        }
      }
      assertThat(connection.admin().listPartitions(TablePath.parse(path)))
          .extracting(PartitionDescription::name)
          .containsExactlyInAnyOrder(
              "dt=2024-01-01/region=EU%2FWest",
              "dt=2024-01-02/region=EU%2FWest",
              "dt=2024-01-03/region=EU%2FWest",
              "dt=2024-01-01/region=US",
              "dt=2024-01-02/region=US",
              "dt=2024-01-03/region=US");
      assertThat(ids(connection.table(path).scan())).hasSize(300).doesNotHaveDuplicates();
      assertThat(ids(connection.table(path).scan().filter("region = 'US'")))
          .hasSize(150)
          .allMatch(id -> id % 2 == 1);
      assertThat(ids(connection.table(path).scan().filter("dt >= DATE '2024-01-03'")))
          .hasSize(100)
          .allMatch(id -> id % 3 == 2);
      assertThat(ids(connection.table(path).scan().partitions("dt=2024-01-02/region=US")))
          .hasSize(50);
      assertThatThrownBy(() -> connection.table(path).scan().partitions("dt=2024-01-02").open())
          .hasMessageContaining("region");
    }
  }

  @Test
  void aDroppedPartitionIsGoneWithItsFilesAndItsWritersAreTold() {
    String path = DATABASE + ".dropped";
    try (Connection connection = cluster.connect()) {
      TablePath table = TablePath.parse(path);
      long tableId =
          connection
              .admin()
              .createTable(
                  TableSpec.of(path)
                      .column("id", "INT")
                      .column("region", "STRING")
                      .partitionedBy("region")
                      .buckets(1)
                      .build())
              .tableId();
      WriterOptions noCreation = WriterOptions.defaults().createPartitions(false);
      connection.admin().createPartition(table, List.of("a"), false);
      connection.admin().createPartition(table, List.of("b"), false);
      try (AppendWriter writer = connection.table(path).appendWriter(noCreation)) {
        writer.append(Row.of(1, "a")).join();
        writer.append(Row.of(2, "b")).join();
        assertThatThrownBy(() -> writer.append(Row.of(3, "c")).join()).hasMessageContaining("c");
        assertThat(connection.admin().dropPartition(table, List.of("a"), false)).isTrue();
        // Tablets hear of a drop a moment after it.
        Await.until("writers are told", SOON, () -> isRefused(writer, Row.of(4, "a")));
        writer.append(Row.of(5, "b")).join();
        assertThatThrownBy(writer::flush).hasMessageContaining("was dropped");
      }
      assertThat(ids(connection.table(path).scan())).containsExactly(2, 5);
      Await.until(
          "the files of the dropped partition are gone",
          SOON,
          () -> bucketDirectories(tableId) == 1);
      assertThat(connection.admin().dropPartition(table, List.of("a"), true)).isFalse();
      assertThatThrownBy(() -> connection.admin().dropPartition(table, List.of("a"), false))
          .hasMessageContaining("a");
    }
  }

  private static boolean isRefused(AppendWriter writer, Row row) {
    try {
      writer.append(row).join();
      return false;
    } catch (CompletionException | SluiceException e) {
      Throwable failure = e instanceof CompletionException ? e.getCause() : e;
      assertThat(failure)
          .isInstanceOfSatisfying(
              SluiceException.class,
              refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.PARTITION_NOT_FOUND));
      return true;
    }
  }

  private long bucketDirectories(long tableId) {
    long found = 0;
    for (int tablet = 1; tablet <= 2; tablet++) {
      Path directory =
          cluster.directory("tablet-" + tablet).resolve("data").resolve(Long.toString(tableId));
      if (!Files.isDirectory(directory)) {
        directory = cluster.directory("tablet-" + tablet).resolve(Long.toString(tableId));
      }
      if (Files.isDirectory(directory)) {
        try (Stream<Path> buckets = Files.list(directory)) {
          found += buckets.filter(Files::isDirectory).count();
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
    return found;
  }

  @Test
  void partitionsOfDaysAreMadeAheadAndOddValuesAreRefused() {
    String path = DATABASE + ".daily";
    try (Connection connection = cluster.connect()) {
      connection
          .admin()
          .createTable(
              TableSpec.of(path)
                  .column("id", "INT")
                  .column("dt", "STRING")
                  .partitionedBy("dt")
                  .option("table.auto-partition.enabled", "true")
                  .option("table.auto-partition.time-unit", "DAY")
                  .option("table.auto-partition.num-retention", "7")
                  .buckets(1)
                  .build());
      LocalDate today = LocalDate.now(ZoneOffset.UTC);
      Await.until(
          "today's and tomorrow's partitions exist",
          SOON,
          () ->
              connection.admin().listPartitions(TablePath.parse(path)).stream()
                  .map(PartitionDescription::values)
                  .toList()
                  .containsAll(
                      List.of(List.of(DAY.format(today)), List.of(DAY.format(today.plusDays(1))))));
      try (AppendWriter writer = connection.table(path).appendWriter()) {
        for (String odd : List.of("2024-03-25", "20240230", "20200101", "", "20990101")) {
          assertThatThrownBy(
                  () ->
                      connection
                          .admin()
                          .createPartition(TablePath.parse(path), List.of(odd), false))
              .as("creation of '%s'", odd)
              .hasMessageContaining("yyyyMMdd");
          assertThatThrownBy(() -> writer.append(Row.of(1, odd)).join())
              .as("a row of '%s'", odd)
              .hasMessageContaining("yyyyMMdd");
        }
        writer.append(Row.of(2, DAY.format(today.minusDays(3)))).join();
      }
      assertThat(ids(connection.table(path).scan())).containsExactly(2);
    }
  }

  @Test
  void keysAreLookedUpInTheirPartitionAndLookingUpMakesNone() {
    String path = DATABASE + ".keyed";
    try (Connection connection = cluster.connect()) {
      connection
          .admin()
          .createTable(
              TableSpec.of(path)
                  .requiredColumn("id", "INT")
                  .requiredColumn("region", "STRING")
                  .column("name", "STRING")
                  .primaryKey("id", "region")
                  .partitionedBy("region")
                  .buckets(2)
                  .build());
      try (UpsertWriter writer = connection.table(path).upsertWriter()) {
        for (int i = 0; i < 40; i++) {
          writer.upsert(Row.of(i, i % 2 == 0 ? "a" : "b", "n" + i));
        }
        writer.delete(Key.of(3, "b"));
      }
      try (Lookuper lookuper = connection.table(path).lookuper()) {
        assertThat(lookuper.lookup(Key.of(4, "a")).join().orElseThrow().getString(2))
            .isEqualTo("n4");
        assertThat(lookuper.lookup(Key.of(4, "b")).join()).isEmpty();
        assertThat(lookuper.lookup(Key.of(3, "b")).join()).isEmpty();
        assertThat(lookuper.lookup(Key.of(4, "never")).join()).isEmpty();
      }
      assertThat(connection.admin().listPartitions(TablePath.parse(path))).hasSize(2);
      assertThat(ids(connection.table(path).scan().current())).hasSize(39);
    }
  }

  @Test
  void aNamedWriterThatRepeatsRowsStoresThemOnceInEveryPartition() {
    String path = DATABASE + ".repeated";
    try (Connection connection = cluster.connect()) {
      TablePath table = TablePath.parse(path);
      connection
          .admin()
          .createTable(
              TableSpec.of(path)
                  .column("id", "INT")
                  .column("region", "STRING")
                  .partitionedBy("region")
                  .buckets(2)
                  .build());
      write(connection, path, 0, 90);
      write(connection, path, 40, 150);
      assertThat(ids(connection.table(path).scan())).hasSize(150).doesNotHaveDuplicates();

      connection.admin().dropPartition(table, List.of("r1"), false);
      connection.admin().createPartition(table, List.of("r1"), false);
      write(connection, path, 0, 150);
      assertThat(ids(connection.table(path).scan())).hasSize(150).doesNotHaveDuplicates();
    }
  }

  private static void write(Connection connection, String path, int from, int to) {
    try (AppendWriter writer =
        connection.table(path).appendWriter(WriterOptions.named("repeating"))) {
      for (int id = from; id < to; id++) {
        writer.append(id, Row.of(id, "r" + id % 3));
      }
    }
  }

  @Test
  void aFollowingScanFindsNewPartitions() {
    String path = DATABASE + ".followed";
    try (Connection connection = cluster.connect()) {
      connection
          .admin()
          .createTable(
              TableSpec.of(path)
                  .column("id", "INT")
                  .column("region", "STRING")
                  .partitionedBy("region")
                  .buckets(1)
                  .build());
      try (AppendWriter writer = connection.table(path).appendWriter();
          LogScanner scanner = connection.table(path).scan().follow().open()) {
        List<Integer> found = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          writer.append(Row.of(i, "r" + i / 2)).join();
          int wanted = i + 1;
          ScannedRows.poll(scanner, row -> found.add(row.getInt(0)), () -> found.size() == wanted);
        }
        assertThat(found).containsExactly(0, 1, 2, 3);
        assertThat(scanner.bucketPositions().values()).containsExactlyInAnyOrder(2L, 2L);
      }
    }
  }

  private static List<Integer> ids(Scan scan) {
    return ScannedRows.read(scan, row -> row.getInt(0));
  }
}
