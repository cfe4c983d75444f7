package io.sluice.format.projection;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchCodec;
import io.sluice.format.batch.BatchValidator;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.CompressionSettings;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchDecoder;
import io.sluice.format.batch.LogBatchEncoder;
import io.sluice.format.row.ColumnWriters;
import io.sluice.format.row.GenericRow;
import io.sluice.format.row.Row;
import io.sluice.format.row.TestValues;
import io.sluice.format.row.VectorRow;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.ArrayType;
import io.sluice.format.schema.DataType.DoubleType;
import io.sluice.format.schema.DataType.IntegerType;
import io.sluice.format.schema.DataType.MapType;
import io.sluice.format.schema.DataType.RowType;
import io.sluice.format.schema.DefaultValues;
import io.sluice.format.schema.RandomChanges;
import io.sluice.format.schema.SchemaChange;
import io.sluice.format.schema.SchemaEvolution;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.Seeds;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The invariant evolve: what was stored under any schema reads under any other as the reference
 * model says, through every codec, whole and in parts. The model knows columns by path, follows
 * every change by its own rules, and converts Java objects one by one.
 */
class EvolutionRandomTest {
  private static final int CHANGES = 7;

  /** Rows stored in one batch. */
  private record Stored(TableSchema schema, List<GenericRow> rows, EncodedBatch batch) {}

  @ParameterizedTest
  @EnumSource(BatchCodec.class)
  void storedRowsReadUnderEverySchema(BatchCodec codec) {
    Seeds.run(
        25,
        (seed, random) -> {
          try (BufferAllocator allocator = new RootAllocator();
              LogBatchEncoder encoder =
                  new LogBatchEncoder(allocator, CompressionSettings.of(codec));
              LogBatchDecoder decoder = new LogBatchDecoder(allocator)) {
            List<TableSchema> history = history(random);
            List<Stored> batches = new ArrayList<>();
            try {
              for (TableSchema schema : history) {
                batches.add(store(allocator, encoder, schema, random));
              }
              for (Stored stored : batches) {
                for (TableSchema wanted : history) {
                  check(allocator, decoder, stored, selection(wanted, random));
                }
              }
            } finally {
              batches.forEach(each -> each.batch().close());
            }
          }
        });
  }

  private static List<TableSchema> history(SplittableRandom random) {
    List<TableSchema> history = new ArrayList<>();
    List<SchemaChange> adds = new ArrayList<>();
    for (Column column : TestValues.randomSchema(random, 4, 3).columns()) {
      adds.add(
          new SchemaChange.Add(
              List.of(),
              column.name(),
              column.type(),
              true,
              "",
              null,
              new SchemaChange.Position.Last()));
    }
    TableSchema seed =
        new TableSchema(1, List.of(Column.of(1, "id", new IntegerType(32), false)), List.of());
    history.add(SchemaEvolution.apply(List.of(seed), adds, Set.of()));
    Set<Integer> used = new HashSet<>(RandomChanges.paths(history.get(0)).values());
    for (int i = 0; i < 60 && history.size() < CHANGES; i++) {
      TableSchema last = history.get(history.size() - 1);
      SchemaChange change = RandomChanges.change(last, random);
      try {
        TableSchema next = SchemaEvolution.apply(history, List.of(change), Set.of("id"));
        assertIds(last, change, next, used);
        history.add(next);
      } catch (SluiceException e) {
        assertThat(e.code()).as("%s of %s", change, last).isEqualTo(ErrorCode.INVALID_ALTER);
      }
    }
    return history;
  }

  /** Ids follow their columns; new ones were never used. */
  private static void assertIds(
      TableSchema before, SchemaChange change, TableSchema after, Set<Integer> used) {
    Map<List<String>, Integer> expected = new LinkedHashMap<>();
    RandomChanges.paths(before)
        .forEach(
            (path, id) -> {
              List<String> moved = path;
              if (change instanceof SchemaChange.Drop drop && startsWith(path, drop.path())) {
                return;
              }
              if (change instanceof SchemaChange.Rename rename && startsWith(path, rename.path())) {
                List<String> renamed = new ArrayList<>(path);
                renamed.set(rename.path().size() - 1, rename.newName());
                moved = List.copyOf(renamed);
              }
              expected.put(moved, id);
            });
    Map<List<String>, Integer> found = new LinkedHashMap<>(RandomChanges.paths(after));
    if (change instanceof SchemaChange.Add add) {
      List<String> added = RandomChanges.below(add.parent(), add.name());
      found.forEach(
          (path, id) -> {
            if (startsWith(path, added) && id > 0) {
              assertThat(used.add(id)).as("id %s of %s is new", id, path).isTrue();
            }
          });
      found.keySet().removeIf(path -> startsWith(path, added));
    }
    assertThat(found).isEqualTo(expected);
    assertThat(after.schemaId()).isEqualTo(before.schemaId() + 1);
  }

  private static boolean startsWith(List<String> path, List<String> start) {
    return path.size() >= start.size() && path.subList(0, start.size()).equals(start);
  }

  private static Stored store(
      BufferAllocator allocator,
      LogBatchEncoder encoder,
      TableSchema schema,
      SplittableRandom random) {
    List<GenericRow> rows = new ArrayList<>();
    GenericRow repeated = TestValues.randomRow(schema, random);
    for (int i = 1 + random.nextInt(random.nextInt(4) == 0 ? 400 : 30); i > 0; i--) {
      rows.add(random.nextBoolean() ? repeated : TestValues.randomRow(schema, random));
    }
    try (VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator)) {
      ColumnWriters writers = ColumnWriters.of(schema, root, 8);
      rows.forEach(writers::write);
      EncodedBatch batch = encoder.encode(writers.finish(), schema, BatchWriter.NONE);
      batch.header().stamp(100, 1, 1_700_000_000_000L);
      new BatchValidator()
          .validate(
              schema,
              batch.header(),
              batch.changeTypes(),
              batch.statistics(),
              batch.metadata(),
              batch.checksums(),
              batch.bodyBytes());
      return new Stored(schema, rows, batch);
    }
  }

  private static ColumnSelection selection(TableSchema wanted, SplittableRandom random) {
    if (random.nextBoolean()) {
      return ColumnSelection.all(wanted);
    }
    List<String> names = new ArrayList<>();
    List<List<String>> taken = new ArrayList<>();
    for (List<String> path : RandomChanges.paths(wanted).keySet()) {
      boolean free =
          taken.stream().noneMatch(other -> startsWith(path, other) || startsWith(other, path));
      if (free && !path.contains("key") && random.nextInt(3) == 0) {
        taken.add(path);
        names.add(String.join(".", path));
      }
    }
    return ColumnSelection.of(wanted, names);
  }

  private static void check(
      BufferAllocator allocator, LogBatchDecoder decoder, Stored stored, ColumnSelection wanted) {
    boolean readable = isReadable(stored, wanted);
    ProjectedBatch projected;
    ProjectionPlan plan;
    try {
      plan = ProjectionPlan.of(stored.schema(), wanted, MetadataColumns.NONE);
      projected =
          plan.project(
              stored.batch().header(),
              stored.batch().changeTypes(),
              stored.batch().metadata(),
              stored.batch().checksums());
    } catch (SluiceException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.SCHEMA_CHANGED);
      assertThat(readable).as("%s", e.getMessage()).isFalse();
      return;
    }
    assertThat(readable).isTrue();
    try (ArrowBuf body = Bodies.fill(allocator, projected, stored.batch().bodyBytes());
        VectorSchemaRoot found = decoder.decode(plan.arrowSchema(), projected.metadata(), body)) {
      VectorRow row = new VectorRow(found);
      assertThat(found.getRowCount()).isEqualTo(stored.rows().size());
      for (int i = 0; i < stored.rows().size(); i++) {
        assertThat(row.at(i).copy()).isEqualTo(converted(stored, i, wanted));
      }
    }
  }

  private static boolean isReadable(Stored stored, ColumnSelection wanted) {
    if (stored.schema().schemaId() <= wanted.schema().schemaId()) {
      return true;
    }
    for (Column target : wanted.columns()) {
      int at = position(stored.schema(), target.id());
      if (at < 0 || !sameShape(stored.schema().columns().get(at).type(), target.type())) {
        return false;
      }
      if (!target.nullable() && stored.rows().stream().anyMatch(row -> row.isNull(at))) {
        return false;
      }
    }
    return true;
  }

  /** Whether all of the wanted type is there as it is: nothing dropped, widened or NULL now. */
  private static boolean sameShape(DataType from, DataType to) {
    if (from instanceof ArrayType source && to instanceof ArrayType target) {
      return (target.elementNullable() || !source.elementNullable())
          && sameShape(source.element(), target.element());
    }
    if (from instanceof MapType source && to instanceof MapType target) {
      return (target.valueNullable() || !source.valueNullable())
          && sameShape(source.value(), target.value());
    }
    if (from instanceof RowType source && to instanceof RowType target) {
      return target.fields().stream()
          .allMatch(
              field ->
                  source.fields().stream()
                      .anyMatch(
                          other ->
                              other.id() == field.id()
                                  && (field.nullable() || !other.nullable())
                                  && sameShape(other.type(), field.type())));
    }
    return from.equals(to);
  }

  private static int position(TableSchema schema, int id) {
    List<Integer> ids = schema.columns().stream().map(Column::id).toList();
    return ids.indexOf(id);
  }

  private static GenericRow converted(Stored stored, int row, ColumnSelection wanted) {
    List<Object> values = new ArrayList<>();
    for (Column target : wanted.columns()) {
      int at = position(stored.schema(), target.id());
      String text = target.initialDefault();
      if (at < 0) {
        values.add(text == null ? null : DefaultValues.parse(target.type(), text));
      } else {
        Object value = stored.rows().get(row).value(at);
        values.add(converted(value, stored.schema().columns().get(at).type(), target.type()));
      }
    }
    return GenericRow.of(values.toArray());
  }

  private static Object converted(Object value, DataType from, DataType to) {
    if (value == null) {
      return null;
    }
    if (from instanceof ArrayType source) {
      List<Object> elements = new ArrayList<>();
      for (Object each : (List<?>) value) {
        elements.add(converted(each, source.element(), ((ArrayType) to).element()));
      }
      return elements;
    }
    if (from instanceof MapType source) {
      Map<Object, Object> entries = new LinkedHashMap<>();
      ((Map<?, ?>) value)
          .forEach(
              (key, each) ->
                  entries.put(key, converted(each, source.value(), ((MapType) to).value())));
      return entries;
    }
    if (from instanceof RowType source) {
      List<Object> fields = new ArrayList<>();
      for (RowType.Field target : ((RowType) to).fields()) {
        Object field = null;
        for (int i = 0; i < source.fields().size(); i++) {
          if (source.fields().get(i).id() == target.id()) {
            Object each = ((GenericRow) (Row) value).value(i);
            field = converted(each, source.fields().get(i).type(), target.type());
          }
        }
        fields.add(field);
      }
      return GenericRow.of(fields.toArray());
    }
    if (to instanceof IntegerType integer) {
      Number number = (Number) value;
      return switch (integer.bits()) {
        case 8 -> (Object) number.byteValue();
        case 16 -> (Object) number.shortValue();
        case 32 -> (Object) number.intValue();
        default -> (Object) number.longValue();
      };
    }
    return to instanceof DoubleType ? (Object) ((Number) value).doubleValue() : value;
  }
}
