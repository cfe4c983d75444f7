package io.sluice.protocol.flight;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.memory.ArrowBuf;
import org.jspecify.annotations.Nullable;

/**
 * One FlightData message to send: the small fields as one heap array, the body as it is. The sender
 * closes the frame after {@code sendMessage} has returned or thrown; gRPC holds its own references.
 */
public final class OutboundFrame implements AutoCloseable {
  private final ByteBuf content;
  private final AtomicBoolean closed = new AtomicBoolean();

  private OutboundFrame(ByteBuf content) {
    this.content = content;
  }

  /** A message without a body; parts that are null or empty are left out. */
  public static OutboundFrame of(
      Flight.@Nullable FlightDescriptor descriptor,
      @Nullable ByteBuffer dataHeader,
      @Nullable MessageLite appMetadata) {
    return new OutboundFrame(prelude(descriptor, dataHeader, appMetadata, 0));
  }

  /** A message with a body, of which one reference is taken over, whether or not this throws. */
  public static OutboundFrame of(
      Flight.@Nullable FlightDescriptor descriptor,
      @Nullable ByteBuffer dataHeader,
      @Nullable MessageLite appMetadata,
      ByteBuf body) {
    int length = body.readableBytes();
    ByteBuf prelude;
    try {
      prelude = prelude(descriptor, dataHeader, appMetadata, length);
    } catch (RuntimeException | Error e) {
      body.release();
      throw e;
    }
    if (length == 0) {
      body.release();
      return new OutboundFrame(prelude);
    }
    return new OutboundFrame(Unpooled.wrappedBuffer(prelude, body));
  }

  /**
   * A message whose body is the first {@code length} bytes of an Arrow buffer; the caller keeps its
   * own reference.
   */
  public static OutboundFrame of(
      Flight.@Nullable FlightDescriptor descriptor,
      @Nullable ByteBuffer dataHeader,
      @Nullable MessageLite appMetadata,
      ArrowBuf body,
      int length) {
    return of(descriptor, dataHeader, appMetadata, ArrowByteBuf.wrap(body, 0, length));
  }

  /**
   * A message whose body are these Arrow buffers one after the other, each from its index 0 to its
   * writer index; the caller keeps its own references.
   */
  public static OutboundFrame of(
      Flight.@Nullable FlightDescriptor descriptor,
      @Nullable ByteBuffer dataHeader,
      @Nullable MessageLite appMetadata,
      List<ArrowBuf> body) {
    int length = 0;
    for (ArrowBuf piece : body) {
      length += Math.toIntExact(piece.writerIndex());
    }
    ByteBuf[] parts = new ByteBuf[body.size() + 1];
    parts[0] = prelude(descriptor, dataHeader, appMetadata, length);
    for (int i = 0; i < body.size(); i++) {
      ArrowBuf piece = body.get(i);
      parts[i + 1] = ArrowByteBuf.wrap(piece, 0, (int) piece.writerIndex());
    }
    // Above a number of parts that it is not told, it would copy them all into one on the heap.
    return new OutboundFrame(Unpooled.wrappedBuffer(parts.length, parts));
  }

  /** A message of any kind that is encoded already, of which one reference is taken over. */
  public static OutboundFrame encoded(ByteBuf message) {
    return new OutboundFrame(message);
  }

  /** Bytes of the message on the wire, without gRPC's own 5. */
  public int wireBytes() {
    return content.readableBytes();
  }

  /** The message's bytes with a reference of their own. */
  ByteBuf retainedContent() {
    return content.retainedDuplicate();
  }

  /** Gives the body back. Twice is harmless. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      content.release();
    }
  }

  /** In direct memory: one part on the heap, and the transport would copy the whole message. */
  private static ByteBuf prelude(
      Flight.@Nullable FlightDescriptor descriptor,
      @Nullable ByteBuffer dataHeader,
      @Nullable MessageLite appMetadata,
      int bodyLength) {
    int size = 0;
    if (descriptor != null) {
      size += CodedOutputStream.computeMessageSize(FlightDataReader.DESCRIPTOR_FIELD, descriptor);
    }
    if (dataHeader != null && dataHeader.hasRemaining()) {
      size += bytesFieldSize(FlightDataReader.HEADER_FIELD, dataHeader.remaining());
    }
    if (appMetadata != null) {
      size += CodedOutputStream.computeMessageSize(FlightDataReader.METADATA_FIELD, appMetadata);
    }
    if (bodyLength > 0) {
      size += bytesFieldSize(FlightDataReader.BODY_FIELD, bodyLength) - bodyLength;
    }
    ByteBuf prelude = PooledByteBufAllocator.DEFAULT.directBuffer(Math.max(1, size));
    boolean done = false;
    try {
      CodedOutputStream out = CodedOutputStream.newInstance(prelude.nioBuffer(0, size));
      if (descriptor != null) {
        out.writeMessage(FlightDataReader.DESCRIPTOR_FIELD, descriptor);
      }
      if (dataHeader != null && dataHeader.hasRemaining()) {
        out.writeTag(FlightDataReader.HEADER_FIELD, FlightDataReader.WIRE_BYTES);
        out.writeUInt32NoTag(dataHeader.remaining());
        out.writeLazy(dataHeader.duplicate());
      }
      if (appMetadata != null) {
        out.writeMessage(FlightDataReader.METADATA_FIELD, appMetadata);
      }
      if (bodyLength > 0) {
        out.writeTag(FlightDataReader.BODY_FIELD, FlightDataReader.WIRE_BYTES);
        out.writeUInt32NoTag(bodyLength);
      }
      out.checkNoSpaceLeft();
      out.flush();
      done = true;
      return prelude.writerIndex(size);
    } catch (IOException e) {
      throw new UncheckedIOException("A message does not fit its computed size", e);
    } finally {
      if (!done) {
        prelude.release();
      }
    }
  }

  private static int bytesFieldSize(int field, int length) {
    return CodedOutputStream.computeTagSize(field)
        + CodedOutputStream.computeUInt32SizeNoTag(length)
        + length;
  }
}
