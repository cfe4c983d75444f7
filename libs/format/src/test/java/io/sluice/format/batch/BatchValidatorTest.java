package io.sluice.format.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Batches that are wrong on purpose although all their checksums are right. */
class BatchValidatorTest {
  private static final int ROWS = 3;

  private final BufferAllocator allocator = new RootAllocator();
  private final BatchValidator validator = new BatchValidator();
  private final TableSchema schema = schema(List.of());

  private int rows = ROWS;
  private int codecId;
  private ByteBuffer changeTypes = ByteBuffer.allocate(0);
  private ByteBuffer statistics = ByteBuffer.allocate(0);
  private ByteBuffer body = ByteBuffer.allocate(0);
  private long[][] nodes = new long[0][];
  private long[][] buffers = new long[0][];
  private int uncompressed;

  private static TableSchema schema(List<String> key) {
    return new TableSchema(
        4,
        List.of(
            Column.of(1, "i", new DataType.IntegerType(32), false),
            Column.of(2, "s", new DataType.StringType(), true)),
        key);
  }

  @BeforeEach
  void makeAGoodBatch() {
    try (VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator);
        LogBatchEncoder encoder =
            new LogBatchEncoder(allocator, CompressionSettings.of(BatchCodec.NONE))) {
      IntVector ints = (IntVector) root.getVector(0);
      VarCharVector texts = (VarCharVector) root.getVector(1);
      for (int i = 0; i < ROWS; i++) {
        ints.setSafe(i, 10 * i);
        if (i != 1) {
          texts.setSafe(i, ("text " + i).getBytes(StandardCharsets.UTF_8));
        }
      }
      root.setRowCount(ROWS);
      try (EncodedBatch batch = encoder.encode(root, schema, BatchWriter.NONE)) {
        statistics = ByteBuffer.wrap(RandomBatches.bytes(batch.statistics()));
        body =
            ByteBuffer.wrap(RandomBatches.bytes(batch.bodyBytes())).order(ByteOrder.LITTLE_ENDIAN);
        RecordBatchMessage message = new RecordBatchMessage().read(batch.metadata());
        nodes = new long[message.nodeCount()][];
        for (int i = 0; i < nodes.length; i++) {
          nodes[i] = new long[] {message.nodeLength(i), message.nodeNullCount(i)};
        }
        buffers = new long[message.bufferCount()][];
        for (int i = 0; i < buffers.length; i++) {
          buffers[i] = new long[] {message.bufferOffset(i), message.bufferLength(i)};
        }
        uncompressed = batch.header().uncompressedBodyLength();
      }
    }
  }

  @AfterEach
  void close() {
    allocator.close();
  }

  @Test
  void goodBatchPasses() {
    assertThatCode(() -> validate(schema)).doesNotThrowAnyException();
    assertThat(buffers).isDeepEqualTo(new long[][] {{0, 0}, {0, 12}, {16, 1}, {24, 16}, {40, 12}});
  }

  @Test
  void nullInNotNullColumnIsAnInvalidValue() {
    nodes[0][1] = 1;
    assertThatThrownBy(() -> validate(schema))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_VALUE))
        .hasMessageContaining("Column 'i' is NOT NULL");
  }

  @Test
  void nodesMustHaveTheRowsOfTheBatch() {
    nodes[1][0] = 2;
    refused("column 's' has 2 rows, not 3");
  }

  @Test
  void nullCountMustFitTheRows() {
    nodes[1][1] = 4;
    refused("column 's' has 4 NULLs in 3 rows");
    nodes[1][1] = -1;
    refused("column 's' has -1 NULLs");
  }

  @Test
  void missingAndSpareNodesAndBuffersAreRefused() {
    long[][] all = nodes;
    nodes = new long[][] {all[0]};
    refused("1 field nodes, the schema has 2");
    nodes = all;
    buffers = new long[][] {buffers[0], buffers[1], buffers[2], buffers[3]};
    refused("4 buffers, the schema has 5");
  }

  @Test
  void buffersMustLieInOrderWithoutGapsAndInsideTheBody() {
    buffers[4] = new long[] {48, 12};
    refused("buffer 4 has offset 48 and length 12, the body has 56 bytes");
    buffers[4] = new long[] {24, 12};
    refused("buffer 4 begins at 24, not at 40");
    buffers[4] = new long[] {-8, 12};
    refused("buffer 4 has offset -8");
    buffers[4] = new long[] {40, Long.MAX_VALUE};
    refused("buffer 4 has offset 40 and length 9223372036854775807");
  }

  @Test
  void buffersMustBeLargeEnoughForTheirRows() {
    buffers[1][1] = 11;
    refused("buffer 1 of column 'i' has 11 bytes; 3 rows need 12");
  }

  @Test
  void validityIsNeededWhenThereAreNulls() {
    buffers[2][1] = 0;
    refused("buffer 2 of column 's' has 0 bytes; 3 rows need 1");
  }

  @Test
  void paddingMustBeZero() {
    body.put(13, (byte) 1);
    refused("the padding after body buffer 1 is not zero");
  }

  @Test
  void uncompressedLengthMustBeThatOfTheBuffers() {
    uncompressed += 8;
    refused("uncompressed_body_length is " + uncompressed);
  }

  @Test
  void bodyMustEndWithItsLastBuffer() {
    ByteBuffer longer = ByteBuffer.allocate(body.capacity() + 8).order(ByteOrder.LITTLE_ENDIAN);
    body = longer.put(0, body, 0, body.capacity());
    refused("its buffers end at 56");
  }

  @Test
  void codecOfHeaderMustBeThatOfTheMetadata() {
    codecId = 2;
    refused("codec is ZSTD, its metadata says NONE");
    codecId = 5;
    refused("Batch codec is 5");
  }

  @Test
  void changeTypesAreOnlyForTablesWithAKeyAndMustBeKnown() {
    changeTypes = ByteBuffer.wrap(new byte[] {1, 2, 4});
    refused("change types, which a table without primary key");
    assertThatCode(() -> validate(schema(List.of("i")))).doesNotThrowAnyException();
    changeTypes = ByteBuffer.wrap(new byte[] {1, 5, 4});
    assertThatThrownBy(() -> validate(schema(List.of("i"))))
        .hasMessageContaining("change type 1 is 5");
  }

  @Test
  void statisticsMustFitTheColumns() {
    ByteBuffer good = statistics;
    statistics = copy(good).putInt(4, 9);
    refused("column 9 is unknown or out of order");
    statistics = copy(good).put(8, (byte) 2);
    refused("kind of column 1 is FLOATING");
    statistics = copy(good).putInt(12, 1);
    refused("null count of column 1 is 1, not 0");
    statistics = copy(good).put(0, (byte) 2);
    refused("version is 2");
    statistics = ByteBuffer.allocate(good.capacity() + 1).put(0, good, 0, good.capacity());
    refused("1 bytes follow the last entry");
  }

  @Test
  void rowsAreLimited() {
    rows = BatchLimits.MAX_ROWS + 1;
    refused("record_count is 1048577, the limit is 1048576");
  }

  @Test
  void schemaIdMustBeThatOfTheSchema() {
    assertThatThrownBy(() -> validate(new TableSchema(5, schema.columns(), List.of())))
        .hasMessageContaining("schema_id is 4, not 5");
  }

  @Test
  void subsetOfColumnsIsCheckedAgainstThoseColumns() {
    nodes = new long[][] {nodes[1]};
    buffers = new long[][] {{0, 1}, {8, 16}, {24, 12}};
    ByteBuffer old = body;
    body = ByteBuffer.allocate(40).order(ByteOrder.LITTLE_ENDIAN).put(0, old, 16, 40);
    uncompressed = 40;
    statistics = ByteBuffer.allocate(0);
    assertThatCode(() -> validate(schema, List.of(2))).doesNotThrowAnyException();
    assertThatThrownBy(() -> validate(schema, List.of(7)))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.COLUMN_NOT_FOUND));
  }

  private static ByteBuffer copy(ByteBuffer bytes) {
    return ByteBuffer.allocate(bytes.capacity())
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(0, bytes, 0, bytes.capacity());
  }

  private void refused(String message) {
    assertThatThrownBy(() -> validate(schema))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_BATCH))
        .hasMessageContaining(message);
  }

  private void validate(TableSchema against) {
    validate(against, List.of());
  }

  /** Frames the parts as they are now, with checksums that are right. */
  private void validate(TableSchema against, List<Integer> columnIds) {
    RecordBatchMessageWriter message = new RecordBatchMessageWriter();
    ByteBuffer checksums = ByteBuffer.allocate(4 * buffers.length).order(ByteOrder.LITTLE_ENDIAN);
    for (long[] node : nodes) {
      message.addNode(node[0], node[1]);
    }
    for (long[] buffer : buffers) {
      message.addBuffer(buffer[0], buffer[1]);
      CRC32C crc = new CRC32C();
      if (buffer[0] >= 0 && buffer[1] <= body.capacity() - buffer[0]) {
        crc.update(body.slice((int) buffer[0], (int) buffer[1]));
      }
      checksums.putInt((int) crc.getValue());
    }
    checksums.flip();
    ByteBuffer metadata = message.write(rows, BatchCodec.NONE, body.capacity());
    LogBatchHeader header =
        LogBatchHeader.allocate()
            .setContent(4, rows, rows)
            .setSections(
                codecId,
                changeTypes.capacity(),
                statistics.capacity(),
                metadata.remaining(),
                checksums.remaining(),
                body.capacity(),
                uncompressed);
    header.setContentCrc(header.computeContentCrc(changeTypes, statistics, metadata, checksums));
    validator.validate(
        against, columnIds, header, changeTypes, statistics, metadata, checksums, body);
  }
}
