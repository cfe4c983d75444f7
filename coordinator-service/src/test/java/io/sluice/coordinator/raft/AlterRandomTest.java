package io.sluice.coordinator.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.coordinator.control.Catalog;
import io.sluice.coordinator.control.TableAlteration;
import io.sluice.coordinator.control.TableDefinition;
import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.FakeMetadataLog;
import io.sluice.coordinator.metadata.Fixtures;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.Table;
import io.sluice.coordinator.metadata.Transitions;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.FieldIds;
import io.sluice.format.schema.SchemaChange;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.metadata.Schemas;
import io.sluice.protocol.metadata.v1.ColumnDef;
import io.sluice.testkit.MovedClock;
import io.sluice.testkit.Seeds;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random alterations and partitions through the rules: ids stand for one column for ever, every
 * refusal is one of the rules', and replay and snapshot give the same state.
 */
class AlterRandomTest {
  private static final UUID GROUP = new UUID(3, 4);
  private static final Set<ErrorCode> RULES =
      Set.of(
          ErrorCode.INVALID_ALTER,
          ErrorCode.TABLE_NOT_FOUND,
          ErrorCode.PARTITION_EXISTS,
          ErrorCode.PARTITION_NOT_FOUND);
  private static final List<String> TYPES =
      List.of(
          "INT",
          "BIGINT",
          "STRING",
          "DECIMAL(12,2)",
          "ROW<x INT, y ROW<z STRING>>",
          "ARRAY<ROW<x INT>>",
          "MAP<STRING, ROW<x INT, y INT>>");

  @TempDir Path directory;

  @Test
  void everyReplayAndSnapshotGivesTheSameState() {
    Map<String, Integer> counts = new HashMap<>();
    Seeds.run(
        40,
        (seed, random) -> {
          FakeMetadataLog log = FakeMetadataLog.withDatabase();
          Catalog catalog = new Catalog(log, new MovedClock(1_000), 1);
          log.submit(Fixtures.register(1, "i"));
          log.submit(Fixtures.register(2, "i"));
          Model model = new Model();
          for (int i = 0; i < 80; i++) {
            TablePath path = new TablePath("demo", "t" + random.nextInt(2));
            String outcome = outcome(operation(random, catalog, path));
            counts.merge(outcome, 1, Integer::sum);
            model.check(log.current().state());
          }
          ClusterState state = log.current().state();
          ClusterState replayed = ClusterState.EMPTY;
          for (Command command : log.commands()) {
            Command decoded = CommandCodec.decode(CommandCodec.encode(command));
            assertThat(decoded).isEqualTo(command);
            replayed = Transitions.apply(replayed, decoded).state();
          }
          assertThat(replayed).isEqualTo(state);
          Path file = directory.resolve("snapshot");
          SnapshotFile.write(file, GROUP, 1, new MetadataImage(9, state));
          assertThat(SnapshotFile.read(file, GROUP).state()).isEqualTo(state);
        });
    if (System.getProperty("sluice.seed") != null) {
      return;
    }
    assertThat(counts.get("done")).as("operations done of %s", counts).isGreaterThan(800);
    assertThat(counts.get("INVALID_ALTER")).as("alterations refused").isGreaterThan(100);
  }

  private static CompletableFuture<?> operation(
      SplittableRandom random, Catalog catalog, TablePath path) {
    return switch (random.nextInt(12)) {
      case 0 -> catalog.createTable(definition(path), true);
      case 1 -> random.nextInt(4) == 0 ? catalog.dropTable(path, true) : catalog.image();
      case 2, 3 ->
          catalog.createPartition(path, 0, List.of("p" + random.nextInt(8)), random.nextBoolean());
      case 4 -> catalog.dropPartition(path, List.of("p" + random.nextInt(8)), random.nextBoolean());
      default -> {
        List<SchemaChange> changes = new ArrayList<>();
        for (int i = 0; i <= random.nextInt(2); i++) {
          changes.add(change(random));
        }
        yield catalog.alterTable(
            path,
            0,
            new TableAlteration(
                changes,
                random.nextBoolean()
                    ? Map.of()
                    : Map.of("k", random.nextBoolean() ? Optional.of("v") : Optional.empty()),
                random.nextBoolean() ? null : "c" + random.nextInt(3)));
      }
    };
  }

  private static TableDefinition definition(TablePath path) {
    return new TableDefinition(
        path,
        Schemas.newSchema(
            List.of(
                ColumnDef.newBuilder().setName("id").setType("BIGINT").build(),
                ColumnDef.newBuilder().setName("dt").setType("STRING").build(),
                ColumnDef.newBuilder().setName("c0").setType(TYPES.get(4)).build()),
            List.of()),
        List.of("dt"),
        Map.of("bucket.num", "3"),
        "");
  }

  private static SchemaChange change(SplittableRandom random) {
    String column = "c" + random.nextInt(4);
    List<String> path = random.nextBoolean() ? List.of(column) : List.of(column, "x");
    SchemaChange.Position position =
        switch (random.nextInt(3)) {
          case 0 -> new SchemaChange.Position.First();
          case 1 -> new SchemaChange.Position.After("id");
          default -> new SchemaChange.Position.Last();
        };
    return switch (random.nextInt(9)) {
      case 0, 1, 2 -> {
        DataType type = DataTypeParser.parse(TYPES.get(random.nextInt(TYPES.size())));
        boolean number = type instanceof DataType.IntegerType;
        yield new SchemaChange.Add(
            random.nextInt(4) == 0 ? List.of("c0") : List.of(),
            column,
            type,
            !number,
            "",
            number ? "7" : null,
            position);
      }
      case 3 -> new SchemaChange.Drop(path);
      case 4 -> new SchemaChange.Rename(path, "c" + random.nextInt(4));
      case 5 -> new SchemaChange.ChangeType(path, new DataType.IntegerType(64));
      case 6 -> new SchemaChange.SetDefault(path, random.nextBoolean() ? null : "8");
      case 7 -> new SchemaChange.MakeNullable(path);
      default -> new SchemaChange.Move(path, position);
    };
  }

  private static String outcome(CompletableFuture<?> operation) {
    try {
      operation.join();
      return "done";
    } catch (CompletionException e) {
      SluiceException refused = (SluiceException) e.getCause();
      assertThat(RULES).as("%s", refused).contains(refused.code());
      return refused.code().name();
    }
  }

  /** Remembers what every id ever stood for. */
  private static final class Model {
    private final Map<Long, List<TableSchema>> schemas = new HashMap<>();

    void check(ClusterState state) {
      state.tables().forEach(entry -> check(entry.value()));
    }

    private void check(Table table) {
      List<TableSchema> before = schemas.put(table.tableId(), table.schemas());
      int known = before == null ? 0 : before.size();
      if (before != null) {
        assertThat(table.schemas().subList(0, known)).isEqualTo(before);
      }
      for (TableSchema schema : table.schemas().subList(known, table.schemas().size())) {
        check(table, schema);
      }
    }

    /** An id that the schema before does not have was in none. */
    private static void check(Table table, TableSchema schema) {
      int position = schema.schemaId() - 1;
      assertThat(table.schemas().get(position)).isSameAs(schema);
      List<Integer> now = ids(schema);
      assertThat(now).doesNotHaveDuplicates();
      if (position == 0) {
        return;
      }
      List<Integer> last = ids(table.schemas().get(position - 1));
      List<Integer> fresh = new ArrayList<>(now);
      fresh.removeAll(last);
      for (TableSchema older : table.schemas().subList(0, position)) {
        assertThat(ids(older)).as("ids are never reused").noneMatch(fresh::contains);
      }
      assertThat(schema.hasColumn("id") && schema.hasColumn("dt")).isTrue();
    }

    private static List<Integer> ids(TableSchema schema) {
      List<Integer> ids = new ArrayList<>();
      for (Column column : schema.columns()) {
        ids.add(column.id());
        ids.addAll(FieldIds.of(column.type()));
      }
      return ids;
    }
  }
}
