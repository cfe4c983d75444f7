package io.sluice.protocol.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.jspecify.annotations.Nullable;

/** The body of a received message, at least one byte. Owns its memory until closed. */
final class ReceivedBody implements AutoCloseable {
  private final @Nullable BufferAllocator allocator;
  private final @Nullable InPlaceBytes room;
  private final int length;

  // Guarded by this: the transport's buffers and who keeps them alive, or a copy.
  private List<ByteBuffer> pieces;
  private @Nullable InputStream owner;
  private @Nullable ArrowBuf whole;
  private boolean closed;

  private ReceivedBody(
      List<ByteBuffer> pieces,
      @Nullable InputStream owner,
      @Nullable BufferAllocator allocator,
      @Nullable InPlaceBytes room,
      @Nullable ArrowBuf whole,
      int length) {
    this.pieces = pieces;
    this.owner = owner;
    this.allocator = allocator;
    this.room = room;
    this.whole = whole;
    this.length = length;
  }

  /** A body from index 0 to the writer index, of which one reference is taken over. */
  static ReceivedBody copied(ArrowBuf body) {
    return new ReceivedBody(List.of(), null, null, null, body, Math.toIntExact(body.writerIndex()));
  }

  /**
   * A body in the transport's buffers.
   *
   * @param pieces views of them, one after the other
   * @param owner keeps them alive until it is closed
   * @param allocator pays for a copy when one is asked for
   * @param room what was taken for the body, given back when it is let go of
   */
  static ReceivedBody inPlace(
      List<ByteBuffer> pieces, InputStream owner, BufferAllocator allocator, InPlaceBytes room) {
    int length = 0;
    for (ByteBuffer piece : pieces) {
      length += piece.remaining();
    }
    return new ReceivedBody(pieces, owner, allocator, room, null, length);
  }

  int length() {
    return length;
  }

  /**
   * In one buffer, which takes the place of the transport's; BACKPRESSURE when there is no memory
   * for it.
   */
  synchronized ArrowBuf whole() {
    ArrowBuf made = whole;
    if (made == null) {
      made = join();
      whole = made;
    }
    return made;
  }

  private ArrowBuf join() {
    if (closed || allocator == null) {
      throw new IllegalStateException("The message was closed");
    }
    try {
      ArrowBuf joined = allocator.buffer(length);
      int at = 0;
      for (ByteBuffer piece : pieces) {
        joined.setBytes(at, piece, piece.position(), piece.remaining());
        at += piece.remaining();
      }
      releaseReceived();
      return joined.writerIndex(length);
    } catch (OutOfMemoryException e) {
      throw new SluiceException(
          ErrorCode.BACKPRESSURE, "No memory for a body of " + length + " bytes: " + e, e);
    }
  }

  /**
   * Where it lies, one buffer after the other; valid until {@link #whole} is asked for. Whoever
   * asks may move their positions.
   */
  synchronized List<ByteBuffer> pieces() {
    return whole == null
        ? pieces.stream().map(ByteBuffer::duplicate).toList()
        : List.of(whole.nioBuffer(0, length));
  }

  /** Twice is harmless. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (whole != null) {
      whole.getReferenceManager().release();
    }
    releaseReceived();
  }

  private void releaseReceived() {
    InputStream held = owner;
    owner = null;
    pieces = List.of();
    if (held != null) {
      if (room != null) {
        room.give(length);
      }
      try {
        held.close();
      } catch (IOException e) {
        throw new UncheckedIOException("A received message cannot be let go of", e);
      }
    }
  }
}
