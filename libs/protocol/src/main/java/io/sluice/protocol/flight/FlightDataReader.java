package io.sluice.protocol.flight;

import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.Detachable;
import io.grpc.HasByteBuffer;
import io.grpc.KnownLength;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.jspecify.annotations.Nullable;

/**
 * Reads one FlightData message from a stream, field by field: {@code 1 descriptor, 2 data_header, 3
 * app_metadata, 1000 data_body}, all length-delimited; unknown fields are skipped, of a repeated
 * field the last one counts. Every length is checked against what is left before memory is taken. A
 * large body may be left in the buffers in which it was received. Used once.
 */
final class FlightDataReader {
  static final int DESCRIPTOR_FIELD = 1;
  static final int HEADER_FIELD = 2;
  static final int METADATA_FIELD = 3;
  static final int BODY_FIELD = 1000;

  private static final int WIRE_VARINT = 0;
  private static final int WIRE_FIXED64 = 1;

  /** Bodies below this are always copied: the buffers in which they lie may hold far more. */
  static final int MIN_BYTES_IN_PLACE = 64 * 1024;

  static final int WIRE_BYTES = 2;
  private static final int WIRE_FIXED32 = 5;
  private static final int MAX_VARINT_BYTES = 10;
  private static final int COPY_BYTES = 16 * 1024;

  private final InputStream in;
  private final BufferAllocator allocator;
  private final @Nullable InPlaceBytes inPlace;
  private final long limit;
  private long at;

  private Flight.@Nullable FlightDescriptor descriptor;
  private byte @Nullable [] header;
  private byte @Nullable [] metadata;
  private @Nullable ArrowBuf body;
  private @Nullable List<ByteBuffer> bodyInPlace;
  private int takenInPlace;

  /**
   * @param inPlace room for bodies that stay where they were received, null when all are copied
   */
  FlightDataReader(
      InputStream in, BufferAllocator allocator, int maxBytes, @Nullable InPlaceBytes inPlace)
      throws IOException {
    this.in = in;
    this.allocator = allocator;
    this.inPlace = inPlace;
    // Without a known length (compressed messages) the bound alone limits what is allocated.
    long known = in instanceof KnownLength ? in.available() : maxBytes;
    if (known > maxBytes) {
      throw invalid("it has " + known + " bytes; at most " + maxBytes + " are accepted");
    }
    this.limit = known;
  }

  /** The frame; nothing stays allocated when this throws. */
  FlightFrame read() throws IOException {
    boolean done = false;
    try {
      for (int tag = readTag(); tag >= 0; tag = readTag()) {
        readField(tag >>> 3, tag & 7);
      }
      FlightFrame frame = new FlightFrame(descriptor, header, metadata, receivedBody(), (int) at);
      done = true;
      return frame;
    } catch (OutOfMemoryException e) {
      throw new SluiceException(
          ErrorCode.BACKPRESSURE, "No memory for a message of " + limit + " bytes: " + e, e);
    } finally {
      if (!done) {
        releaseBody();
      }
    }
  }

  private @Nullable ReceivedBody receivedBody() {
    if (bodyInPlace != null && inPlace != null) {
      return ReceivedBody.inPlace(bodyInPlace, ((Detachable) in).detach(), allocator, inPlace);
    }
    return body == null ? null : ReceivedBody.copied(body);
  }

  private void readField(int field, int wireType) throws IOException {
    if (field == 0) {
      throw invalid("it has a field with number 0 at byte " + at);
    }
    boolean known = field == BODY_FIELD || (field >= DESCRIPTOR_FIELD && field <= METADATA_FIELD);
    if (!known) {
      skipField(field, wireType);
      return;
    }
    if (wireType != WIRE_BYTES) {
      throw invalid("field " + field + " has wire type " + wireType + " at byte " + at);
    }
    int length = readLength(field);
    switch (field) {
      case DESCRIPTOR_FIELD -> descriptor = parseDescriptor(readBytes(length));
      case HEADER_FIELD -> header = readBytes(length);
      case METADATA_FIELD -> metadata = readBytes(length);
      default -> readBody(length);
    }
  }

  /** The next tag, -1 at the end of the message. */
  private int readTag() throws IOException {
    if (at == limit && in instanceof KnownLength) {
      return -1;
    }
    int first = in.read();
    if (first < 0) {
      if (in instanceof KnownLength) {
        throw truncated("a field tag");
      }
      return -1;
    }
    at++;
    long tag = readVarint(first);
    if (tag < 0 || tag > Integer.MAX_VALUE) {
      throw invalid("it has the impossible field tag " + tag + " before byte " + at);
    }
    return (int) tag;
  }

  private long readVarint(int first) throws IOException {
    long value = first & 0x7F;
    int b = first;
    for (int i = 1; (b & 0x80) != 0; i++) {
      if (i == MAX_VARINT_BYTES) {
        throw invalid("it has a number of more than 10 bytes before byte " + at);
      }
      b = readByte();
      value |= (long) (b & 0x7F) << (7 * i);
    }
    return value;
  }

  private int readByte() throws IOException {
    int b = at < limit ? in.read() : -1;
    if (b < 0) {
      throw truncated("a number");
    }
    at++;
    return b;
  }

  private int readLength(int field) throws IOException {
    long length = readVarint(readByte());
    if (length < 0 || length > limit - at) {
      throw invalid(
          "field " + field + " says it has " + length + " bytes but " + (limit - at) + " are left");
    }
    return (int) length;
  }

  private byte[] readBytes(int length) throws IOException {
    byte[] bytes = in.readNBytes(length);
    at += bytes.length;
    if (bytes.length < length) {
      throw truncated("a field of " + length + " bytes");
    }
    return bytes;
  }

  private void readBody(int length) throws IOException {
    releaseBody();
    if (length == 0) {
      return;
    }
    if (length >= MIN_BYTES_IN_PLACE && canStay() && inPlace != null && inPlace.take(length)) {
      takenInPlace = length;
      bodyInPlace = stayingBuffers((HasByteBuffer) in, length);
      return;
    }
    ArrowBuf target = allocator.buffer(length);
    body = target;
    if (in instanceof HasByteBuffer direct && direct.byteBufferSupported()) {
      fillFromBuffers(direct, target, length);
    } else {
      fillFromArrays(target, length);
    }
    target.writerIndex(length);
  }

  private boolean canStay() {
    return in instanceof HasByteBuffer buffers
        && buffers.byteBufferSupported()
        && in instanceof Detachable
        && in.markSupported();
  }

  /** Views of the buffers, which stay alive: what lies behind a mark is not let go of. */
  private List<ByteBuffer> stayingBuffers(HasByteBuffer source, int length) throws IOException {
    List<ByteBuffer> pieces = new ArrayList<>();
    in.mark(length);
    int done = 0;
    while (done < length) {
      ByteBuffer chunk = chunk(source, length);
      int count = Math.min(length - done, chunk.remaining());
      pieces.add(chunk.slice(chunk.position(), count));
      pass(count, length);
      done += count;
    }
    return List.copyOf(pieces);
  }

  private ByteBuffer chunk(HasByteBuffer source, int length) {
    ByteBuffer chunk = source.getByteBuffer();
    if (chunk == null || !chunk.hasRemaining()) {
      throw truncated("a body of " + length + " bytes");
    }
    return chunk;
  }

  private void pass(int count, int length) throws IOException {
    long skipped = in.skip(count);
    if (skipped != count) {
      throw truncated("a body of " + length + " bytes");
    }
    at += count;
  }

  private void fillFromBuffers(HasByteBuffer source, ArrowBuf target, int length)
      throws IOException {
    int done = 0;
    while (done < length) {
      ByteBuffer chunk = chunk(source, length);
      int count = Math.min(length - done, chunk.remaining());
      target.setBytes(done, chunk, chunk.position(), count);
      pass(count, length);
      done += count;
    }
  }

  private void fillFromArrays(ArrowBuf target, int length) throws IOException {
    byte[] copy = new byte[Math.min(length, COPY_BYTES)];
    int done = 0;
    while (done < length) {
      int count = in.read(copy, 0, Math.min(copy.length, length - done));
      if (count <= 0) {
        throw truncated("a body of " + length + " bytes");
      }
      target.setBytes(done, copy, 0, count);
      done += count;
      at += count;
    }
  }

  private void skipField(int field, int wireType) throws IOException {
    switch (wireType) {
      case WIRE_VARINT -> readVarint(readByte());
      case WIRE_FIXED64 -> readBytes(8);
      case WIRE_FIXED32 -> readBytes(4);
      case WIRE_BYTES -> {
        int length = readLength(field);
        long skipped = 0;
        while (skipped < length) {
          skipped += readBytes((int) Math.min(COPY_BYTES, length - skipped)).length;
        }
      }
      default -> throw invalid("field " + field + " has wire type " + wireType);
    }
  }

  private Flight.FlightDescriptor parseDescriptor(byte[] bytes) {
    try {
      return Flight.FlightDescriptor.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw invalid("its descriptor cannot be parsed: " + e.getMessage());
    }
  }

  private void releaseBody() {
    bodyInPlace = null;
    if (inPlace != null) {
      inPlace.give(takenInPlace);
      takenInPlace = 0;
    }
    if (body != null) {
      body.getReferenceManager().release();
      body = null;
    }
  }

  private SluiceException truncated(String what) {
    return invalid("it ends at byte " + at + " inside " + what);
  }

  private static SluiceException invalid(String why) {
    return new SluiceException(
        ErrorCode.INVALID_ARGUMENT, "A FlightData message is damaged: " + why);
  }
}
