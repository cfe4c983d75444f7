package io.sluice.format.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LogBatchEncoderTest {
  private final BufferAllocator allocator = new RootAllocator();
  private final TableSchema schema = schema(new DataType.IntegerType(64), false);

  @AfterEach
  void nothingLeaks() {
    assertThat(allocator.getAllocatedMemory()).isZero();
    allocator.close();
  }

  private static TableSchema schema(DataType type, boolean nullable) {
    return new TableSchema(1, List.of(Column.of(1, "n", type, nullable)), List.of());
  }

  @Test
  void columnWithoutNullsHasAnEmptyValidityBuffer() {
    try (VectorSchemaRoot root = longs(schema, 100);
        LogBatchEncoder encoder = encoder(BatchCodec.NONE);
        EncodedBatch batch = encoder.encode(root, schema, BatchWriter.NONE)) {
      RecordBatchMessage message = new RecordBatchMessage().read(batch.metadata());
      assertThat(message.bufferCount()).isEqualTo(2);
      assertThat(message.bufferLength(0)).isZero();
      assertThat(message.bufferLength(1)).isEqualTo(800);
      assertThat(batch.bodyLength()).isEqualTo(800);
      assertThat(batch.checksums().remaining()).isEqualTo(8);
    }
  }

  @Test
  void buffersBelow256BytesStayRawAndLargerOnesShrink() {
    try (LogBatchEncoder encoder = encoder(BatchCodec.ZSTD)) {
      try (VectorSchemaRoot root = longs(schema, 31);
          EncodedBatch batch = encoder.encode(root, schema, BatchWriter.NONE)) {
        assertThat(batch.body().getLong(0)).isEqualTo(-1);
        assertThat(batch.bodyLength()).isEqualTo(8 + 31 * 8);
        assertThat(batch.body().getLong(8)).isZero();
      }
      try (VectorSchemaRoot root = longs(schema, 1000);
          EncodedBatch batch = encoder.encode(root, schema, BatchWriter.NONE)) {
        assertThat(batch.body().getLong(0)).isEqualTo(8000);
        assertThat(batch.bodyLength()).isLessThan(8000);
        assertThat(batch.header().uncompressedBodyLength()).isEqualTo(8000);
      }
    }
  }

  @Test
  void headerNamesWriterAndSchema() {
    try (VectorSchemaRoot root = longs(schema, 5);
        LogBatchEncoder encoder = encoder(BatchCodec.LZ4);
        EncodedBatch batch = encoder.encode(root, schema, new BatchWriter(77, 3, 1000, 5))) {
      LogBatchHeader header = batch.header();
      assertThat(header.writerId()).isEqualTo(77);
      assertThat(header.writerEpoch()).isEqualTo(3);
      assertThat(header.lastSequence()).isEqualTo(1004);
      assertThat(header.schemaId()).isEqualTo(1);
      assertThat(header.recordCount()).isEqualTo(5);
      assertThat(header.baseOffset()).isZero();
      assertThat(header.headerCrc()).isZero();
      assertThat(batch.wireBytes() % 8).isZero();
      int sum = batch.sections().stream().mapToInt(ByteBuffer::remaining).sum();
      assertThat(batch.wireBytes()).isEqualTo(LogBatchHeader.align(96 + sum));
    }
  }

  @Test
  void changeTypesAreStoredOneByteARow() {
    TableSchema keyed = new TableSchema(1, schema.columns(), List.of("n"));
    ByteBuffer changes =
        ByteBuffer.wrap(new byte[] {ChangeType.INSERT.code(), ChangeType.DELETE.code()});
    try (VectorSchemaRoot root = longs(keyed, 2);
        LogBatchEncoder encoder = encoder(BatchCodec.NONE);
        EncodedBatch batch = encoder.encode(root, keyed, changes, BatchWriter.NONE)) {
      assertThat(batch.header().hasChangeTypes()).isTrue();
      assertThat(batch.changeTypes()).isEqualTo(changes);
      Batches.validate(new BatchValidator(), keyed, batch);
    }
  }

  @Test
  void nullInNotNullColumnIsRefused() {
    try (VectorSchemaRoot root = longs(schema, 3);
        LogBatchEncoder encoder = encoder(BatchCodec.NONE)) {
      ((BigIntVector) root.getVector(0)).setNull(1);
      refused(encoder, root, schema, ErrorCode.INVALID_VALUE, "Column 'n' is NOT NULL");
    }
  }

  @Test
  void columnsOfAnotherTypeOrNumberAreRefused() {
    try (VectorSchemaRoot root = longs(schema, 3);
        LogBatchEncoder encoder = encoder(BatchCodec.NONE)) {
      refused(
          encoder,
          root,
          schema(new DataType.IntegerType(32), true),
          ErrorCode.INVALID_SCHEMA,
          "Column 'n' of the batch is");
      TableSchema wider =
          new TableSchema(
              2,
              List.of(
                  Column.of(1, "n", new DataType.IntegerType(64), false),
                  Column.of(2, "m", new DataType.IntegerType(64), true)),
              List.of());
      refused(encoder, root, wider, ErrorCode.INVALID_SCHEMA, "Batch has 1 columns");
    }
  }

  @Test
  void emptyAndTooLargeBatchesAreRefused() {
    try (LogBatchEncoder encoder = encoder(BatchCodec.ZSTD)) {
      try (VectorSchemaRoot root = longs(schema, 0)) {
        refused(encoder, root, schema, ErrorCode.INVALID_ARGUMENT, "at least one row");
      }
      try (VectorSchemaRoot root = longs(schema, BatchLimits.MAX_ROWS + 1)) {
        refused(encoder, root, schema, ErrorCode.BATCH_TOO_LARGE, "the limit is 1048576");
      }
      TableSchema binary = schema(new DataType.BinaryType(70_000_000), true);
      try (VectorSchemaRoot root =
          VectorSchemaRoot.create(ArrowSchemas.toArrow(binary), allocator)) {
        root.getVector(0).setInitialCapacity(1);
        root.getVector(0).allocateNew();
        root.setRowCount(1);
        refused(encoder, root, binary, ErrorCode.BATCH_TOO_LARGE, "the limit is 67108864");
      }
    }
  }

  @Test
  void slicerRefusesWhatItCannotSlice() {
    try (VectorSchemaRoot root = longs(schema, 5);
        LogBatchEncoder encoder = encoder(BatchCodec.NONE);
        LogBatchSlicer slicer = new LogBatchSlicer(allocator);
        EncodedBatch batch = encoder.encode(root, schema, new BatchWriter(1, 0, 0, 9))) {
      assertThatThrownBy(
              () ->
                  slicer.dropFirst(
                      2,
                      schema,
                      batch.header(),
                      batch.changeTypes(),
                      batch.metadata(),
                      batch.body()))
          .hasMessageContaining("Cannot drop 2 rows from a batch of 5 rows and 9 sequences");
    }
  }

  private static void refused(
      LogBatchEncoder encoder,
      VectorSchemaRoot root,
      TableSchema schema,
      ErrorCode code,
      String message) {
    assertThatThrownBy(() -> encoder.encode(root, schema, BatchWriter.NONE))
        .isInstanceOfSatisfying(SluiceException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(message);
  }

  private LogBatchEncoder encoder(BatchCodec codec) {
    return new LogBatchEncoder(allocator, CompressionSettings.of(codec));
  }

  private VectorSchemaRoot longs(TableSchema schema, int rows) {
    VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator);
    BigIntVector vector = (BigIntVector) root.getVector(0);
    vector.setInitialCapacity(rows);
    vector.allocateNew();
    for (int i = 0; i < rows; i++) {
      vector.set(i, i);
    }
    root.setRowCount(rows);
    return root;
  }
}
