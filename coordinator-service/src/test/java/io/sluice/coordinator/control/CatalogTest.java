package io.sluice.coordinator.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.coordinator.metadata.Bucket;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.FakeMetadataLog;
import io.sluice.coordinator.metadata.Fixtures;
import io.sluice.coordinator.metadata.ServerState;
import io.sluice.coordinator.metadata.Table;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.MovedClock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class CatalogTest {
  private static final Map<String, String> LAKE = Map.of("table.datalake.enabled", "true");

  private final FakeMetadataLog log = FakeMetadataLog.withDatabase();
  private final Catalog catalog = new Catalog(log, new MovedClock(5_000), 1);

  @Test
  void createsATableWithItsBucketsSpreadOverTheLiveServers() {
    for (int id = 1; id <= 3; id++) {
      log.submit(Fixtures.register(id, "i"));
    }
    Table table = create("t", Map.of("bucket.num", "7", "owner", "me"));
    assertThat(table.createdMs()).isEqualTo(5_000);
    assertThat(table.options()).containsEntry("owner", "me");
    assertThat(table.buckets().stream().map(Bucket::leader)).containsExactly(1, 2, 3, 1, 2, 3, 1);
    assertThat(create("u", Map.of("bucket.num", "2")).buckets().stream().map(Bucket::leader))
        .as("the least loaded come first")
        .containsExactly(2, 3);
  }

  @Test
  void refusesWhatTheDefinitionGetsWrong() {
    log.submit(Fixtures.register(1, "i"));
    assertRefused(
        Map.of("bucket.num", "0"),
        ErrorCode.INVALID_OPTION,
        "bucket.num is 0; it must be between 1 and 4096");
    assertRefused(
        Map.of("bucket.num", "5000"),
        ErrorCode.INVALID_OPTION,
        "bucket.num is 5000; it must be between 1 and 4096");
    assertRefused(
        Map.of("bucket.key", "id,nope"),
        ErrorCode.INVALID_OPTION,
        "Table demo.t: bucket.key names column 'nope', which the table does not have; its columns"
            + " are id, name");
    assertRefused(
        Map.of("table.replication.factor", "2"),
        ErrorCode.NOT_ENOUGH_SERVERS,
        "Table demo.t cannot be created: table.replication.factor is 2 but 1 tablet server is"
            + " alive and not draining; start more or ask for fewer replicas");
    log.submit(Fixtures.register(2, "i"));
    log.submit(new Command.SetServerState(2, ServerState.DRAINING));
    assertRefused(
        Map.of("table.replication.factor", "2"),
        ErrorCode.NOT_ENOUGH_SERVERS,
        "Table demo.t cannot be created: table.replication.factor is 2 but 1 tablet server is"
            + " alive and not draining; start more or ask for fewer replicas");
  }

  @Test
  void aPrimaryKeyChoosesTheBucketUnlessTheOptionNamesAPartOfIt() {
    log.submit(Fixtures.register(1, "i"));
    Table whole = created(keyed("id", "name"), Map.of());
    assertThat(whole.schema().primaryKey()).containsExactly("id", "name");
    assertThat(whole.bucketKey()).containsExactly("id", "name");
    catalog.dropTable(new TablePath("demo", "t"), false).join();
    Table part = created(keyed("id", "name"), Map.of("bucket.key", "name"));
    assertThat(part.bucketKey()).containsExactly("name");
  }

  private Table created(TableSchema schema, Map<String, String> options) {
    return catalog
        .createTable(new TableDefinition(new TablePath("demo", "t"), schema, options, ""), false)
        .join()
        .value();
  }

  private static TableSchema keyed(String... key) {
    return new TableSchema(
        1,
        List.of(
            Column.of(1, "id", new DataType.IntegerType(32), false),
            Column.of(2, "name", new DataType.StringType(), false),
            Column.of(3, "note", new DataType.StringType(), true)),
        List.of(key));
  }

  @Test
  void refusesWrongKeys() {
    log.submit(Fixtures.register(1, "i"));
    assertRefused(
        keyed("id", "id"),
        ErrorCode.INVALID_SCHEMA,
        "Table demo.t: the primary key names column 'id' twice");
    TableDefinition bucketedElsewhere =
        new TableDefinition(
            new TablePath("demo", "t"), keyed("id"), Map.of("bucket.key", "note"), "");
    assertThat(failure(catalog.createTable(bucketedElsewhere, false)))
        .hasMessage(
            "Table demo.t: bucket.key names column 'note', which is not in the primary key (id);"
                + " rows of one key must be in one bucket");
  }

  @Test
  void nestedColumnsAreForTablesThatStayOutOfTheLake() {
    log.submit(Fixtures.register(1, "i"));
    TableSchema nested =
        new TableSchema(
            1,
            List.of(
                Column.of(
                    1, "tags", new DataType.ArrayType(new DataType.StringType(), true), true)),
            List.of());
    assertLakeRefused(
        nested,
        ErrorCode.UNSUPPORTED,
        "Table demo.t: column 'tags' has the nested type ARRAY<STRING>; this build copies only"
            + " scalar columns to the lake: use scalar types, or leave table.datalake.enabled out");
    assertThat(created(nested, Map.of()).schema()).isEqualTo(nested);
  }

  @Test
  void aLogTableMayHaveACopyInTheLake() {
    log.submit(Fixtures.register(1, "i"));
    Table table = create("t", LAKE);
    assertThat(table.lakeEnabled()).isTrue();
    assertThat(log.current().state().lakes().size()).isEqualTo(1);
    assertThat(create("u", Map.of("table.datalake.enabled", "false")).lakeEnabled()).isFalse();
    assertThat(log.current().state().lakes().size()).isEqualTo(1);
  }

  @Test
  void refusesWhatTheLakeCannotHoldNamingTheWayOut() {
    log.submit(Fixtures.register(1, "i"));
    assertLakeRefused(
        keyed("id"),
        ErrorCode.UNSUPPORTED,
        "Table demo.t has a primary key; this build copies only log tables to the lake: leave"
            + " table.datalake.enabled out, or leave the primary key out");
    assertLakeRefused(
        one("at", new DataType.TimestampType(7)),
        ErrorCode.UNSUPPORTED,
        "Table demo.t: column 'at' has type TIMESTAMP(7), which the lake cannot hold: Iceberg format"
            + " 2 counts microseconds; declare it TIMESTAMP(6), or leave table.datalake.enabled"
            + " out");
    assertLakeRefused(
        one("at", new DataType.TimestampLtzType(9)),
        ErrorCode.UNSUPPORTED,
        "Table demo.t: column 'at' has type TIMESTAMP_LTZ(9), which the lake cannot hold: Iceberg"
            + " format 2 counts microseconds; declare it TIMESTAMP_LTZ(6), or leave"
            + " table.datalake.enabled out");
    assertLakeRefused(
        one("at", new DataType.TimeType(7)),
        ErrorCode.UNSUPPORTED,
        "Table demo.t: column 'at' has type TIME(7), which the lake cannot hold: Iceberg format 2"
            + " counts microseconds; declare it TIME(6), or leave table.datalake.enabled out");
    assertLakeRefused(
        one("__Offset", new DataType.StringType()),
        ErrorCode.INVALID_NAME,
        "Table demo.t: column '__Offset' has the name of a system column of lake tables (__bucket,"
            + " __offset, __timestamp); choose another name, or leave table.datalake.enabled out");
    catalog
        .createTable(
            new TableDefinition(
                new TablePath("demo", "t"), one("at", new DataType.TimestampType(6)), LAKE, ""),
            false)
        .join();
  }

  private static TableSchema one(String name, DataType type) {
    return new TableSchema(1, List.of(Column.of(1, name, type, true)), List.of());
  }

  private void assertLakeRefused(TableSchema schema, ErrorCode code, String message) {
    assertRefused(new TableDefinition(new TablePath("demo", "t"), schema, LAKE, ""), code, message);
  }

  @Test
  void refusesATableWithoutServersNamingTheWayOut() {
    assertRefused(
        Map.of(),
        ErrorCode.NOT_ENOUGH_SERVERS,
        "Table demo.t cannot be created: no tablet server is alive; start one and try again");
  }

  @Test
  void refusesATableInAnUnknownDatabase() {
    log.submit(Fixtures.register(1, "i"));
    SluiceException refused =
        failure(
            catalog.createTable(
                new TableDefinition(new TablePath("none", "t"), Fixtures.SCHEMA, Map.of(), ""),
                true));
    assertThat(refused.code()).isEqualTo(ErrorCode.DATABASE_NOT_FOUND);
  }

  @Test
  void anExistingTableIsAnErrorUnlessItWillDo() {
    log.submit(Fixtures.register(1, "i"));
    Table first = create("t", Map.of());
    TableDefinition same =
        new TableDefinition(new TablePath("demo", "t"), Fixtures.SCHEMA, Map.of(), "");
    assertThat(failure(catalog.createTable(same, false)).code()).isEqualTo(ErrorCode.TABLE_EXISTS);
    assertThat(catalog.createTable(same, true).join().value()).isEqualTo(first);
  }

  @Test
  void whatIsWrongWithADefinitionIsToldBeforeThatItsNameIsTaken() {
    log.submit(Fixtures.register(1, "i"));
    Table first = create("t", Map.of());
    TableDefinition wrong =
        new TableDefinition(
            new TablePath("demo", "t"), Fixtures.SCHEMA, Map.of("bucket.num", "0"), "");
    assertThat(failure(catalog.createTable(wrong, false)).code())
        .isEqualTo(ErrorCode.INVALID_OPTION);
    assertThat(catalog.createTable(wrong, true).join().value())
        .as("IF NOT EXISTS is content with what there is")
        .isEqualTo(first);
    // Where there are no servers the name is taken all the same.
    log.submit(new Command.EndSession(1, "i"));
    assertThat(
            failure(
                    catalog.createTable(
                        new TableDefinition(first.path(), Fixtures.SCHEMA, Map.of(), ""), false))
                .code())
        .isEqualTo(ErrorCode.TABLE_EXISTS);
  }

  @Test
  void dropsTellWhetherThereWasSomething() {
    log.submit(Fixtures.register(1, "i"));
    create("t", Map.of());
    TablePath path = new TablePath("demo", "t");
    assertThat(catalog.dropTable(path, false).join()).isTrue();
    assertThat(catalog.dropTable(path, true).join()).isFalse();
    assertThat(failure(catalog.dropTable(path, false)).code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
    assertThat(catalog.dropDatabase("demo", false, false).join()).isTrue();
    assertThat(catalog.dropDatabase("demo", true, false).join()).isFalse();
  }

  @Test
  void failuresOfTheLogComeThrough() {
    log.setAvailable(false);
    assertThat(failure(catalog.initWriter("w")).code()).isEqualTo(ErrorCode.UNAVAILABLE);
  }

  private Table create(String name, Map<String, String> options) {
    return catalog
        .createTable(
            new TableDefinition(new TablePath("demo", name), Fixtures.SCHEMA, options, ""), false)
        .join()
        .value();
  }

  private void assertRefused(Map<String, String> options, ErrorCode code, String message) {
    assertRefused(
        new TableDefinition(new TablePath("demo", "t"), Fixtures.SCHEMA, options, ""),
        code,
        message);
  }

  private void assertRefused(TableSchema schema, ErrorCode code, String message) {
    assertRefused(
        new TableDefinition(new TablePath("demo", "t"), schema, Map.of(), ""), code, message);
  }

  private void assertRefused(TableDefinition definition, ErrorCode code, String message) {
    SluiceException refused = failure(catalog.createTable(definition, false));
    assertThat(refused).hasMessage(message);
    assertThat(refused.code()).isEqualTo(code);
    assertThat(log.current().state().tables().size()).isZero();
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
