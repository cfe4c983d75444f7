package io.sluice.format.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.TimeStampMilliTZVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Stored batches of version 1 must be read for ever. {@code -Dsluice.golden.write=true} writes the
 * files anew; that is only right for new files, never for a change of the format.
 */
class GoldenBatchTest {
  private static final Path DIRECTORY = Path.of("src/test/resources/golden");
  private static final int ROWS = 100;

  private final BufferAllocator allocator = new RootAllocator();

  @AfterEach
  void close() {
    allocator.close();
  }

  @ParameterizedTest
  @EnumSource(BatchCodec.class)
  void storedBatchReadsBack(BatchCodec codec) throws IOException {
    TableSchema schema = mixedSchema();
    try (VectorSchemaRoot root = mixedRows(schema)) {
      BatchWriter writer = new BatchWriter(11, 2, 1000, ROWS);
      byte[] stored =
          golden("log-batch-v1-" + name(codec) + "-mixed.bin", codec, root, schema, writer);
      assertReadsBack(stored, schema, root);
      if (codec == BatchCodec.NONE) {
        // Compressed bytes may change with the library; these may not.
        assertThat(encode(codec, root, schema, writer)).isEqualTo(stored);
      }
    }
  }

  /** The worked example of {@code docs/formats/log-batch.md}. */
  @Test
  void documentedExampleReadsBack() throws IOException {
    TableSchema schema =
        new TableSchema(
            1,
            List.of(
                Column.of(1, "id", new DataType.IntegerType(32), false),
                Column.of(2, "name", new DataType.StringType(), true)),
            List.of());
    try (VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator)) {
      root.getFieldVectors().forEach(vector -> vector.setInitialCapacity(3));
      IntVector ids = (IntVector) root.getVector(0);
      VarCharVector names = (VarCharVector) root.getVector(1);
      for (int i = 0; i < 3; i++) {
        ids.setSafe(i, 7 + i);
      }
      names.setSafe(0, "ant".getBytes(StandardCharsets.UTF_8));
      names.setSafe(2, "bee".getBytes(StandardCharsets.UTF_8));
      root.setRowCount(3);
      byte[] stored =
          golden("log-batch-v1-none-example.bin", BatchCodec.NONE, root, schema, BatchWriter.NONE);
      assertReadsBack(stored, schema, root);
      assertThat(encode(BatchCodec.NONE, root, schema, BatchWriter.NONE)).isEqualTo(stored);
    }
  }

  private void assertReadsBack(byte[] stored, TableSchema schema, VectorSchemaRoot expected) {
    ByteBuffer bytes = ByteBuffer.wrap(stored);
    LogBatchHeader header = LogBatchHeader.wrap(bytes);
    header.checkHeaderCrc();
    assertThat(header.length()).isEqualTo(stored.length);
    assertThat(header.baseOffset()).isEqualTo(4096);
    assertThat(header.appendTimeMs()).isEqualTo(1_700_000_000_000L);
    int at = LogBatchHeader.SIZE + header.changeTypesLength();
    ByteBuffer statistics = bytes.slice(at, header.statisticsLength());
    at += header.statisticsLength();
    ByteBuffer metadata = bytes.slice(at, header.metadataLength());
    at += header.metadataLength();
    ByteBuffer checksums = bytes.slice(at, header.checksumsLength());
    at += header.checksumsLength();
    ByteBuffer body = bytes.slice(at, header.bodyLength());
    new BatchValidator()
        .validate(schema, header, ByteBuffer.allocate(0), statistics, metadata, checksums, body);
    try (ArrowBuf direct = allocator.buffer(body.remaining());
        LogBatchDecoder decoder = new LogBatchDecoder(allocator)) {
      direct.setBytes(0, body);
      direct.writerIndex(header.bodyLength());
      try (VectorSchemaRoot found =
          decoder.decode(ArrowSchemas.toArrow(schema), metadata, direct)) {
        assertThat(found.equals(expected)).isTrue();
      }
    }
  }

  private byte[] golden(
      String file, BatchCodec codec, VectorSchemaRoot root, TableSchema schema, BatchWriter writer)
      throws IOException {
    Path path = DIRECTORY.resolve(file);
    if (Boolean.getBoolean("sluice.golden.write")) {
      Files.createDirectories(DIRECTORY);
      Files.write(path, encode(codec, root, schema, writer));
    }
    return Files.readAllBytes(path);
  }

  private byte[] encode(
      BatchCodec codec, VectorSchemaRoot root, TableSchema schema, BatchWriter writer) {
    try (LogBatchEncoder encoder = new LogBatchEncoder(allocator, CompressionSettings.of(codec));
        EncodedBatch batch = encoder.encode(root, schema, writer)) {
      batch.header().stamp(4096, 3, 1_700_000_000_000L);
      return Batches.wire(batch);
    }
  }

  private static String name(BatchCodec codec) {
    return codec.name().toLowerCase(Locale.ROOT);
  }

  private static TableSchema mixedSchema() {
    return new TableSchema(
        7,
        List.of(
            Column.of(1, "id", new DataType.IntegerType(64), false),
            Column.of(2, "name", new DataType.StringType(), true),
            Column.of(4, "ok", new DataType.BooleanType(), true),
            Column.of(3, "value", new DataType.DoubleType(), true),
            Column.of(5, "price", new DataType.DecimalType(10, 2), false),
            Column.of(6, "at", new DataType.TimestampLtzType(3), false),
            Column.of(8, "list", new DataType.ArrayType(new DataType.IntegerType(32), true), true)),
        List.of());
  }

  private VectorSchemaRoot mixedRows(TableSchema schema) {
    VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator);
    ListVector lists = (ListVector) root.getVector("list");
    IntVector elements = (IntVector) lists.getDataVector();
    for (int i = 0; i < ROWS; i++) {
      ((BigIntVector) root.getVector("id")).setSafe(i, 1000 + i);
      if (i % 10 != 3) {
        byte[] name =
            ("name-" + i % 7 + (i == 50 ? "é".repeat(40) : "")).getBytes(StandardCharsets.UTF_8);
        ((VarCharVector) root.getVector("name")).setSafe(i, name);
      }
      if (i % 4 != 0) {
        ((BitVector) root.getVector("ok")).setSafe(i, i % 3 == 0 ? 1 : 0);
        ((Float8Vector) root.getVector("value")).setSafe(i, i == 9 ? Double.NaN : i / 8.0);
      }
      ((DecimalVector) root.getVector("price")).setSafe(i, BigDecimal.valueOf(i - 50L, 2));
      ((TimeStampMilliTZVector) root.getVector("at")).setSafe(i, 1_700_000_000_000L + i);
      if (i % 5 != 2) {
        int start = lists.startNewValue(i);
        for (int k = 0; k < i % 3; k++) {
          elements.setSafe(start + k, i * k);
        }
        lists.endValue(i, i % 3);
      }
    }
    root.setRowCount(ROWS);
    return root;
  }
}
