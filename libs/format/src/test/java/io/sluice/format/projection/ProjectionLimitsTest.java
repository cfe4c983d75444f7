package io.sluice.format.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchCodec;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.CompressionSettings;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchDecoder;
import io.sluice.format.batch.LogBatchEncoder;
import io.sluice.format.row.ColumnWriters;
import io.sluice.format.row.GenericRow;
import io.sluice.format.row.Row;
import io.sluice.format.row.VectorRow;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Projections at their edges. */
class ProjectionLimitsTest {
  private final BufferAllocator allocator = new RootAllocator();

  @AfterEach
  void nothingLeaks() {
    assertThat(allocator.getAllocatedMemory()).isZero();
    allocator.close();
  }

  private static Column column(int id, String type, boolean nullable) {
    return Column.of(id, "c" + id, DataTypeParser.parse(type), nullable);
  }

  private static TableSchema schema(int id, Column... columns) {
    return new TableSchema(id, List.of(columns), List.of());
  }

  private List<GenericRow> read(
      TableSchema stored, ColumnSelection wanted, BatchCodec codec, List<GenericRow> rows) {
    ProjectionPlan plan = ProjectionPlan.of(stored, wanted, MetadataColumns.NONE);
    try (LogBatchEncoder encoder = new LogBatchEncoder(allocator, CompressionSettings.of(codec));
        LogBatchDecoder decoder = new LogBatchDecoder(allocator);
        VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(stored), allocator)) {
      ColumnWriters writers = ColumnWriters.of(stored, root, rows.size());
      rows.forEach(writers::write);
      try (EncodedBatch batch = encoder.encode(writers.finish(), stored, BatchWriter.NONE)) {
        batch.header().stamp(40, 1, 5);
        ProjectedBatch projected =
            plan.project(batch.header(), batch.changeTypes(), batch.metadata(), batch.checksums());
        try (ArrowBuf body = Bodies.fill(allocator, projected, batch.bodyBytes());
            VectorSchemaRoot found =
                decoder.decode(plan.arrowSchema(), projected.metadata(), body)) {
          List<GenericRow> read = new ArrayList<>();
          VectorRow row = new VectorRow(found);
          for (int i = 0; i < found.getRowCount(); i++) {
            read.add(row.at(i).copy());
          }
          return read;
        }
      }
    }
  }

  @Test
  void noColumnsKeepTheRowCount() {
    TableSchema stored = schema(1, column(1, "INT", true), column(2, "STRING", true));
    List<GenericRow> rows = List.of(GenericRow.of(1, "a"), GenericRow.of(2, null));
    assertThat(read(stored, ColumnSelection.none(stored), BatchCodec.LZ4, rows))
        .containsExactly(GenericRow.of(), GenericRow.of());
  }

  @Test
  void the4096ColumnsOfATableInAnyOrder() {
    List<Column> columns = new ArrayList<>();
    List<Object> values = new ArrayList<>();
    for (int id = 1; id <= TableSchema.MAX_COLUMNS; id++) {
      columns.add(column(id, id % 2 == 0 ? "INT" : "STRING", true));
      values.add(id % 2 == 0 ? (Object) id : "v" + id);
    }
    TableSchema stored = new TableSchema(1, columns, List.of());
    List<String> names = new ArrayList<>(columns.stream().map(Column::name).toList());
    Collections.reverse(names);
    Collections.reverse(values);
    GenericRow reversed = GenericRow.of(values.toArray());
    Collections.reverse(values);
    List<GenericRow> rows = List.of(GenericRow.of(values.toArray()));
    assertThat(read(stored, ColumnSelection.of(stored, names), BatchCodec.NONE, rows))
        .containsExactly(reversed);
    assertThat(read(stored, ColumnSelection.all(stored), BatchCodec.ZSTD, rows)).isEqualTo(rows);
  }

  @Test
  void metadataOfAnUnchangedBatchIsHandedOnWithoutACopy() {
    TableSchema stored = schema(1, column(1, "CHAR(3)", true), column(2, "DECIMAL(4,2)", false));
    TableSchema renamed =
        new TableSchema(
            2,
            List.of(
                Column.of(1, "a", DataTypeParser.parse("STRING"), true),
                Column.of(2, "b", DataTypeParser.parse("DECIMAL(9,2)"), true)),
            List.of());
    assertThat(ProjectionPlan.of(stored, renamed, MetadataColumns.NONE).identity()).isTrue();
    assertThat(
            ProjectionPlan.of(
                    stored, schema(2, column(2, "DECIMAL(4,2)", false)), MetadataColumns.NONE)
                .identity())
        .isFalse();
  }

  @Test
  void aTimestampThatDoesNotFitItsNewUnitIsNamedAndNullsDoNotMatter() {
    TableSchema stored = schema(1, column(1, "TIMESTAMP(0)", true));
    TableSchema wanted = schema(2, column(1, "TIMESTAMP(6)", true));
    LocalDateTime far = LocalDateTime.ofEpochSecond(1L << 50, 0, ZoneOffset.UTC);
    LocalDateTime near = LocalDateTime.of(1950, 1, 1, 0, 0);
    List<GenericRow> good = List.of(GenericRow.of(near), GenericRow.of((Object) null));
    assertThat(read(stored, ColumnSelection.all(wanted), BatchCodec.ZSTD, good)).isEqualTo(good);
    List<GenericRow> bad = List.of(GenericRow.of((Object) null), GenericRow.of(far));
    assertThatThrownBy(() -> read(stored, ColumnSelection.all(wanted), BatchCodec.LZ4, bad))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_VALUE))
        .hasMessageContaining("'c1'");
  }

  @Test
  void newerBatchesWithNullsInAColumnThatWasNotNullEndTheRead() {
    TableSchema bound = schema(1, column(1, "INT", false));
    TableSchema newer = schema(2, column(1, "INT", true), column(2, "INT", true));
    ColumnSelection wanted = ColumnSelection.all(bound);
    assertThat(read(newer, wanted, BatchCodec.NONE, List.of(GenericRow.of(1, 2))))
        .containsExactly(GenericRow.of(1));
    assertThatThrownBy(() -> read(newer, wanted, BatchCodec.NONE, List.of(GenericRow.of(null, 2))))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SCHEMA_CHANGED))
        .hasMessageContaining("offset 40");
  }

  @Test
  void droppedAndWidenedColumnsOfNewerBatchesEndTheReadNamingThem() {
    TableSchema bound = schema(1, column(1, "INT", true), column(2, "INT", true));
    TableSchema newer = schema(2, column(1, "BIGINT", true));
    assertThatThrownBy(() -> ProjectionPlan.of(newer, bound, MetadataColumns.NONE))
        .hasMessageContaining("'c1' became BIGINT");
    assertThatThrownBy(() -> ProjectionPlan.of(newer, bound, List.of(2), MetadataColumns.NONE))
        .hasMessageContaining("'c2' was dropped");
  }

  @Test
  void nestedFieldsBelowListsAndMapsAreReadAlone() {
    TableSchema stored =
        schema(
            1,
            column(1, "ARRAY<ROW<a INT, b STRING>>", true),
            column(2, "MAP<STRING,ROW<x INT, y ROW<z STRING>>>", true));
    Row inner = Row.of(7, Row.of("deep"));
    List<GenericRow> rows =
        List.of(
            GenericRow.of(List.of(Row.of(1, "s"), Row.of(2, "t")), java.util.Map.of("k", inner)),
            GenericRow.of(null, java.util.Map.of()));
    ColumnSelection wanted = ColumnSelection.of(stored, List.of("c2.value.y.z", "c1.element.b"));
    assertThat(read(stored, wanted, BatchCodec.ZSTD, rows))
        .containsExactly(
            GenericRow.of(
                java.util.Map.of("k", Row.of(Row.of("deep"))), List.of(Row.of("s"), Row.of("t"))),
            GenericRow.of(java.util.Map.of(), null));
  }
}
