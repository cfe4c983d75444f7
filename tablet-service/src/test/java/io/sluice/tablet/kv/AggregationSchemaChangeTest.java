package io.sluice.tablet.kv;

import static io.sluice.tablet.kv.KvFixture.Change.put;
import static io.sluice.tablet.kv.KvFixture.SCHEMA;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.SchemaChange;
import io.sluice.format.schema.SchemaEvolution;
import io.sluice.format.schema.TableSchema;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Columns of aggregation tables that come, grow and are not known to every writer. */
class AggregationSchemaChangeTest {
  private final List<TableSchema> history = new ArrayList<>(List.of(SCHEMA));
  private final Map<String, String> options = new HashMap<>();
  private @TempDir Path directory;
  private KvFixture kv;

  @BeforeEach
  void open() {
    kv = new KvFixture(directory);
    options.put("table.merge-engine", "aggregation");
    options.put("fields.a.agg", "listagg");
    options.put("fields.c.agg", "sum");
    kv.schemas.options(Map.copyOf(options));
  }

  @AfterEach
  void close() {
    kv.close();
  }

  private void alter(SchemaChange change) {
    TableSchema next = SchemaEvolution.apply(history, List.of(change), Set.of("k"));
    history.add(next);
    kv.schemas.add(next);
  }

  private void addColumn(String name, String type, @Nullable String text, String function) {
    SchemaChange.Position last = new SchemaChange.Position.Last();
    alter(new SchemaChange.Add(List.of(), name, DataTypeParser.parse(type), true, "", text, last));
    options.put("fields." + name + ".agg", function);
    kv.schemas.options(Map.copyOf(options));
  }

  @Test
  void newColumnsHaveTheirFunctionFromThenOn() {
    PutShape old = PutShape.full(SCHEMA);
    kv.put(put(1, "x", null, 7));
    addColumn("n", "BIGINT", null, "sum");
    assertThat(kv.put(put(1, "y", null, 1, 5L)))
        .containsExactly("-U[1, x, null, 7, null]", "+U[1, x,y, null, 8, 5]");
    kv.tablet.advance(kv.logEnd);
    assertThat(kv.put(put(1, null, null, null, 6L)))
        .containsExactly("-U[1, x,y, null, 8, 5]", "+U[1, x,y, null, 8, 11]");
    // A writer that does not know the column leaves it.
    assertThat(kv.put(old, put(1, null, "b", 1)))
        .containsExactly("-U[1, x,y, null, 8, 11]", "+U[1, x,y, b, 9, 11]");
    assertThat(kv.put(old, put(2, "z", null, null))).containsExactly("+I[2, z, null, null, null]");
    kv.crash();
    kv.replay();
    kv.tablet.advance(kv.logEnd);
    assertThat(kv.lookup(1)).isEqualTo("[1, x,y, b, 9, 11]");
  }

  @Test
  void rowsFromBeforeTheColumnGoOnFromItsInitialDefault() {
    kv.put(put(1, null, null, null));
    kv.tablet.advance(kv.logEnd);
    addColumn("n", "INT", "40", "sum");
    addColumn("f", "INT", "3", "first_value_ignore_nulls");
    addColumn("m", "INT", "3", "min");
    assertThat(kv.put(put(1, null, null, null, 2, 9, 9)))
        .containsExactly("-U[1, null, null, null, 40, 3, 3]", "+U[1, null, null, null, 42, 3, 3]");
    assertThat(kv.put(put(2, null, null, null, 2, 9, 9)))
        .containsExactly("+I[2, null, null, null, 2, 9, 9]");
  }

  @Test
  void widerColumnsTakeWhatDidNotFit() {
    kv.put(put(1, null, null, Integer.MAX_VALUE));
    assertThatThrownBy(() -> kv.put(put(2, "x", null, 1), put(1, null, null, 1)))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.AGGREGATE_OVERFLOW))
        .hasMessageContaining("Row 1 of the put")
        .hasMessageContaining("'c' (INT, sum)");
    alter(new SchemaChange.ChangeType(List.of("c"), DataTypeParser.parse("BIGINT")));
    // Nothing of the refused put is there.
    assertThat(kv.put(put(2, "y", null, 1L), put(1, null, null, 1L)))
        .containsExactly(
            "+I[2, y, null, 1]", "-U[1, null, null, 2147483647]", "+U[1, null, null, 2147483648]");
  }
}
