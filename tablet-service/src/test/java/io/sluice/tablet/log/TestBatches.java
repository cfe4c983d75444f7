package io.sluice.tablet.log;

import com.google.flatbuffers.FlatBufferBuilder;
import io.sluice.format.batch.LogBatchHeader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;

/** Batches of two body buffers with bytes that follow from a seed. */
public final class TestBatches {
  private static final int FIRST_BUFFER = 13;

  private TestBatches() {}

  /**
   * A batch as a writer sends it.
   *
   * @param header leader's fields zero
   * @param sections in order, without padding
   */
  public record TestBatch(LogBatchHeader header, List<ByteBuffer> sections) {}

  /** Rows of nobody in particular. */
  public static TestBatch plain(int rows, int bodyBytes) {
    return of(rows, -1, 0, -1, bodyBytes);
  }

  /** Rows of an idempotent writer. */
  public static TestBatch of(int rows, long writerId, int epoch, long baseSequence, int bodyBytes) {
    ByteBuffer body = body(bodyBytes, baseSequence * 31 + rows);
    ByteBuffer metadata = metadata(rows, bodyBytes, body.remaining());
    ByteBuffer checksums = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
    checksums.putInt(crc(body.slice(0, FIRST_BUFFER)));
    checksums.putInt(crc(body.slice(16, bodyBytes))).flip();
    LogBatchHeader header =
        LogBatchHeader.allocate()
            .setContent(1, rows, rows)
            .setSections(
                0, 0, 0, metadata.remaining(), checksums.remaining(), body.remaining(), 64);
    if (writerId >= 0) {
      header.setWriter(writerId, epoch, baseSequence, rows);
    }
    header.setContentCrc(header.computeContentCrc(metadata, checksums));
    ByteBuffer empty = ByteBuffer.allocate(0);
    return new TestBatch(header, List.of(empty, empty, metadata, checksums, body));
  }

  private static ByteBuffer body(int bytes, long seed) {
    ByteBuffer body = ByteBuffer.allocateDirect(16 + LogBatchHeader.align(bytes));
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < FIRST_BUFFER; i++) {
      body.put(i, (byte) (random.nextInt() | 1));
    }
    for (int i = 16; i < 16 + bytes; i++) {
      body.put(i, (byte) (random.nextInt() | 1));
    }
    return body;
  }

  private static ByteBuffer metadata(int rows, int bodyBytes, int bodyLength) {
    FlatBufferBuilder builder = new FlatBufferBuilder(256);
    RecordBatch.startBuffersVector(builder, 2);
    Buffer.createBuffer(builder, 16, bodyBytes);
    Buffer.createBuffer(builder, 0, FIRST_BUFFER);
    int buffers = builder.endVector();
    RecordBatch.startNodesVector(builder, 1);
    FieldNode.createFieldNode(builder, rows, 0);
    int nodes = builder.endVector();
    RecordBatch.startRecordBatch(builder);
    RecordBatch.addLength(builder, rows);
    RecordBatch.addNodes(builder, nodes);
    RecordBatch.addBuffers(builder, buffers);
    int batch = RecordBatch.endRecordBatch(builder);
    Message.startMessage(builder);
    Message.addVersion(builder, MetadataVersion.V5);
    Message.addHeaderType(builder, MessageHeader.RecordBatch);
    Message.addHeader(builder, batch);
    Message.addBodyLength(builder, bodyLength);
    builder.finish(Message.endMessage(builder));
    return ByteBuffer.wrap(builder.sizedByteArray());
  }

  private static int crc(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return (int) crc.getValue();
  }
}
