package io.sluice.protocol.flight;

import io.grpc.StatusRuntimeException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.memory.ArrowBuf;
import org.jspecify.annotations.Nullable;

/**
 * One received FlightData message. It owns its body: whoever receives the frame closes it, and
 * retains the body first (through its reference manager) to keep it longer.
 *
 * <p>gRPC reports a message that a marshaller refuses as a cancelled call with an unclear status.
 * Therefore a message that cannot be parsed arrives as a frame whose every accessor throws what was
 * wrong with it (INVALID_ARGUMENT), so that the handler of the call can answer that.
 */
public final class FlightFrame implements AutoCloseable {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

  private final Flight.@Nullable FlightDescriptor descriptor;
  private final byte @Nullable [] dataHeader;
  private final byte @Nullable [] appMetadata;
  private final @Nullable ReceivedBody body;
  private final int wireBytes;
  private final @Nullable StatusRuntimeException damage;

  FlightFrame(
      Flight.@Nullable FlightDescriptor descriptor,
      byte @Nullable [] dataHeader,
      byte @Nullable [] appMetadata,
      @Nullable ReceivedBody body,
      int wireBytes) {
    this.descriptor = descriptor;
    this.dataHeader = dataHeader;
    this.appMetadata = appMetadata;
    this.body = body;
    this.wireBytes = wireBytes;
    this.damage = null;
  }

  private FlightFrame(StatusRuntimeException damage) {
    this.descriptor = null;
    this.dataHeader = null;
    this.appMetadata = null;
    this.body = null;
    this.wireBytes = 0;
    this.damage = damage;
  }

  static FlightFrame damaged(StatusRuntimeException damage) {
    return new FlightFrame(damage);
  }

  /** The descriptor, which clients send with the first message of a put. */
  public Flight.@Nullable FlightDescriptor descriptor() {
    requireIntact();
    return descriptor;
  }

  /** The Arrow IPC message flatbuffer, empty when the message has none. */
  public ByteBuffer dataHeader() {
    requireIntact();
    return view(dataHeader);
  }

  /** The application metadata, empty when the message has none. */
  public ByteBuffer appMetadata() {
    requireIntact();
    return view(appMetadata);
  }

  /**
   * The body in one buffer from index 0 to its writer index, null when the message has none or an
   * empty one. When it was left where it was received the first call copies it, and ends the life
   * of its {@link #bodyPieces}; who can take those need not call this.
   *
   * @throws io.sluice.common.SluiceException BACKPRESSURE when there is no memory for the copy
   */
  public @Nullable ArrowBuf body() {
    requireIntact();
    return body == null ? null : body.whole();
  }

  /**
   * The body where it lies, one buffer after the other, valid until {@link #body} or {@link #close}
   * is called; whoever asks may move their positions. Empty when the message has none.
   */
  public List<ByteBuffer> bodyPieces() {
    requireIntact();
    return body == null ? List.of() : body.pieces();
  }

  /** Bytes of the body. */
  public int bodyLength() {
    requireIntact();
    return body == null ? 0 : body.length();
  }

  /** Bytes of the whole message as received, without gRPC's own 5. */
  public int wireBytes() {
    requireIntact();
    return wireBytes;
  }

  /** Throws what is wrong with the message when it could not be parsed. */
  public void requireIntact() {
    if (damage != null) {
      throw damage;
    }
  }

  /** Releases the body. Twice is harmless. */
  @Override
  public void close() {
    if (body != null) {
      body.close();
    }
  }

  private static ByteBuffer view(byte @Nullable [] bytes) {
    return bytes == null ? NOTHING.duplicate() : ByteBuffer.wrap(bytes);
  }
}
