package io.sluice.format.batch;

import com.google.flatbuffers.FlatBufferBuilder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.apache.arrow.flatbuf.BodyCompression;
import org.apache.arrow.flatbuf.BodyCompressionMethod;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;

/**
 * Collects the nodes and buffers of a record batch and builds its Arrow message. Reusable after
 * {@link #reset}; not thread-safe.
 */
public final class RecordBatchMessageWriter {
  private final FlatBufferBuilder builder = new FlatBufferBuilder(1024);
  private long[] nodes = new long[64];
  private long[] buffers = new long[128];
  private int nodeCount;
  private int bufferCount;

  /** Forgets all nodes and buffers. */
  public void reset() {
    nodeCount = 0;
    bufferCount = 0;
  }

  /** Adds the next field node. */
  public void addNode(long length, long nullCount) {
    if (2 * nodeCount == nodes.length) {
      nodes = Arrays.copyOf(nodes, 2 * nodes.length);
    }
    nodes[2 * nodeCount] = length;
    nodes[2 * nodeCount + 1] = nullCount;
    nodeCount++;
  }

  /** Adds the next buffer by its place in the body. */
  public void addBuffer(long offset, long length) {
    if (2 * bufferCount == buffers.length) {
      buffers = Arrays.copyOf(buffers, 2 * buffers.length);
    }
    buffers[2 * bufferCount] = offset;
    buffers[2 * bufferCount + 1] = length;
    bufferCount++;
  }

  /** Number of buffers added. */
  public int bufferCount() {
    return bufferCount;
  }

  /**
   * Builds the message.
   *
   * @return the bare flatbuffer in a heap buffer of its own, little endian, a multiple of 8 bytes
   */
  public ByteBuffer write(int rows, BatchCodec codec, long bodyLength) {
    builder.clear();
    RecordBatch.startNodesVector(builder, nodeCount);
    for (int i = nodeCount - 1; i >= 0; i--) {
      FieldNode.createFieldNode(builder, nodes[2 * i], nodes[2 * i + 1]);
    }
    int nodesAt = builder.endVector();
    RecordBatch.startBuffersVector(builder, bufferCount);
    for (int i = bufferCount - 1; i >= 0; i--) {
      Buffer.createBuffer(builder, buffers[2 * i], buffers[2 * i + 1]);
    }
    int buffersAt = builder.endVector();
    int compressionAt = 0;
    if (codec != BatchCodec.NONE) {
      compressionAt =
          BodyCompression.createBodyCompression(
              builder, (byte) codec.arrowCodec(), BodyCompressionMethod.BUFFER);
    }
    RecordBatch.startRecordBatch(builder);
    RecordBatch.addLength(builder, rows);
    RecordBatch.addNodes(builder, nodesAt);
    RecordBatch.addBuffers(builder, buffersAt);
    if (compressionAt != 0) {
      RecordBatch.addCompression(builder, compressionAt);
    }
    int batchAt = RecordBatch.endRecordBatch(builder);
    Message.startMessage(builder);
    Message.addHeader(builder, batchAt);
    Message.addBodyLength(builder, bodyLength);
    Message.addVersion(builder, MetadataVersion.V5);
    Message.addHeaderType(builder, MessageHeader.RecordBatch);
    builder.finish(Message.endMessage(builder));
    return ByteBuffer.wrap(builder.sizedByteArray()).order(ByteOrder.LITTLE_ENDIAN);
  }
}
