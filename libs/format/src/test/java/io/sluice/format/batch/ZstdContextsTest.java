package io.sluice.format.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.ZstdDecompressCtx;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What decoders hold between batches. */
final class ZstdContextsTest {
  private static final TableSchema SCHEMA =
      new TableSchema(
          1, List.of(Column.of(1, "n", DataTypeParser.parse("BIGINT"), false)), List.of());

  private final BufferAllocator allocator = new RootAllocator();

  @AfterEach
  void close() {
    allocator.close();
  }

  private EncodedBatch batch() {
    try (VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(SCHEMA), allocator);
        LogBatchEncoder encoder =
            new LogBatchEncoder(allocator, CompressionSettings.of(BatchCodec.ZSTD))) {
      BigIntVector numbers = (BigIntVector) root.getVector(0);
      for (int i = 0; i < 1_000; i++) {
        numbers.setSafe(i, i);
      }
      root.setRowCount(1_000);
      return encoder.encode(root, SCHEMA, BatchWriter.NONE);
    }
  }

  private void decode(LogBatchDecoder decoder, EncodedBatch batch, ArrowBuf body) {
    try (VectorSchemaRoot rows =
        decoder.decode(ArrowSchemas.toArrow(SCHEMA), batch.metadata(), body)) {
      assertThat(((BigIntVector) rows.getVector(0)).get(999)).isEqualTo(999);
    }
  }

  @Test
  void decodersThatAreOpenAndIdleHoldNone() {
    List<LogBatchDecoder> open = new ArrayList<>();
    try (EncodedBatch batch = batch()) {
      for (int i = 0; i < 100; i++) {
        LogBatchDecoder decoder = new LogBatchDecoder(allocator);
        open.add(decoder);
        decode(decoder, batch, batch.body());
      }
      assertThat(ZstdContexts.SHARED.atWork()).isZero();
      assertThat(ZstdContexts.SHARED.idle()).isBetween(1, 8);
      open.forEach(each -> decode(each, batch, batch.body()));
    }
    open.forEach(LogBatchDecoder::close);
  }

  @Test
  void aDamagedFrameLeavesNoneAndSpoilsNone() {
    try (EncodedBatch batch = batch();
        LogBatchDecoder decoder = new LogBatchDecoder(allocator);
        ArrowBuf damaged = allocator.buffer(batch.bodyLength())) {
      damaged.setBytes(0, batch.body(), 0, batch.bodyLength());
      damaged.writerIndex(batch.bodyLength());
      // The highest byte of the length of the frame's first block.
      int at = BatchStructure.PREFIX_BYTES + 9;
      damaged.setByte(at, ~damaged.getByte(at));
      assertThatThrownBy(() -> decode(decoder, batch, damaged)).isInstanceOf(SluiceException.class);
      assertThat(ZstdContexts.SHARED.atWork()).isZero();
      decode(decoder, batch, batch.body());
    }
  }

  @Test
  void onlySomeAreKept() {
    ZstdContexts contexts = new ZstdContexts(2);
    List<ZstdDecompressCtx> taken = List.of(contexts.take(), contexts.take(), contexts.take());
    assertThat(contexts.atWork()).isEqualTo(3);
    taken.forEach(contexts::give);
    assertThat(contexts.atWork()).isZero();
    assertThat(contexts.idle()).isEqualTo(2);
    ZstdDecompressCtx last = contexts.take();
    assertThat(last).isSameAs(taken.get(2));
    last.close();
    contexts.take().close();
  }
}
