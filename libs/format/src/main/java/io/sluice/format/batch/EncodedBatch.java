package io.sluice.format.batch;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;

/**
 * A batch ready to be sent or stored. Owns its body, which {@link #close} releases; the other
 * sections are on the heap. Buffers are handed out as views: callers may move their positions.
 */
public final class EncodedBatch implements AutoCloseable {
  private final LogBatchHeader header;
  private final ByteBuffer changeTypes;
  private final ByteBuffer statistics;
  private final ByteBuffer metadata;
  private final ByteBuffer checksums;
  private final ArrowBuf body;
  private boolean closed;

  /** Takes over one reference to the body. */
  EncodedBatch(
      LogBatchHeader header,
      ByteBuffer changeTypes,
      ByteBuffer statistics,
      ByteBuffer metadata,
      ByteBuffer checksums,
      ArrowBuf body) {
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

  /** The Arrow body; borrowed, valid until {@link #close}. */
  public ArrowBuf body() {
    return body;
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
    return body.nioBuffer(0, header.bodyLength());
  }

  /** Change types, statistics, metadata, checksums, body: what follows the header, in order. */
  public List<ByteBuffer> sections() {
    return List.of(changeTypes(), statistics(), metadata(), checksums(), bodyBytes());
  }

  /** Releases the body. Twice is harmless. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      body.close();
    }
  }
}
