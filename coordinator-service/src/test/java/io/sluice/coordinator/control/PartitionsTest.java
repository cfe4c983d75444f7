package io.sluice.coordinator.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.coordinator.metadata.Bucket;
import io.sluice.coordinator.metadata.FakeMetadataLog;
import io.sluice.coordinator.metadata.Fixtures;
import io.sluice.coordinator.metadata.Partition;
import io.sluice.coordinator.metadata.Table;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.MovedClock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PartitionsTest {
  private static final TablePath PATH = new TablePath("demo", "t");
  private static final DataType INT = new DataType.IntegerType(32);
  private static final DataType STRING = new DataType.StringType();

  private final FakeMetadataLog log = FakeMetadataLog.withDatabase();
  private final MovedClock clock =
      new MovedClock(Instant.parse("2024-03-25T12:00:00Z").toEpochMilli());
  private final Catalog catalog = new Catalog(log, clock, 1);

  @BeforeEach
  void register() {
    log.submit(Fixtures.register(1, "i"));
    log.submit(Fixtures.register(2, "i"));
  }

  @Test
  void aPartitionedTableHasNoBucketsUntilItHasAPartition() {
    Table table = create(schema(), List.of("dt"), Map.of("bucket.num", "2"));
    assertThat(table.partitionKeys()).containsExactly("dt");
    assertThat(table.bucketCount()).isEqualTo(2);
    assertThat(table.buckets()).isEmpty();
    Partition partition = catalog.createPartition(PATH, 0, List.of("2024"), false).join();
    assertThat(partition).isEqualTo(new Partition(1, List.of("2024"), clock.epochMs()));
    assertThat(current().buckets().stream().map(Bucket::leader)).containsExactly(1, 2);
    assertThat(current().partitions()).containsExactly(partition);
  }

  @Test
  void anExistingPartitionIsAnErrorUnlessItWillDo() {
    create(schema(), List.of("dt"), Map.of());
    Partition first = catalog.createPartition(PATH, 0, List.of("a"), false).join();
    assertRefused(
        catalog.createPartition(PATH, 0, List.of("a"), false),
        ErrorCode.PARTITION_EXISTS,
        "Partition dt=a of table demo.t exists");
    assertThat(catalog.createPartition(PATH, 0, List.of("a"), true).join()).isEqualTo(first);
    assertRefused(
        catalog.createPartition(PATH, 99, List.of("a"), true),
        ErrorCode.TABLE_CHANGED,
        "Table demo.t was dropped and created again: its id is 1, not 99");
  }

  @Test
  void dropsTellWhetherThereWasAPartition() {
    create(schema(), List.of("dt"), Map.of());
    catalog.createPartition(PATH, 0, List.of("a/b"), false).join();
    assertThat(catalog.dropPartition(PATH, List.of("a/b"), false).join()).isTrue();
    assertThat(catalog.dropPartition(PATH, List.of("a/b"), true).join()).isFalse();
    assertRefused(
        catalog.dropPartition(PATH, List.of("a/b"), false),
        ErrorCode.PARTITION_NOT_FOUND,
        "Table demo.t has no partition dt=a%2Fb");
    assertThat(catalog.createPartition(PATH, 0, List.of("a/b"), false).join().partitionId())
        .isEqualTo(2);
  }

  @Test
  void valuesAreMadeCanonical() {
    create(
        new TableSchema(
            1, List.of(Column.of(1, "n", INT, true), Column.of(2, "s", STRING, true)), List.of()),
        List.of("s", "n"),
        Map.of());
    assertThat(catalog.createPartition(PATH, 0, List.of("x", "007"), false).join().values())
        .containsExactly("x", "7");
    assertRefused(
        catalog.createPartition(PATH, 0, List.of("x", "7"), false),
        ErrorCode.PARTITION_EXISTS,
        "Partition s=x/n=7 of table demo.t exists");
    assertThat(catalog.dropPartition(PATH, List.of("x", "+7"), false).join()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x,y"})
  void valuesThatDoNotFitAreRefused(String values) {
    create(schema(), List.of("dt"), Map.of());
    SluiceException refused =
        failure(catalog.createPartition(PATH, 0, List.of(values.split(",")), false));
    assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_PARTITION);
    assertThat(refused).hasMessageStartingWith("Table demo.t: ");
  }

  @Test
  void tablesThatAreNotPartitionedHaveNoPartitions() {
    create(schema(), List.of(), Map.of());
    assertRefused(
        catalog.createPartition(PATH, 0, List.of("a"), true),
        ErrorCode.INVALID_PARTITION,
        "Table demo.t is not partitioned");
    assertRefused(
        catalog.dropPartition(PATH, List.of("a"), true),
        ErrorCode.INVALID_PARTITION,
        "Table demo.t is not partitioned");
  }

  @Test
  void aPrimaryKeyWithoutThePartitionColumnsChoosesTheBucket() {
    TableSchema keyed =
        new TableSchema(
            1,
            List.of(
                Column.of(1, "id", INT, false),
                Column.of(2, "dt", STRING, false),
                Column.of(3, "v", STRING, true)),
            List.of("id", "dt"));
    assertThat(create(keyed, List.of("dt"), Map.of()).bucketKey()).containsExactly("id");
    assertCreationRefused(
        keyed, List.of("v"), Map.of(), ErrorCode.INVALID_SCHEMA, "'v' is not in the primary key");
    assertCreationRefused(
        keyed,
        List.of("id", "dt"),
        Map.of(),
        ErrorCode.INVALID_SCHEMA,
        "The partition columns are the whole primary key");
    assertCreationRefused(
        keyed,
        List.of("dt"),
        Map.of("bucket.key", "dt"),
        ErrorCode.INVALID_OPTION,
        "bucket.key names the partition column 'dt'");
  }

  @Test
  void partitionColumnsMustExistAndBeScalars() {
    assertCreationRefused(
        schema(),
        List.of("no"),
        Map.of(),
        ErrorCode.COLUMN_NOT_FOUND,
        "Column 'no' does not exist");
    assertCreationRefused(
        schema(), List.of("dt", "dt"), Map.of(), ErrorCode.INVALID_SCHEMA, "named twice");
    assertCreationRefused(
        schema(),
        List.of("dt"),
        Map.of("table.datalake.enabled", "true"),
        ErrorCode.UNSUPPORTED,
        "Table demo.bad is partitioned; this build does not copy partitioned tables to the lake");
  }

  /** Field report B10: a table that is not partitioned cannot be partitioned automatically. */
  @Test
  void automaticPartitionsNeedAPartitionedTable() {
    assertCreationRefused(
        schema(),
        List.of(),
        Map.of("table.auto-partition.enabled", "true"),
        ErrorCode.INVALID_OPTION,
        "it needs a partitioned table");
    assertThat(log.current().state().tables().size()).isZero();
  }

  @Test
  void automaticPartitionsAreThereFromTheBeginning() {
    Table table = create(schema(), List.of("dt"), auto("num-precreate", "3"));
    assertThat(table.partitions().stream().map(Partition::values))
        .containsExactly(List.of("20240325"), List.of("20240326"), List.of("20240327"));
    assertThat(table.buckets()).hasSize(3);
    assertThat(log.current().state().nextPartitionId()).isEqualTo(4);
  }

  /** Field report B10: by hand, just before midnight in Kathmandu, at 18:14:59 UTC. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "2024-03-25|is malformed",
        "20240230|is malformed",
        "20200101|is expired",
        "20240317|is expired",
        "''|has an empty value; expected yyyyMMdd",
        "20990101|is too far ahead",
        "20240318|-",
        "20240330|-",
      })
  void malformedExpiredAndFarValuesAreRefusedByTheClockOfTheTable(String value, String message) {
    clock.jumpTo(Instant.parse("2024-03-25T18:14:59Z").toEpochMilli());
    Table table = create(schema(), List.of("dt"), auto("time-zone", "Asia/Kathmandu"));
    assertThat(table.partitions().stream().map(partition -> partition.values().get(0)))
        .containsExactly("20240325", "20240326");
    CompletableFuture<Partition> created = catalog.createPartition(PATH, 0, List.of(value), false);
    if (message == null) {
      assertThat(created.join().values()).containsExactly(value);
      return;
    }
    SluiceException refused = failure(created);
    assertThat(refused).hasMessageContaining(message).hasMessageStartingWith("Table demo.t: ");
    if (!value.isEmpty()) {
      assertThat(refused).hasMessageContaining("expected yyyyMMdd, from '20240318'");
    }
    assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_PARTITION);
    assertThat(current().partitions()).hasSize(2);
  }

  @Test
  void theDayBeginsAtMidnightOfTheTable() {
    clock.jumpTo(Instant.parse("2024-03-25T18:15:00Z").toEpochMilli());
    Table table = create(schema(), List.of("dt"), auto("time-zone", "Asia/Kathmandu"));
    assertThat(table.partitions().get(0).values()).containsExactly("20240326");
  }

  private static Map<String, String> auto(String key, String value) {
    return Map.of("table.auto-partition.enabled", "true", "table.auto-partition." + key, value);
  }

  private static TableSchema schema() {
    return new TableSchema(
        1, List.of(Column.of(1, "id", INT, true), Column.of(2, "dt", STRING, true)), List.of());
  }

  private Table current() {
    return log.current().state().table(PATH);
  }

  private Table create(TableSchema schema, List<String> keys, Map<String, String> options) {
    return catalog
        .createTable(new TableDefinition(PATH, schema, keys, options, ""), false)
        .join()
        .value();
  }

  private void assertCreationRefused(
      TableSchema schema,
      List<String> keys,
      Map<String, String> options,
      ErrorCode code,
      String message) {
    SluiceException refused =
        failure(
            catalog.createTable(
                new TableDefinition(new TablePath("demo", "bad"), schema, keys, options, ""),
                false));
    assertThat(refused).hasMessageContaining(message);
    assertThat(refused.code()).isEqualTo(code);
  }

  private static void assertRefused(CompletableFuture<?> future, ErrorCode code, String message) {
    SluiceException refused = failure(future);
    assertThat(refused).hasMessage(message);
    assertThat(refused.code()).isEqualTo(code);
  }

  private static SluiceException failure(CompletableFuture<?> future) {
    try {
      future.join();
    } catch (CompletionException e) {
      return (SluiceException) e.getCause();
    }
    throw new AssertionError("It did not fail");
  }
}
