package io.sluice.format.batch;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.jspecify.annotations.Nullable;

/**
 * A batch ready to be sent or stored. Owns its body, which {@link #close} releases; the other
 * sections are on the heap. Buffers are handed out as views: callers may move their positions. One
 * owner, not thread-safe.
 */
public final class EncodedBatch implements AutoCloseable {
  private final LogBatchHeader header;
  private final ByteBuffer changeTypes;
  private final ByteBuffer statistics;
  private final ByteBuffer metadata;
  private final ByteBuffer checksums;
  private final BodyWriter.Body body;
  private @Nullable ArrowBuf joined;
  private @Nullable Runnable afterClose;
  private boolean closed;

  /** Takes over the references that the body has. */
  EncodedBatch(
      LogBatchHeader header,
      ByteBuffer changeTypes,
      ByteBuffer statistics,
      ByteBuffer metadata,
      ByteBuffer checksums,
      BodyWriter.Body body) {
    this.header = header;
    this.changeTypes = changeTypes;
    this.statistics = statistics;
    this.metadata = metadata;
    this.checksums = checksums;
    this.body = body;
  }

  /** The header, leader fields zero, content checksum set. */
  public LogBatchHeader header() {
    return header;
  }

  /** One byte a record, empty when every record is an append. */
  public ByteBuffer changeTypes() {
    return changeTypes.duplicate();
  }

  /** The statistics section, see {@link BatchStatistics}. */
  public ByteBuffer statistics() {
    return statistics.duplicate();
  }

  /** The Arrow message, bare: what Flight calls {@code data_header}. */
  public ByteBuffer metadata() {
    return metadata.duplicate();
  }

  /** crc32c of each body buffer, 4 bytes little endian each. */
  public ByteBuffer checksums() {
    return checksums.duplicate();
  }

  /**
   * The Arrow body; borrowed, valid until {@link #close}. Put together when it is in pieces: who
   * can take those asks for {@link #bodyPieces}.
   */
  public ArrowBuf body() {
    if (body.pieces().size() == 1) {
      return body.pieces().get(0);
    }
    ArrowBuf whole = joined;
    if (whole == null) {
      whole = join();
      joined = whole;
    }
    return whole;
  }

  private ArrowBuf join() {
    // The allocator that pays for the copied parts, or for the vectors.
    ArrowBuf first = body.pieces().get(0);
    ArrowBuf whole = first.getReferenceManager().getAllocator().buffer(Math.max(1, bodyLength()));
    long at = 0;
    for (ArrowBuf piece : body.pieces()) {
      whole.setBytes(at, piece, 0, piece.writerIndex());
      at += piece.writerIndex();
    }
    return whole.writerIndex(at);
  }

  /**
   * The Arrow body as it lies in memory: one after the other, each from its index 0 to its writer
   * index. Borrowed, valid until {@link #close}.
   */
  public List<ArrowBuf> bodyPieces() {
    return body.pieces();
  }

  /** Whether the body is in part the memory of the vectors that it was encoded from. */
  public boolean isShared() {
    return body.shared();
  }

  /** Bytes of the body. */
  public int bodyLength() {
    return header.bodyLength();
  }

  /** Bytes of the whole batch as it is stored, header and padding included. */
  public int wireBytes() {
    return header.length();
  }

  /** The body's bytes; valid until {@link #close}. */
  public ByteBuffer bodyBytes() {
    return body().nioBuffer(0, header.bodyLength());
  }

  /** Change types, statistics, metadata, checksums, body: what follows the header, in order. */
  public List<ByteBuffer> sections() {
    return List.of(changeTypes(), statistics(), metadata(), checksums(), bodyBytes());
  }

  /** Has {@link #close} run this at its end; for who lent the memory of a shared body. */
  public void afterClose(Runnable action) {
    afterClose = action;
  }

  /** Releases the body. Twice is harmless. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    for (ArrowBuf piece : body.pieces()) {
      piece.getReferenceManager().release();
    }
    if (joined != null) {
      joined.close();
    }
    if (afterClose != null) {
      afterClose.run();
    }
  }
}
