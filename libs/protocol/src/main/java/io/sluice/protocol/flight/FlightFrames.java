package io.sluice.protocol.flight;

import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.StatusRuntimeException;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.error.StatusMapping;
import java.io.IOException;
import java.io.InputStream;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/** The gRPC marshallers of FlightData in both directions. */
public final class FlightFrames {
  /** The largest message that clients take in: the largest batch and its metadata. */
  public static final int MAX_MESSAGE_BYTES = 36 * 1024 * 1024;

  private static final long MAX_BYTES_IN_PLACE = 64L * 1024 * 1024;

  private FlightFrames() {}

  /**
   * Parses one message; its body is copied once, into memory of the allocator. INVALID_ARGUMENT
   * when the message is damaged or larger than {@code maxBytes}, BACKPRESSURE when the allocator
   * has no room; nothing stays allocated then.
   */
  public static FlightFrame parse(InputStream stream, BufferAllocator allocator, int maxBytes) {
    return parse(stream, allocator, maxBytes, null);
  }

  private static FlightFrame parse(
      InputStream stream, BufferAllocator allocator, int maxBytes, @Nullable InPlaceBytes inPlace) {
    try {
      return new FlightDataReader(stream, allocator, maxBytes, inPlace).read();
    } catch (SluiceException e) {
      throw StatusMapping.toStatus(e);
    } catch (IOException e) {
      throw StatusMapping.toStatus(
          new SluiceException(
              ErrorCode.INVALID_ARGUMENT, "A FlightData message cannot be read: " + e, e));
    }
  }

  /**
   * Marshaller of a receiving side. It never throws: see {@link FlightFrame} for damaged messages.
   */
  public static Marshaller<FlightFrame> inbound(BufferAllocator allocator, int maxBytes) {
    return new Inbound(allocator, maxBytes, null);
  }

  /**
   * As {@link #inbound}, with large bodies left in the transport's buffers: for receivers that read
   * them once and let go of them soon. At most 64 MiB of them at once, others are copied.
   */
  public static Marshaller<FlightFrame> inboundInPlace(BufferAllocator allocator, int maxBytes) {
    return new Inbound(allocator, maxBytes, new InPlaceBytes(MAX_BYTES_IN_PLACE));
  }

  /** Marshaller of a sending side, handing bodies to the transport without a copy. */
  public static Marshaller<OutboundFrame> outbound() {
    return new Outbound(BodyTransfer.ZERO_COPY);
  }

  /** Marshaller of a sending side that copies, for comparison. */
  static Marshaller<OutboundFrame> outboundCopying() {
    return new Outbound(BodyTransfer.COPY);
  }

  private record Inbound(BufferAllocator allocator, int maxBytes, @Nullable InPlaceBytes inPlace)
      implements Marshaller<FlightFrame> {
    @Override
    public FlightFrame parse(InputStream stream) {
      try {
        return FlightFrames.parse(stream, allocator, maxBytes, inPlace);
      } catch (StatusRuntimeException e) {
        return FlightFrame.damaged(e);
      }
    }

    @Override
    public InputStream stream(FlightFrame value) {
      throw new UnsupportedOperationException("A received frame is not sent on");
    }
  }

  private record Outbound(BodyTransfer transfer) implements Marshaller<OutboundFrame> {
    @Override
    public InputStream stream(OutboundFrame frame) {
      return new FrameInputStream(frame.retainedContent(), transfer);
    }

    @Override
    public OutboundFrame parse(InputStream stream) {
      throw new UnsupportedOperationException("An outbound frame is not received");
    }
  }
}
