package io.sluice.coordinator.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.FakeMetadataLog;
import io.sluice.coordinator.metadata.Fixtures;
import io.sluice.coordinator.metadata.Table;
import io.sluice.format.merge.AggFunction;
import io.sluice.format.merge.MergeRules;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.SchemaChange;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.MovedClock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tables with merge rules: how they are made and altered. */
class MergeTablesTest {
  private static final TablePath PATH = new TablePath("demo", "t");
  private static final Map<String, String> AGGREGATION =
      Map.of(
          "table.merge-engine", "aggregation",
          "fields.total.agg", "sum",
          "fields.total.agg.on-overflow", "saturate",
          "fields.note.agg", "listagg",
          "fields.note.agg.delimiter", ";");
  private static final Map<String, String> VERSIONED =
      Map.of(
          "table.merge-engine",
          "versioned",
          "table.merge-engine.versioned.ver-column",
          "total",
          "auto-increment.fields",
          "uid");

  private final FakeMetadataLog log = FakeMetadataLog.withDatabase();
  private final Catalog catalog = new Catalog(log, new MovedClock(5_000), 1);

  @BeforeEach
  void register() {
    log.submit(Fixtures.register(1, "i"));
  }

  @Test
  void keepsTheOptionsOfATableWhoseRulesFit() {
    Table table = create(AGGREGATION);
    assertThat(table.options()).isEqualTo(AGGREGATION);
    assertThat(rules(table).aggregate(1).function()).isEqualTo(AggFunction.SUM);
  }

  @Test
  void refusesRulesThatDoNotFitNamingTheTable() {
    SluiceException type =
        failure(
            create(keyed(), Map.of("table.merge-engine", "aggregation", "fields.note.agg", "sum")));
    assertThat(type.code()).isEqualTo(ErrorCode.INVALID_OPTION);
    assertThat(type)
        .hasMessageStartingWith("Table demo.t: fields.note.agg is 'sum', which takes TINYINT")
        .hasMessageContaining("column 'note' is STRING, for which there are min, max");
    SluiceException log =
        failure(create(Fixtures.SCHEMA, Map.of("table.delete.behavior", "ignore")));
    assertThat(log.code()).isEqualTo(ErrorCode.INVALID_OPTION);
    assertThat(log)
        .hasMessageContaining("table.delete.behavior is only for tables with a primary key");
  }

  @Test
  void aNewColumnComesWithItsFunctionInOneAlteration() {
    create(AGGREGATION);
    int before = log.commands().size();
    Table altered =
        alter(
            List.of(add("visits", "BIGINT"), add("best", "DOUBLE")),
            Map.of(
                "fields.visits.agg",
                Optional.of("count"),
                "fields.visits.agg.on-overflow",
                Optional.of("saturate"),
                "fields.best.agg",
                Optional.of("max")));
    assertThat(log.commands()).hasSize(before + 1);
    MergeRules rules = rules(altered);
    int visits = altered.schema().position("visits");
    assertThat(rules.aggregate(visits).function()).isEqualTo(AggFunction.COUNT);
    assertThat(rules.aggregate(visits).saturate()).isTrue();
    assertThat(rules.aggregate(altered.schema().position("best")).function())
        .isEqualTo(AggFunction.MAX);
    Table plain = alter(List.of(add("last", "STRING")), Map.of());
    assertThat(rules(plain).aggregate(plain.schema().position("last")).function())
        .isEqualTo(AggFunction.LAST_VALUE_IGNORE_NULLS);
  }

  @Test
  void aFunctionThatDoesNotFitTheNewColumnChangesNothing() {
    Table table = create(AGGREGATION);
    SluiceException refused =
        refused(List.of(add("name", "STRING")), Map.of("fields.name.agg", Optional.of("bool_and")));
    assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_OPTION);
    assertThat(refused)
        .hasMessageStartingWith(
            "Table demo.t cannot be altered: fields.name.agg is 'bool_and', which takes BOOLEAN");
    assertThat(log.current().state().table(PATH)).isEqualTo(table);
  }

  @Test
  void functionsOfExistingColumnsNeverChange() {
    create(AGGREGATION);
    Map<String, Optional<String>> other = Map.of("fields.total.agg", Optional.of("max"));
    for (SluiceException refused :
        List.of(
            refused(List.of(), other),
            refused(List.of(add("x", "INT")), other),
            refused(List.of(), Map.of("fields.total.agg", Optional.empty())),
            refused(List.of(), Map.of("fields.note.agg.delimiter", Optional.of(","))))) {
      assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_ALTER);
      assertThat(refused).hasMessageContaining("is fixed when its column is added");
    }
    for (String key :
        List.of(
            "table.merge-engine",
            "table.delete.behavior",
            "table.changelog.image",
            "auto-increment.fields",
            "table.merge-engine.versioned.ver-column",
            "table.kv.format")) {
      SluiceException refused = refused(List.of(), Map.of(key, Optional.of("compacted")));
      assertThat(refused.code()).as(key).isEqualTo(ErrorCode.INVALID_ALTER);
      assertThat(refused).hasMessageContaining("option " + key + " is fixed when the table");
    }
  }

  @Test
  void optionsFollowARenamedColumnAndGoWithADroppedOne() {
    create(AGGREGATION);
    Table renamed = alter(List.of(rename("total", "sum.agg"), rename("note", "total")), Map.of());
    Map<String, String> expected = new HashMap<>();
    expected.put("table.merge-engine", "aggregation");
    expected.put("fields.sum.agg.agg", "sum");
    expected.put("fields.sum.agg.agg.on-overflow", "saturate");
    expected.put("fields.total.agg", "listagg");
    expected.put("fields.total.agg.delimiter", ";");
    assertThat(renamed.options()).isEqualTo(expected);
    // A column of the old name is another one, and may have another function.
    Table again =
        alter(
            List.of(
                new SchemaChange.Drop(List.of("total")), add("x", "BIGINT"), rename("x", "total")),
            Map.of("fields.total.agg", Optional.of("product")));
    expected.put("fields.total.agg", "product");
    expected.remove("fields.total.agg.delimiter");
    assertThat(again.options()).isEqualTo(expected);
    assertThat(rules(again).aggregate(again.schema().position("total")).function())
        .isEqualTo(AggFunction.PRODUCT);
  }

  @Test
  void versionAndIdColumnsMayBeRenamedAndWidenedButNotDropped() {
    create(VERSIONED);
    for (String column : List.of("total", "uid")) {
      SluiceException refused = refused(List.of(new SchemaChange.Drop(List.of(column))), Map.of());
      assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_ALTER);
      assertThat(refused)
          .hasMessageStartingWith("Table demo.t cannot be altered: column '" + column + "'")
          .hasMessageContaining("names it for good");
    }
    SluiceException defaulted =
        refused(List.of(new SchemaChange.SetDefault(List.of("uid"), "7")), Map.of());
    assertThat(defaulted.code()).isEqualTo(ErrorCode.INVALID_ALTER);
    assertThat(defaulted).hasMessageContaining("has a default");
    Table altered =
        alter(
            List.of(
                rename("total", "version"),
                rename("uid", "id"),
                new SchemaChange.ChangeType(List.of("id"), new DataType.IntegerType(64))),
            Map.of("table.auto-increment.cache-size", Optional.of("10")));
    assertThat(altered.options())
        .containsEntry("table.merge-engine.versioned.ver-column", "version")
        .containsEntry("auto-increment.fields", "id");
    assertThat(rules(altered).largestId()).isEqualTo(Long.MAX_VALUE);
    assertThat(rules(altered).maxIdRange()).isEqualTo(10);
  }

  @Test
  void aggregatedColumnsAreWidenedWithinWhatTheirFunctionTakes() {
    create(Map.of("table.merge-engine", "aggregation", "fields.uid.agg", "sum"));
    Table altered =
        alter(
            List.of(new SchemaChange.ChangeType(List.of("uid"), new DataType.IntegerType(64))),
            Map.of());
    assertThat(altered.schema().column("uid").type()).isEqualTo(new DataType.IntegerType(64));
    assertThat(rules(altered).aggregate(3).function()).isEqualTo(AggFunction.SUM);
  }

  @Test
  void rowsMayBeGivenATimeToLiveLater() {
    create(Map.of());
    assertThat(
            rules(alter(List.of(), Map.of("table.kv.ttl", Optional.of("1 h")))).rowTtl().toHours())
        .isEqualTo(1);
    assertThat(rules(alter(List.of(), Map.of("table.kv.ttl", Optional.empty()))).rowTtl()).isZero();
    SluiceException refused =
        refused(List.of(), Map.of("table.auto-increment.cache-size", Optional.of("10")));
    assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_OPTION);
    assertThat(refused).hasMessageContaining("only for tables with auto-increment.fields");
  }

  @Test
  void idsThatWereGrantedStayGrantedThroughAlterations() {
    Table table = create(VERSIONED);
    log.submit(new Command.GrantIds(table.tableId(), 0, 0, 1, 1, 128, Integer.MAX_VALUE));
    assertThat(alter(List.of(rename("uid", "id")), Map.of()).idsGranted()).isEqualTo(128);
  }

  private static MergeRules rules(Table table) {
    return MergeRules.of(table.schema(), table.options());
  }

  private static TableSchema keyed() {
    return new TableSchema(
        1,
        List.of(
            Column.of(1, "k", new DataType.StringType(), false),
            Column.of(2, "total", new DataType.IntegerType(64), true),
            Column.of(3, "note", new DataType.StringType(), true),
            Column.of(4, "uid", new DataType.IntegerType(32), true)),
        List.of("k"));
  }

  private static SchemaChange add(String name, String type) {
    return new SchemaChange.Add(
        List.of(),
        name,
        DataTypeParser.parse(type),
        true,
        "",
        null,
        new SchemaChange.Position.Last());
  }

  private static SchemaChange rename(String name, String newName) {
    return new SchemaChange.Rename(List.of(name), newName);
  }

  private Table create(Map<String, String> options) {
    return create(keyed(), options).join().value();
  }

  private CompletableFuture<Versioned<Table>> create(
      TableSchema schema, Map<String, String> options) {
    return catalog.createTable(new TableDefinition(PATH, schema, options, ""), false);
  }

  private Table alter(List<SchemaChange> columns, Map<String, Optional<String>> options) {
    return catalog.alterTable(PATH, 0, new TableAlteration(columns, options, null)).join().value();
  }

  private SluiceException refused(
      List<SchemaChange> columns, Map<String, Optional<String>> options) {
    return failure(catalog.alterTable(PATH, 0, new TableAlteration(columns, options, null)));
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
