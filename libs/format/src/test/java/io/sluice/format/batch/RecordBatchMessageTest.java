package io.sluice.format.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.flatbuffers.FlatBufferBuilder;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.testkit.Seeds;
import java.nio.ByteBuffer;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;
import org.junit.jupiter.api.Test;

class RecordBatchMessageTest {
  private final RecordBatchMessage reader = new RecordBatchMessage();

  private static ByteBuffer message(BatchCodec codec) {
    RecordBatchMessageWriter writer = new RecordBatchMessageWriter();
    writer.addNode(5, 1);
    writer.addNode(6, 0);
    writer.addBuffer(0, 8);
    writer.addBuffer(8, 40);
    writer.addBuffer(48, 0);
    return writer.write(5, codec, 48);
  }

  @Test
  void readsWhatWasWritten() {
    for (BatchCodec codec : BatchCodec.values()) {
      ByteBuffer bytes = message(codec);
      assertThat(bytes.remaining() % 8).isZero();
      reader.read(bytes);
      assertThat(reader.codec()).isEqualTo(codec);
      assertThat(reader.rows()).isEqualTo(5);
      assertThat(reader.bodyLength()).isEqualTo(48);
      assertThat(reader.nodeCount()).isEqualTo(2);
      assertThat(reader.nodeLength(1)).isEqualTo(6);
      assertThat(reader.nodeNullCount(0)).isEqualTo(1);
      assertThat(reader.bufferCount()).isEqualTo(3);
      assertThat(reader.bufferOffset(1)).isEqualTo(8);
      assertThat(reader.bufferLength(1)).isEqualTo(40);
      Message generated = Message.getRootAsMessage(bytes.duplicate());
      RecordBatch batch = (RecordBatch) generated.header(new RecordBatch());
      assertThat(batch.nodesLength()).isEqualTo(2);
      assertThat(batch.buffers(1).length()).isEqualTo(40);
    }
  }

  @Test
  void readsMessagesWithoutNodesAndBuffers() {
    reader.read(new RecordBatchMessageWriter().write(3, BatchCodec.NONE, 0));
    assertThat(reader.rows()).isEqualTo(3);
    assertThat(reader.nodeCount()).isZero();
    assertThat(reader.bufferCount()).isZero();
  }

  @Test
  void otherHeadersAndVersionsAreRefused() {
    assertThatThrownBy(() -> reader.read(bare(MetadataVersion.V4, MessageHeader.RecordBatch)))
        .hasMessageContaining("its version is 3, not V5");
    assertThatThrownBy(() -> reader.read(bare(MetadataVersion.V5, MessageHeader.DictionaryBatch)))
        .hasMessageContaining("its header type is 2, not RecordBatch");
    assertThatThrownBy(() -> reader.read(ByteBuffer.allocate(4)))
        .hasMessageContaining("it has 4 bytes");
  }

  private static ByteBuffer bare(short version, byte headerType) {
    FlatBufferBuilder builder = new FlatBufferBuilder();
    RecordBatch.startRecordBatch(builder);
    int batch = RecordBatch.endRecordBatch(builder);
    builder.finish(Message.createMessage(builder, version, headerType, batch, 0, 0));
    return ByteBuffer.wrap(builder.sizedByteArray());
  }

  @Test
  void randomBytesAreRefusedOrReadInsideTheirBounds() {
    byte[] good = RandomBatches.bytes(message(BatchCodec.ZSTD));
    Seeds.run(
        200,
        (seed, random) -> {
          for (int i = 0; i < 200; i++) {
            byte[] bad = good.clone();
            for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
              bad[random.nextInt(bad.length)] = (byte) random.nextInt(256);
            }
            try {
              reader.read(ByteBuffer.wrap(bad));
              for (int n = 0; n < reader.nodeCount(); n++) {
                reader.nodeLength(n);
                reader.nodeNullCount(n);
              }
              for (int b = 0; b < reader.bufferCount(); b++) {
                reader.bufferOffset(b);
                reader.bufferLength(b);
              }
            } catch (SluiceException e) {
              assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_BATCH);
            }
          }
        });
  }
}
