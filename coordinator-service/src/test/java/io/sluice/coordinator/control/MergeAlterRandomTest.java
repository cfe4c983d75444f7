package io.sluice.coordinator.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.AggregateOption;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.coordinator.metadata.FakeMetadataLog;
import io.sluice.coordinator.metadata.Fixtures;
import io.sluice.coordinator.metadata.Table;
import io.sluice.format.merge.AggFunction;
import io.sluice.format.merge.FieldAggregate;
import io.sluice.format.merge.MergeRules;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.SchemaChange;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.MovedClock;
import io.sluice.testkit.Seeds;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/**
 * Random alterations of a table that aggregates: a column id has one function for ever, whatever
 * the names do, and an accepted alteration leaves rules that fit.
 */
class MergeAlterRandomTest {
  private static final TablePath PATH = new TablePath("demo", "t");
  private static final List<String> TYPES =
      List.of("INT", "BIGINT", "STRING", "BOOLEAN", "BYTES", "DECIMAL(9,2)", "CHAR(4)");

  @Test
  void aColumnKeepsItsFunctionForEver() {
    Set<AggFunction> seen = EnumSet.noneOf(AggFunction.class);
    Map<Boolean, Integer> accepted = new HashMap<>();
    Seeds.run(
        60,
        (seed, random) -> {
          FakeMetadataLog log = FakeMetadataLog.withDatabase();
          Catalog catalog = new Catalog(log, new MovedClock(1_000), 1);
          log.submit(Fixtures.register(1, "i"));
          Table table = create(catalog);
          Map<Integer, FieldAggregate> functions = new HashMap<>();
          for (int i = 0; i < 60; i++) {
            check(table, functions, seen);
            try {
              table = catalog.alterTable(PATH, 0, alteration(random)).join().value();
              accepted.merge(true, 1, Integer::sum);
            } catch (CompletionException e) {
              accepted.merge(false, 1, Integer::sum);
              assertThat(((SluiceException) e.getCause()).code())
                  .isIn(ErrorCode.INVALID_ALTER, ErrorCode.INVALID_OPTION);
              assertThat(log.current().state().table(PATH)).isEqualTo(table);
            }
          }
        });
    if (System.getProperty("sluice.seed") == null) {
      assertThat(seen).isEqualTo(EnumSet.allOf(AggFunction.class));
      assertThat(accepted.get(true)).isGreaterThan(200);
      assertThat(accepted.get(false)).isGreaterThan(200);
    }
  }

  private static void check(
      Table table, Map<Integer, FieldAggregate> functions, Set<AggFunction> seen) {
    MergeRules rules = MergeRules.of(table.schema(), table.options());
    for (int i = 1; i < table.schema().size(); i++) {
      FieldAggregate found = rules.aggregate(i);
      int id = table.schema().columns().get(i).id();
      seen.add(found.function());
      assertThat(functions.computeIfAbsent(id, first -> found))
          .as("column '%s' with id %s", table.schema().columns().get(i).name(), id)
          .isEqualTo(found);
    }
    for (String key : table.options().keySet()) {
      AggregateOption.of(key)
          .ifPresent(option -> assertThat(table.schema().hasColumn(option.column())).isTrue());
    }
  }

  private static Table create(Catalog catalog) {
    TableSchema schema =
        new TableSchema(
            1,
            List.of(
                Column.of(1, "k", new DataType.IntegerType(32), false),
                Column.of(2, "a", new DataType.IntegerType(32), true)),
            List.of("k"));
    Map<String, String> options =
        Map.of("table.merge-engine", "aggregation", "fields.a.agg", "sum");
    return catalog
        .createTable(new TableDefinition(PATH, schema, options, ""), false)
        .join()
        .value();
  }

  private static TableAlteration alteration(SplittableRandom random) {
    List<SchemaChange> changes = new ArrayList<>();
    Map<String, Optional<String>> options = new HashMap<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      changes.add(change(random));
    }
    AggFunction[] functions = AggFunction.values();
    for (SchemaChange change : changes) {
      if (change instanceof SchemaChange.Add add && random.nextInt(4) > 0) {
        AggFunction function = functions[random.nextInt(functions.length)];
        options.put(AggregateOption.function(add.name()), Optional.of(function.text()));
        if (random.nextInt(4) == 0) {
          AggregateOption.Part part = AggregateOption.Part.values()[1 + random.nextInt(2)];
          options.put(new AggregateOption(add.name(), part).key(), Optional.of("saturate"));
        }
      }
    }
    if (random.nextInt(5) == 0) {
      options.put(
          AggregateOption.function(name(random)),
          random.nextBoolean() ? Optional.empty() : Optional.of("max"));
    }
    return new TableAlteration(changes, options, null);
  }

  private static SchemaChange change(SplittableRandom random) {
    String name = name(random);
    DataType type = DataTypeParser.parse(TYPES.get(random.nextInt(TYPES.size())));
    return switch (random.nextInt(6)) {
      case 0, 1, 2 ->
          new SchemaChange.Add(
              List.of(), name, type, true, "", null, new SchemaChange.Position.Last());
      case 3 -> new SchemaChange.Drop(List.of(name));
      case 4 -> new SchemaChange.Rename(List.of(name), name(random));
      default -> new SchemaChange.ChangeType(List.of(name), type);
    };
  }

  /** One of a few, with such as look like options among them. */
  private static String name(SplittableRandom random) {
    return List.of("a", "b", "c", "d", "a.agg", "b.agg.delimiter").get(random.nextInt(6));
  }
}
