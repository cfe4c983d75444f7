package io.sluice.tablet.flight;

import com.google.protobuf.MessageLite;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.protocol.flight.OutboundFrame;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.message.ArrowBuffer;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/** Frames of rows in memory, copied and not compressed. */
final class PlainFrames {
  private PlainFrames() {}

  /** A schema message. */
  static OutboundFrame schema(Schema schema) {
    return OutboundFrame.of(
        null, MessageSerializer.serializeMetadata(schema, IpcOption.DEFAULT), null);
  }

  /** The rows of a root, which stay the caller's. */
  static OutboundFrame rows(
      VectorSchemaRoot root, @Nullable MessageLite metadata, ByteBufAllocator buffers) {
    try (ArrowRecordBatch batch = new VectorUnloader(root, true, true).getRecordBatch()) {
      return frame(batch, metadata, buffers);
    }
  }

  private static OutboundFrame frame(
      ArrowRecordBatch batch, @Nullable MessageLite metadata, ByteBufAllocator buffers) {
    ByteBuffer message = MessageSerializer.serializeMetadata(batch, IpcOption.DEFAULT);
    return OutboundFrame.of(null, message, metadata, body(batch, buffers));
  }

  private static ByteBuf body(ArrowRecordBatch batch, ByteBufAllocator buffers) {
    int length = Math.toIntExact(batch.computeBodyLength());
    ByteBuf body = buffers.directBuffer(length, Math.max(1, length));
    boolean done = false;
    try {
      body.setZero(0, length);
      List<ArrowBuffer> layout = batch.getBuffersLayout();
      for (int i = 0; i < layout.size(); i++) {
        int size = (int) layout.get(i).getSize();
        if (size > 0) {
          ByteBuffer source = batch.getBuffers().get(i).nioBuffer(0, size);
          body.setBytes((int) layout.get(i).getOffset(), source);
        }
      }
      body.writerIndex(length);
      done = true;
      return body;
    } finally {
      if (!done) {
        body.release();
      }
    }
  }
}
