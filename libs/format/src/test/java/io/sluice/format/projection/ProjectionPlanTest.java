package io.sluice.format.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchCodec;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.ChangeType;
import io.sluice.format.batch.CompressionSettings;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchDecoder;
import io.sluice.format.batch.LogBatchEncoder;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ProjectionPlanTest {
  private static final MetadataColumns NONE = MetadataColumns.NONE;
  private static final int ROWS = 1000;

  private final BufferAllocator allocator = new RootAllocator();

  @AfterEach
  void nothingLeaks() {
    assertThat(allocator.getAllocatedMemory()).isZero();
    allocator.close();
  }

  private static TableSchema longs(int columns, List<String> key) {
    List<Column> list = new ArrayList<>();
    for (int id = 1; id <= columns; id++) {
      list.add(Column.of(id, "c" + id, new DataType.IntegerType(64), id > 1));
    }
    return new TableSchema(1, list, key);
  }

  @Test
  void allColumnsInOrderAreTheStoredBatchItself() {
    TableSchema schema = longs(3, List.of());
    ProjectionPlan plan = ProjectionPlan.of(schema, schema, NONE);
    assertThat(plan.identity()).isTrue();
    try (EncodedBatch batch = encode(schema, ByteBuffer.allocate(0))) {
      ProjectedBatch projected = project(plan, batch);
      assertThat(projected.metadata()).isEqualTo(batch.metadata());
      assertThat(projected.bodyLength()).isEqualTo(batch.bodyLength());
      assertThat(projected.readCount()).isEqualTo(1);
      assertThat(projected.directTarget(0)).isZero();
      assertThat(projected.readLength(0)).isEqualTo(batch.bodyLength());
      assertThat(projected.rangeCount()).isEqualTo(3);
    }
    assertThat(ProjectionPlan.of(schema, schema, List.of(1, 3, 2), NONE).identity()).isFalse();
    assertThat(ProjectionPlan.of(schema, schema, List.of(1, 2), NONE).identity()).isFalse();
    assertThat(
            ProjectionPlan.of(schema, schema, new MetadataColumns(true, false, false)).identity())
        .isFalse();
  }

  @Test
  void farColumnsAreReadApartAndNearOnesTogether() {
    TableSchema schema = longs(10, List.of());
    try (EncodedBatch batch = encode(schema, ByteBuffer.allocate(0))) {
      ProjectedBatch far = project(ProjectionPlan.of(schema, schema, List.of(1, 5), NONE), batch);
      assertThat(far.readCount()).isEqualTo(2);
      assertThat(far.readOffset(1)).isEqualTo(4 * 8 * ROWS);
      assertThat(far.readLength(1)).isEqualTo(8 * ROWS);
      assertThat(far.directTarget(0)).isZero();
      assertThat(far.directTarget(1)).isEqualTo(8 * ROWS);
      // 16,000 bytes lie between columns 1 and 4, less than the gap that parts reads.
      ProjectedBatch near = project(ProjectionPlan.of(schema, schema, List.of(4, 1), NONE), batch);
      assertThat(near.readCount()).isEqualTo(1);
      ProjectedBatch close = project(ProjectionPlan.of(schema, schema, List.of(3, 1), NONE), batch);
      assertThat(close.readCount()).isEqualTo(1);
      assertThat(close.directTarget(0)).isEqualTo(-1);
      assertThat(close.readLength(0)).isEqualTo(3 * 8 * ROWS);
      ProjectedBatch adjacent =
          project(ProjectionPlan.of(schema, schema, List.of(3, 4), NONE), batch);
      assertThat(adjacent.readCount()).isEqualTo(1);
      assertThat(adjacent.directTarget(0)).isZero();
    }
  }

  @Test
  void wholeBodyIsReadWhenMostOfItIsWanted() {
    TableSchema schema = longs(10, List.of());
    try (EncodedBatch batch = encode(schema, ByteBuffer.allocate(0))) {
      ProjectedBatch most =
          project(ProjectionPlan.of(schema, schema, List.of(1, 2, 3, 8, 9, 10), NONE), batch);
      assertThat(most.readCount()).isEqualTo(1);
      assertThat(most.readLength(0)).isEqualTo(batch.bodyLength());
      ProjectedBatch half =
          project(ProjectionPlan.of(schema, schema, List.of(1, 2, 8, 9, 10), NONE), batch);
      assertThat(half.readCount()).isEqualTo(2);
    }
  }

  @Test
  void noColumnsGiveRowsWithoutBody() {
    TableSchema schema = longs(3, List.of());
    ProjectionPlan plan = ProjectionPlan.of(schema, schema, List.of(), NONE);
    try (EncodedBatch batch = encode(schema, ByteBuffer.allocate(0));
        LogBatchDecoder decoder = new LogBatchDecoder(allocator)) {
      ProjectedBatch projected = project(plan, batch);
      assertThat(projected.readCount()).isZero();
      assertThat(projected.bodyLength()).isZero();
      try (VectorSchemaRoot found =
          decoder.decode(plan.arrowSchema(), projected.metadata(), allocator.getEmpty())) {
        assertThat(found.getRowCount()).isEqualTo(ROWS);
        assertThat(found.getFieldVectors()).isEmpty();
      }
    }
  }

  @Test
  void changeTypesBecomeText() {
    TableSchema schema = longs(2, List.of("c1"));
    ProjectionPlan plan =
        ProjectionPlan.of(schema, schema, List.of(), new MetadataColumns(false, false, true));
    ByteBuffer changes = ByteBuffer.allocate(ROWS);
    for (int i = 0; i < ROWS; i++) {
      changes.put(i, (byte) (i % 5));
    }
    try (EncodedBatch batch = encode(schema, changes);
        LogBatchDecoder decoder = new LogBatchDecoder(allocator)) {
      ProjectedBatch projected = project(plan, batch);
      try (ArrowBuf body = Bodies.fill(allocator, projected, batch.bodyBytes());
          VectorSchemaRoot found = decoder.decode(plan.arrowSchema(), projected.metadata(), body)) {
        VarCharVector texts = (VarCharVector) found.getVector("_change_type");
        for (ChangeType type : ChangeType.values()) {
          assertThat(texts.getObject(type.code())).hasToString(type.shortText());
        }
      }
    }
  }

  @Test
  void damagedBufferIsFoundByItsChecksum() {
    TableSchema schema = longs(10, List.of());
    try (EncodedBatch batch = encode(schema, ByteBuffer.allocate(0))) {
      ByteBuffer stored = ByteBuffer.allocate(batch.bodyLength());
      stored.put(0, batch.bodyBytes(), 0, batch.bodyLength());
      stored.put(4 * 8 * ROWS + 5, (byte) 0x77);
      for (List<Integer> ids : List.of(List.of(1, 5), List.of(5, 4), List.of(5, 4, 3, 2, 1, 6))) {
        ProjectedBatch projected = project(ProjectionPlan.of(schema, schema, ids, NONE), batch);
        assertThatThrownBy(() -> Bodies.fill(allocator, projected, stored))
            .isInstanceOfSatisfying(
                SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_BATCH))
            .hasMessageContaining("Checksum of body buffer 9 is");
      }
    }
  }

  @Test
  void columnsThatCannotBeReadAreNamed() {
    TableSchema stored = longs(2, List.of());
    TableSchema wanted =
        new TableSchema(
            2,
            List.of(
                Column.of(1, "c1", new DataType.DoubleType(), false),
                Column.of(9, "c9", new DataType.IntegerType(8), false)),
            List.of());
    refused(stored, wanted, 1, ErrorCode.UNSUPPORTED, "Column 'c1' is BIGINT in schema 1");
    refused(stored, wanted, 9, ErrorCode.UNSUPPORTED, "Column 'c9' is NOT NULL and missing");
    refused(stored, wanted, 4, ErrorCode.COLUMN_NOT_FOUND, "Column id 4 does not exist");
  }

  private static void refused(
      TableSchema stored, TableSchema wanted, int id, ErrorCode code, String message) {
    assertThatThrownBy(() -> ProjectionPlan.of(stored, wanted, List.of(id), NONE))
        .isInstanceOfSatisfying(SluiceException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(message);
  }

  private static ProjectedBatch project(ProjectionPlan plan, EncodedBatch batch) {
    return plan.project(batch.header(), batch.changeTypes(), batch.metadata(), batch.checksums());
  }

  private EncodedBatch encode(TableSchema schema, ByteBuffer changeTypes) {
    try (VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator);
        LogBatchEncoder encoder =
            new LogBatchEncoder(allocator, CompressionSettings.of(BatchCodec.NONE))) {
      root.getFieldVectors()
          .forEach(
              vector -> {
                BigIntVector values = (BigIntVector) vector;
                for (int i = 0; i < ROWS; i++) {
                  values.setSafe(i, i);
                }
              });
      root.setRowCount(ROWS);
      return encoder.encode(root, schema, changeTypes, BatchWriter.NONE);
    }
  }
}
