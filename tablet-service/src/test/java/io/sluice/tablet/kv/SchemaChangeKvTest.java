package io.sluice.tablet.kv;

import static io.sluice.tablet.kv.KvFixture.Change.delete;
import static io.sluice.tablet.kv.KvFixture.Change.put;
import static io.sluice.tablet.kv.KvFixture.SCHEMA;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import io.sluice.format.row.VectorRow;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.SchemaChange;
import io.sluice.format.schema.SchemaEvolution;
import io.sluice.format.schema.TableSchema;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows stored and put under older schemas. */
class SchemaChangeKvTest {
  private final List<TableSchema> history = new ArrayList<>(List.of(SCHEMA));
  private @TempDir Path directory;
  private KvFixture kv;

  @BeforeEach
  void open() {
    kv = new KvFixture(directory);
  }

  @AfterEach
  void close() {
    kv.close();
  }

  private TableSchema alter(SchemaChange... changes) {
    TableSchema next = SchemaEvolution.apply(history, List.of(changes), Set.of("k"));
    history.add(next);
    kv.schemas.add(next);
    return next;
  }

  private static SchemaChange add(
      String name, String type, boolean nullable, @Nullable String text) {
    DataType parsed = DataTypeParser.parse(type);
    SchemaChange.Position last = new SchemaChange.Position.Last();
    return new SchemaChange.Add(List.of(), name, parsed, nullable, "", text, last);
  }

  /** The rows of these keys as a lookup or a scan under the schema sees them. */
  private List<String> read(TableSchema schema, int... keys) {
    List<String> rows = new ArrayList<>();
    try (RowBatch batch =
        RowBatch.of(kv.schemas, schema, ArrowSchemas.toArrow(schema), kv.allocator, 4)) {
      for (int key : keys) {
        batch.add(kv.tablet.store().get(KvFixture.key(key)));
      }
      VectorRow row = new VectorRow(batch.finish());
      for (int i = 0; i < keys.length; i++) {
        rows.add(row.at(i).toString());
      }
    }
    return rows;
  }

  @Test
  void storedRowsHaveTheInitialDefaultsOfLaterColumns() {
    kv.put(put(1, "x", "y", 7));
    kv.tablet.advance(kv.logEnd);
    TableSchema later =
        alter(
            add("n", "BIGINT", false, "5"),
            add("d", "DATE", true, "2024-02-29"),
            add("e", "STRING", true, null),
            new SchemaChange.ChangeType(List.of("c"), DataTypeParser.parse("BIGINT")),
            new SchemaChange.Drop(List.of("b")));
    assertThat(read(later, 1)).containsExactly("[1, x, 7, 5, 2024-02-29, null]");
    TableSchema set = alter(new SchemaChange.SetDefault(List.of("n"), "9"));
    assertThat(read(set, 1)).containsExactly("[1, x, 7, 5, 2024-02-29, null]");
    assertThat(kv.put(put(1, "x", 7L, 5L, java.time.LocalDate.of(2024, 2, 29), null))).isEmpty();
    assertThat(kv.put(PutShape.partial(set, List.of(1, 2)), put(1, "z")))
        .containsExactly("-U[1, x, 7, 5, 2024-02-29, null]", "+U[1, z, 7, 5, 2024-02-29, null]");
    kv.tablet.advance(kv.logEnd);
    assertThat(read(set, 1)).containsExactly("[1, z, 7, 5, 2024-02-29, null]");
  }

  @Test
  void newRowsOfPutsThatDoNotKnowAColumnGetItsWriteDefault() {
    PutShape old = PutShape.full(SCHEMA);
    alter(add("n", "BIGINT", false, "5"), add("t", "STRING", true, "initial"));
    TableSchema now = alter(new SchemaChange.SetDefault(List.of("t"), "written"));
    assertThat(kv.put(old, put(1, "x", "y", 7))).containsExactly("+I[1, x, y, 7, 5, written]");
    assertThat(kv.put(put(1, "x", "y", 7, 6L, "own")))
        .containsExactly("-U[1, x, y, 7, 5, written]", "+U[1, x, y, 7, 6, own]");
    assertThat(kv.put(old, put(1, "z", "y", 7)))
        .containsExactly("-U[1, x, y, 7, 6, own]", "+U[1, z, y, 7, 6, own]");
    assertThat(kv.put(PutShape.partial(now, List.of(1, 2)), put(2, "p")))
        .containsExactly("+I[2, p, null, null, 5, written]");
    assertThat(kv.put(old, delete(2, null, null, null)))
        .containsExactly("-D[2, p, null, null, 5, written]");
  }

  @Test
  void changelogOfSeveralSchemasReplaysToTheSameRows() {
    kv.put(put(1, "x", "y", 7), put(2, "x", "y", 8));
    alter(add("n", "INT", false, "5"));
    kv.put(put(2, "x", "y", 8, 6));
    TableSchema last =
        alter(new SchemaChange.ChangeType(List.of("n"), DataTypeParser.parse("BIGINT")));
    kv.put(put(3, "z", null, null, 4_000_000_000L));
    kv.crash();
    kv.replay();
    kv.tablet.advance(kv.logEnd);
    assertThat(read(last, 1, 2, 3))
        .containsExactly("[1, x, y, 7, 5]", "[2, x, y, 8, 6]", "[3, z, null, null, 4000000000]");
  }

  @Test
  void nestedFieldsAreMatchedById() {
    TableSchema first = alter(add("r", "ROW<a INT, l ARRAY<ROW<x INT, y STRING>>>", true, null));
    PutShape old = PutShape.full(first);
    Row stored = Row.of(1, List.of(Row.of(2, "two"), Row.of(3, null)));
    kv.put(old, put(1, "x", "y", 7, stored));
    kv.tablet.advance(kv.logEnd);
    DataType bigint = DataTypeParser.parse("BIGINT");
    SchemaChange.Position first1 = new SchemaChange.Position.First();
    TableSchema later =
        alter(
            new SchemaChange.ChangeType(List.of("r", "l", "element", "x"), bigint),
            new SchemaChange.Rename(List.of("r", "a"), "b"),
            new SchemaChange.Add(List.of("r"), "new", bigint, true, "", null, first1),
            new SchemaChange.Drop(List.of("r", "l", "element", "y")));
    String converted = "[null, 1, [[2], [3]]]";
    assertThat(read(later, 1)).containsExactly("[1, x, y, 7, " + converted + "]");
    assertThat(kv.put(old, put(1, "x", "y", 7, stored))).isEmpty();
    assertThat(kv.put(old, put(2, "n", null, null, stored)))
        .containsExactly("+I[2, n, null, null, " + converted + "]");
  }

  @Test
  void nestedColumnsGoThroughStoreAndChangelog() {
    TableSchema nested = alter(add("m", "MAP<STRING, ARRAY<INT>>", true, null));
    Map<String, List<Integer>> value = Map.of("k", List.of(1, 2));
    assertThat(kv.put(put(1, "x", null, null, value)))
        .containsExactly("+I[1, x, null, null, {k=[1, 2]}]");
    kv.tablet.advance(kv.logEnd);
    assertThat(kv.put(put(1, "x", null, null, value))).isEmpty();
    assertThat(kv.put(PutShape.partial(nested, List.of(1, 2)), put(1, "z")))
        .containsExactly("-U[1, x, null, null, {k=[1, 2]}]", "+U[1, z, null, null, {k=[1, 2]}]");
    kv.tablet.advance(kv.logEnd);
    assertThat(read(nested, 1)).containsExactly("[1, z, null, null, {k=[1, 2]}]");
  }

  @Test
  void readersBoundToAnOlderSchemaLeaveOutWhatWasAddedAndRefuseTheRest() {
    alter(add("n", "BIGINT", false, "5"));
    kv.put(put(1, "x", "y", 7, 6L));
    kv.tablet.advance(kv.logEnd);
    assertThat(read(SCHEMA, 1)).containsExactly("[1, x, y, 7]");
    alter(new SchemaChange.ChangeType(List.of("c"), DataTypeParser.parse("BIGINT")));
    kv.put(put(1, "x", "y", 9_000_000_000L, 6L));
    kv.tablet.advance(kv.logEnd);
    assertThatThrownBy(() -> read(SCHEMA, 1))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SCHEMA_CHANGED))
        .hasMessageContaining("'c'");
    List<Column> part = SCHEMA.columns().subList(0, 2);
    assertThat(read(new TableSchema(1, part, List.of("k")), 1)).containsExactly("[1, x]");
  }
}
