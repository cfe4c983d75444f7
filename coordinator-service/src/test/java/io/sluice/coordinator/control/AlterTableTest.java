package io.sluice.coordinator.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.FakeMetadataLog;
import io.sluice.coordinator.metadata.Fixtures;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.Table;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.SchemaChange;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.MovedClock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AlterTableTest {
  private static final TablePath PATH = new TablePath("demo", "t");

  private final FakeMetadataLog log = FakeMetadataLog.withDatabase();
  private final Catalog catalog = new Catalog(log, new MovedClock(5_000), 1);

  @BeforeEach
  void register() {
    log.submit(Fixtures.register(1, "i"));
  }

  @Test
  void columnsOptionsAndCommentChangeTogetherInOneCommand() {
    create(Map.of("bucket.num", "2", "owner", "me"));
    int before = log.commands().size();
    Table altered =
        alter(
            new TableAlteration(
                List.of(add("age", "7"), new SchemaChange.Rename(List.of("name"), "title")),
                Map.of("table.log.ttl", Optional.of("1 d"), "owner", Optional.empty()),
                "better"));
    assertThat(log.commands()).hasSize(before + 1);
    assertThat(altered.version()).isEqualTo(1);
    assertThat(altered.schema().schemaId()).isEqualTo(2);
    assertThat(altered.schema().columns().stream().map(Column::name))
        .containsExactly("id", "title", "age");
    assertThat(altered.schema().column("age").id()).isEqualTo(3);
    assertThat(altered.schema().column("age").initialDefault()).isEqualTo("7");
    assertThat(altered.options()).isEqualTo(Map.of("bucket.num", "2", "table.log.ttl", "1 d"));
    assertThat(altered.comment()).isEqualTo("better");
    assertThat(altered.schemas()).hasSize(2);
  }

  @Test
  void theNumberOfReplicasOfTheBucketsThatAreThereFollowsTheOption() {
    create(Map.of("bucket.num", "2"));
    TableAlteration two =
        new TableAlteration(List.of(), Map.of("table.replication.factor", Optional.of("2")), null);
    assertThat(failure(catalog.alterTable(PATH, 0, two)))
        .hasMessageContaining("cannot have 2 replicas of each bucket: 1 tablet server is alive");
    log.submit(Fixtures.register(2, "j"));
    Table growing = alter(two);
    assertThat(growing.replicationFactor()).isEqualTo(2);
    assertThat(growing.buckets()).allMatch(bucket -> bucket.target().equals(List.of(1, 2)));
    int before = log.commands().size();
    alter(two);
    assertThat(log.commands()).as("they are on their way").hasSize(before);
    Table shrinking =
        alter(
            new TableAlteration(
                List.of(), Map.of("table.replication.factor", Optional.of("1")), null));
    assertThat(shrinking.buckets())
        .allMatch(bucket -> !bucket.moving() && bucket.replicas().equals(List.of(1)));
  }

  @Test
  void idsOfDroppedColumnsAreNotGivenAgain() {
    create(Map.of());
    alterColumns(add("a", "1"));
    alterColumns(new SchemaChange.Drop(List.of("a")));
    assertThat(alterColumns(add("a", "2")).schema().column("a").id()).isEqualTo(4);
  }

  @Test
  void whatAlreadyIsTakesNoCommand() {
    create(Map.of("owner", "me"));
    int before = log.commands().size();
    Table same =
        alter(new TableAlteration(List.of(), Map.of("owner", Optional.of("me")), "comment"));
    assertThat(same.version()).isZero();
    alterColumns(new SchemaChange.SetDefault(List.of("name"), null));
    alterColumns(new SchemaChange.Move(List.of("id"), new SchemaChange.Position.First()));
    assertThat(log.commands()).hasSize(before);
  }

  @Test
  void twoAlterationsAtTheSameTimeBothCount() {
    create(Map.of());
    FakeMetadataLog racing = log;
    MetadataImage stale = racing.current();
    alterColumns(add("first", "1"));
    // Planned from the table as it was before.
    Command late =
        AlterRules.plan(
                stale.state().table(PATH),
                new TableAlteration(List.of(add("x", "1")), Map.of(), null))
            .orElseThrow();
    assertThat(racing.submit(late).join().outcome().toString()).contains("SCHEMA_CHANGED");
    assertThat(alterColumns(add("second", "1")).schema().columns()).hasSize(4);
  }

  @Test
  void anAlterationOfARecreatedTableIsRefused() {
    Table first = create(Map.of());
    catalog.dropTable(PATH, false).join();
    Table second = create(Map.of());
    TableAlteration comment = new TableAlteration(List.of(), Map.of(), "x");
    SluiceException refused = failure(catalog.alterTable(PATH, first.tableId(), comment));
    assertThat(refused.code()).isEqualTo(ErrorCode.TABLE_CHANGED);
    assertThat(refused)
        .hasMessage("Table demo.t was dropped and created again: its id is 2, not 1");
    catalog.alterTable(PATH, second.tableId(), comment).join();
    assertThat(failure(catalog.alterTable(new TablePath("demo", "no"), 0, comment)).code())
        .isEqualTo(ErrorCode.TABLE_NOT_FOUND);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "bucket.num|4|INVALID_ALTER|option bucket.num is fixed when the table is created",
        "bucket.num|0|INVALID_OPTION|bucket.num is 0; it must be between 1 and 4096",
        "table.datalake.enabled|true|INVALID_ALTER|option table.datalake.enabled is fixed",
        "table.auto-partition.time-zone|UTC|INVALID_ALTER|time-zone is fixed",
        "table.log.tl|1|INVALID_OPTION|did you mean table.log.ttl?",
        "table.kv.ttl|1 d|INVALID_OPTION|only for tables with a primary key",
        "table.log.ttl|soon|INVALID_OPTION|table.log.ttl is 'soon'",
        "table.statistics.columns|id,nope|INVALID_ALTER|table.statistics.columns names 'nope'",
        "table.auto-partition.enabled|true|INVALID_OPTION|it needs a partitioned table"
      })
  void refusesOptionsNamingTheRule(String key, String value, ErrorCode code, String message) {
    create(Map.of());
    SluiceException refused =
        failure(
            catalog.alterTable(
                PATH, 0, new TableAlteration(List.of(), Map.of(key, Optional.of(value)), null)));
    assertThat(refused).hasMessageContaining(message);
    assertThat(refused.code()).isEqualTo(code);
    assertThat(log.current().state().table(PATH).version()).isZero();
  }

  @Test
  void keysKeepTheirColumnsAndAnEmptyRequestIsRefused() {
    create(Map.of("bucket.key", "id"));
    assertRefused(
        new TableAlteration(List.of(new SchemaChange.Drop(List.of("id"))), Map.of(), null), "'id'");
    assertRefused(
        new TableAlteration(List.of(new SchemaChange.Drop(List.of("nope"))), Map.of(), null),
        "nope");
    assertRefused(new TableAlteration(List.of(), Map.of(), null), "names no change");
    assertRefused(
        new TableAlteration(
            List.of(add("good", "1"), new SchemaChange.Drop(List.of("nope"))), Map.of(), null),
        "nope");
    assertThat(log.current().state().table(PATH).schema()).isEqualTo(Fixtures.SCHEMA);
  }

  @Test
  void aColumnWithStatisticsGoesOnlyTogetherWithItsNameInTheOption() {
    create(Map.of("table.statistics.columns", "id,name"));
    SchemaChange drop = new SchemaChange.Drop(List.of("name"));
    assertRefused(
        new TableAlteration(List.of(drop), Map.of(), null),
        "table.statistics.columns names 'name'");
    Table altered =
        alter(
            new TableAlteration(
                List.of(drop), Map.of("table.statistics.columns", Optional.of("id")), null));
    assertThat(altered.schema().columns()).hasSize(1);
  }

  @Test
  void tablesInTheLakeKeepTheirColumnsButNotTheirOptions() {
    create(Map.of("table.datalake.enabled", "true"));
    SluiceException refused =
        failure(
            catalog.alterTable(
                PATH, 0, new TableAlteration(List.of(add("a", "1")), Map.of(), null)));
    assertThat(refused.code()).isEqualTo(ErrorCode.UNSUPPORTED);
    assertThat(refused).hasMessageContaining("copied to the lake");
    Table altered =
        alter(
            new TableAlteration(
                List.of(), Map.of("table.datalake.freshness", Optional.of("1 h")), null));
    assertThat(altered.options()).containsEntry("table.datalake.freshness", "1 h");
  }

  @Test
  void defaultsAreCheckedAndMadeCanonicalAtCreation() {
    TableSchema schema =
        new TableSchema(
            1,
            List.of(
                new Column(1, "n", new DataType.IntegerType(32), false, "", "007", "007"),
                Column.of(2, "s", new DataType.StringType(), true)),
            List.of());
    SluiceException refused =
        catchThrowableOfType(
            SluiceException.class,
            () ->
                TableRules.plan(
                    Placement.of(log.current().state()),
                    new TableDefinition(
                        PATH,
                        new TableSchema(
                            1,
                            List.of(
                                new Column(
                                    1, "n", new DataType.IntegerType(32), true, "", "x", "x")),
                            List.of()),
                        Map.of(),
                        ""),
                    1,
                    0));
    assertThat(refused).hasMessageContaining("Table demo.t").hasMessageContaining("'n'");
    Table created =
        catalog.createTable(new TableDefinition(PATH, schema, Map.of(), ""), false).join().value();
    assertThat(created.schema().column("n").writeDefault()).isEqualTo("7");
  }

  private void assertRefused(TableAlteration alteration, String message) {
    SluiceException refused = failure(catalog.alterTable(PATH, 0, alteration));
    assertThat(refused).hasMessageStartingWith("Table demo.t cannot be altered: ");
    assertThat(refused).hasMessageContaining(message);
    assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_ALTER);
  }

  private static SchemaChange add(String name, String defaultValue) {
    return new SchemaChange.Add(
        List.of(),
        name,
        new DataType.IntegerType(32),
        true,
        "",
        defaultValue,
        new SchemaChange.Position.Last());
  }

  private Table alterColumns(SchemaChange change) {
    return alter(new TableAlteration(List.of(change), Map.of(), null));
  }

  private Table alter(TableAlteration alteration) {
    return catalog.alterTable(PATH, 0, alteration).join().value();
  }

  private Table create(Map<String, String> options) {
    return catalog
        .createTable(new TableDefinition(PATH, Fixtures.SCHEMA, options, "comment"), false)
        .join()
        .value();
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
