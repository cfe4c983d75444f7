package io.sluice.format.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.Seeds;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32C;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Batches whose bodies are in part the memory of the vectors, or come in pieces. */
class SharedBodyTest {
  private static final ByteBuffer NO_CHANGES = ByteBuffer.allocate(0);

  private static List<ByteBuffer> pieces(EncodedBatch batch) {
    List<ByteBuffer> pieces = new ArrayList<>();
    for (ArrowBuf piece : batch.bodyPieces()) {
      pieces.add(piece.nioBuffer(0, (int) piece.writerIndex()));
    }
    return pieces;
  }

  private static byte[] joined(List<ByteBuffer> pieces) {
    ByteBuffer all = ByteBuffer.allocate(pieces.stream().mapToInt(ByteBuffer::remaining).sum());
    pieces.forEach(piece -> all.put(piece.duplicate()));
    return all.array();
  }

  @ParameterizedTest
  @EnumSource(BatchCodec.class)
  void hasTheBytesOfACopiedOne(BatchCodec codec) {
    try (BufferAllocator allocator = new RootAllocator();
        LogBatchEncoder encoder = new LogBatchEncoder(allocator, CompressionSettings.of(codec))) {
      BatchValidator validator = new BatchValidator();
      Seeds.run(
          40,
          (seed, random) -> {
            TableSchema schema = RandomBatches.schema(random, 8);
            int rows = 1 + random.nextInt(random.nextBoolean() ? 300 : 6000);
            BatchWriter writer = new BatchWriter(seed, 3, 100, rows);
            try (VectorSchemaRoot root = RandomBatches.rows(allocator, schema, random, rows);
                EncodedBatch copied = encoder.encode(root, schema, writer);
                EncodedBatch shared = encoder.encodeShared(root, schema, NO_CHANGES, writer)) {
              assertThat(shared.isShared() && codec != BatchCodec.NONE).isFalse();
              assertThat(joined(pieces(shared))).isEqualTo(joined(List.of(copied.bodyBytes())));
              assertThat(Batches.wire(shared)).isEqualTo(Batches.wire(copied));
              validator.validate(
                  schema,
                  List.of(),
                  shared.header(),
                  shared.changeTypes(),
                  shared.statistics(),
                  shared.metadata(),
                  shared.checksums(),
                  pieces(shared));
            }
          });
    }
  }

  @Test
  void keepsTheMemoryOfAClosedRootAndLetsGoOfItOnce() {
    TableSchema schema =
        new TableSchema(
            1, List.of(Column.of(1, "id", new DataType.IntegerType(64), false)), List.of());
    int rows = BodyWriter.MIN_SHARED_BYTES / Long.BYTES;
    AtomicInteger closed = new AtomicInteger();
    try (BufferAllocator allocator = new RootAllocator();
        LogBatchEncoder encoder =
            new LogBatchEncoder(allocator, CompressionSettings.of(BatchCodec.NONE))) {
      VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator);
      BigIntVector ids = (BigIntVector) root.getVector(0);
      for (int i = 0; i < rows; i++) {
        ids.setSafe(i, i);
      }
      root.setRowCount(rows);
      EncodedBatch batch = encoder.encodeShared(root, schema, NO_CHANGES, BatchWriter.NONE);
      batch.afterClose(closed::incrementAndGet);
      assertThat(batch.isShared()).isTrue();
      root.close();
      assertThat(batch.body().getLong(8L * (rows - 1))).isEqualTo(rows - 1);
      batch.close();
      batch.close();
      assertThat(closed).hasValue(1);
      assertThat(allocator.getAllocatedMemory()).isZero();
    }
  }

  @Test
  void isReadAcrossTheBordersOfItsPieces() {
    Seeds.run(
        200,
        (seed, random) -> {
          byte[] all = new byte[1 + random.nextInt(200)];
          random.nextBytes(all);
          BodyBytes body = BodyBytes.of(cut(all, random));
          assertThat(body.length()).isEqualTo(all.length);
          ByteBuffer expected = ByteBuffer.wrap(all).order(ByteOrder.LITTLE_ENDIAN);
          for (int i = 0; i < 20; i++) {
            int at = random.nextInt(all.length);
            assertThat(body.get(at)).isEqualTo(all[at]);
            int length = random.nextInt(all.length - at + 1);
            CRC32C found = new CRC32C();
            CRC32C whole = new CRC32C();
            body.update(found, at, length);
            whole.update(all, at, length);
            assertThat(found.getValue()).isEqualTo(whole.getValue());
            if (at + Long.BYTES <= all.length) {
              assertThat(body.getLong(at)).isEqualTo(expected.getLong(at));
            }
          }
        });
  }

  private static List<ByteBuffer> cut(byte[] all, SplittableRandom random) {
    List<ByteBuffer> pieces = new ArrayList<>();
    int at = 0;
    while (at < all.length) {
      int length = random.nextInt(Math.min(12, all.length - at) + 1);
      pieces.add(ByteBuffer.wrap(all, at, length));
      at += length;
    }
    return pieces;
  }
}
