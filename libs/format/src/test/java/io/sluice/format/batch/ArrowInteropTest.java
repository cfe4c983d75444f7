package io.sluice.format.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.Seeds;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import org.apache.arrow.compression.CommonsCompressionFactory;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.compression.CompressionCodec;
import org.apache.arrow.vector.compression.CompressionUtil.CodecType;
import org.apache.arrow.vector.compression.NoCompressionCodec;
import org.apache.arrow.vector.ipc.ReadChannel;
import org.apache.arrow.vector.ipc.WriteChannel;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Arrow Java's own reader and writer against this format. */
class ArrowInteropTest {
  @ParameterizedTest
  @EnumSource(BatchCodec.class)
  void arrowReadsOurBatches(BatchCodec codec) {
    try (BufferAllocator allocator = new RootAllocator();
        LogBatchEncoder encoder = new LogBatchEncoder(allocator, CompressionSettings.of(codec))) {
      Seeds.run(
          15,
          (seed, random) -> {
            TableSchema schema = RandomBatches.schema(random, 8);
            int rows = 1 + random.nextInt(1500);
            try (VectorSchemaRoot root = RandomBatches.rows(allocator, schema, random, rows);
                EncodedBatch batch = encoder.encode(root, schema, BatchWriter.NONE);
                VectorSchemaRoot found =
                    VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator);
                ArrowRecordBatch arrow = read(allocator, batch)) {
              new VectorLoader(found, CommonsCompressionFactory.INSTANCE).load(arrow);
              assertThat(found.equals(root)).isTrue();
            }
          });
    }
  }

  /** Reads through Arrow's stream framing: marker, metadata length, metadata, body. */
  private static ArrowRecordBatch read(BufferAllocator allocator, EncodedBatch batch)
      throws IOException {
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    try (WriteChannel out = new WriteChannel(Channels.newChannel(stream))) {
      out.writeIntLittleEndian(MessageSerializer.IPC_CONTINUATION_TOKEN);
      out.writeIntLittleEndian(batch.metadata().remaining());
      out.write(batch.metadata());
      out.write(batch.bodyBytes());
    }
    ByteArrayInputStream in = new ByteArrayInputStream(stream.toByteArray());
    return (ArrowRecordBatch)
        MessageSerializer.deserializeMessageBatch(
            new ReadChannel(Channels.newChannel(in)), allocator);
  }

  @ParameterizedTest
  @EnumSource(BatchCodec.class)
  void weReadArrowsBatches(BatchCodec codec) {
    CompressionCodec arrowCodec =
        switch (codec) {
          case NONE -> NoCompressionCodec.INSTANCE;
          case LZ4 -> CommonsCompressionFactory.INSTANCE.createCodec(CodecType.LZ4_FRAME);
          case ZSTD -> CommonsCompressionFactory.INSTANCE.createCodec(CodecType.ZSTD);
        };
    try (BufferAllocator allocator = new RootAllocator();
        LogBatchDecoder decoder = new LogBatchDecoder(allocator)) {
      Seeds.run(
          15,
          (seed, random) -> {
            TableSchema schema = RandomBatches.schema(random, 8);
            int rows = 1 + random.nextInt(1500);
            try (VectorSchemaRoot root = RandomBatches.rows(allocator, schema, random, rows);
                ArrowRecordBatch arrow =
                    new VectorUnloader(root, true, arrowCodec, true).getRecordBatch();
                ArrowBuf body = body(allocator, arrow);
                VectorSchemaRoot found =
                    decoder.decode(ArrowSchemas.toArrow(schema), metadata(arrow), body)) {
              assertThat(found.equals(root)).isTrue();
            }
          });
    }
  }

  private static ByteBuffer metadata(ArrowRecordBatch arrow) {
    return MessageSerializer.serializeMetadata(arrow);
  }

  private static ArrowBuf body(BufferAllocator allocator, ArrowRecordBatch arrow)
      throws IOException {
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    try (WriteChannel out = new WriteChannel(Channels.newChannel(stream))) {
      MessageSerializer.writeBatchBuffers(out, arrow);
    }
    ArrowBuf body = allocator.buffer(Math.max(8, stream.size()));
    body.writeBytes(stream.toByteArray());
    return body;
  }
}
