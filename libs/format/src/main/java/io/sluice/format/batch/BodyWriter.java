package io.sluice.format.batch;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Writes buffers into a body: compressed one by one, padded, checksummed. Compression goes through
 * scratch memory that is kept from batch to batch, so that a body takes no more than its own size.
 * One owner, not thread-safe.
 */
final class BodyWriter implements AutoCloseable {
  /** Buffers below this stay raw: a frame's overhead eats what compression would save. */
  static final int MIN_COMPRESSED_BYTES = 256;

  /** Buffers from this size on may be part of a body where they are; below, copying costs less. */
  static final int MIN_SHARED_BYTES = 16 * 1024;

  /** Scratch above this is given back after the batch that needed it. */
  private static final int MAX_KEPT_SCRATCH_BYTES = 16 * 1024 * 1024;

  private final BufferAllocator allocator;
  private final BatchCodec codec;
  private final @Nullable BufferCodec compressor;
  private final CRC32C crc = new CRC32C();
  private @Nullable ArrowBuf scratch;
  private ByteBuffer scratchBytes = ByteBuffer.allocate(0);

  BodyWriter(BufferAllocator allocator, CompressionSettings settings) {
    this.allocator = allocator;
    this.codec = settings.codec();
    this.compressor = BufferCodec.open(settings);
  }

  /**
   * What was written.
   *
   * @param pieces the body, at least one, each from its index 0 to its writer index; the caller
   *     owns one reference to each
   * @param shared whether memory of the buffers is part of it
   */
  record Body(List<ArrowBuf> pieces, boolean shared) {
    long length() {
      long bytes = 0;
      for (ArrowBuf piece : pieces) {
        bytes += piece.writerIndex();
      }
      return bytes;
    }
  }

  /** How this writer compresses. */
  BatchCodec codec() {
    return codec;
  }

  /**
   * Writes all buffers, adds their places to the message and their checksums to the target.
   *
   * @param checksums little endian, room for 4 bytes a buffer
   * @param share whether large buffers that need no change may be part of the body where they are
   */
  Body write(
      RootBuffers buffers, RecordBatchMessageWriter message, ByteBuffer checksums, boolean share) {
    if (buffers.totalBytes() > BatchLimits.MAX_UNCOMPRESSED_BYTES) {
      throw new SluiceException(
          ErrorCode.BATCH_TOO_LARGE,
          "Batch has "
              + buffers.totalBytes()
              + " bytes without compression; the limit is "
              + BatchLimits.MAX_UNCOMPRESSED_BYTES);
    }
    if (compressor != null) {
      return new Body(List.of(compress(compressor, buffers, message, checksums)), false);
    }
    return share && hasLarge(buffers)
        ? new Body(share(buffers, message, checksums), true)
        : new Body(List.of(copy(buffers, message, checksums)), false);
  }

  private static boolean hasLarge(RootBuffers buffers) {
    for (int i = 0; i < buffers.count(); i++) {
      if (buffers.length(i) >= MIN_SHARED_BYTES) {
        return true;
      }
    }
    return false;
  }

  /** Small buffers and all padding are copied together; between them lie the large buffers. */
  private List<ArrowBuf> share(
      RootBuffers buffers, RecordBatchMessageWriter message, ByteBuffer checksums) {
    int copied = 0;
    for (int i = 0; i < buffers.count(); i++) {
      int length = buffers.length(i);
      copied += LogBatchHeader.align(length) - (length >= MIN_SHARED_BYTES ? length : 0);
    }
    List<ArrowBuf> pieces = new ArrayList<>();
    try (ArrowBuf copies = allocator.buffer(Math.max(1, copied))) {
      ByteBuffer target = copies.nioBuffer(0, copied);
      int at = 0;
      int run = 0;
      int end = 0;
      for (int i = 0; i < buffers.count(); i++) {
        int length = buffers.length(i);
        if (length >= MIN_SHARED_BYTES) {
          addPiece(pieces, copies, run, end);
          addPiece(pieces, buffers.buffer(i), 0, length);
          checksum(buffers.buffer(i).nioBuffer(0, length), checksums);
          run = end;
        } else {
          copy(buffers, i, target, end);
          checksum(target.limit(end + length).position(end), checksums);
          target.clear();
          end += length;
        }
        message.addBuffer(at, length);
        at = LogBatchHeader.align(at + length);
        end = pad(target, end, LogBatchHeader.align(length) - length);
      }
      addPiece(pieces, copies, run, end);
    }
    return pieces;
  }

  private static void addPiece(List<ArrowBuf> pieces, ArrowBuf source, int from, int to) {
    if (from < to) {
      source.getReferenceManager().retain();
      pieces.add(source.slice(from, to - from));
    }
  }

  private static int pad(ByteBuffer target, int at, int bytes) {
    for (int i = 0; i < bytes; i++) {
      target.put(at + i, (byte) 0);
    }
    return at + bytes;
  }

  private void checksum(ByteBuffer bytes, ByteBuffer checksums) {
    crc.reset();
    crc.update(bytes);
    checksums.putInt((int) crc.getValue());
  }

  private ArrowBuf copy(
      RootBuffers buffers, RecordBatchMessageWriter message, ByteBuffer checksums) {
    int total = (int) buffers.totalBytes();
    ArrowBuf body = allocator.buffer(total);
    ByteBuffer target = body.nioBuffer(0, total);
    int at = 0;
    for (int i = 0; i < buffers.count(); i++) {
      int length = buffers.length(i);
      copy(buffers, i, target, at);
      at = finish(target, at, length, message, checksums);
    }
    body.writerIndex(total);
    return body;
  }

  private ArrowBuf compress(
      BufferCodec compressor,
      RootBuffers buffers,
      RecordBatchMessageWriter message,
      ByteBuffer checksums) {
    ByteBuffer target = scratch(compressor, buffers);
    int at = 0;
    for (int i = 0; i < buffers.count(); i++) {
      int length = buffers.length(i);
      int stored = length == 0 ? 0 : store(compressor, buffers, i, target, at);
      at = finish(target, at, stored, message, checksums);
    }
    ArrowBuf body = allocator.buffer(at);
    body.nioBuffer(0, at).put(0, target, 0, at);
    body.writerIndex(at);
    trimScratch();
    return body;
  }

  /** Stores one buffer with its prefix; returns the bytes both take. */
  private static int store(
      BufferCodec compressor, RootBuffers buffers, int index, ByteBuffer target, int at) {
    int length = buffers.length(index);
    int dataAt = at + BatchStructure.PREFIX_BYTES;
    if (length >= MIN_COMPRESSED_BYTES) {
      ByteBuffer bytes = buffers.buffer(index).nioBuffer(0, length);
      int size = compressor.compress(bytes, 0, length, target, dataAt);
      if (size < length) {
        target.putLong(at, length);
        return BatchStructure.PREFIX_BYTES + size;
      }
    }
    target.putLong(at, BatchStructure.RAW_PREFIX);
    copy(buffers, index, target, dataAt);
    return BatchStructure.PREFIX_BYTES + length;
  }

  /** Copies without a view of the source, which Arrow would make by reflection. */
  private static void copy(RootBuffers buffers, int index, ByteBuffer target, int at) {
    int length = buffers.length(index);
    if (length > 0) {
      buffers.buffer(index).getBytes(0, target.limit(at + length).position(at));
      target.clear();
    }
  }

  /** Pads, checksums and records a stored buffer; returns where the next one begins. */
  private int finish(
      ByteBuffer target,
      int at,
      int length,
      RecordBatchMessageWriter message,
      ByteBuffer checksums) {
    int end = LogBatchHeader.align(at + length);
    pad(target, at + length, end - at - length);
    checksum(target.limit(at + length).position(at), checksums);
    target.clear();
    message.addBuffer(at, length);
    return end;
  }

  private ByteBuffer scratch(BufferCodec compressor, RootBuffers buffers) {
    long needed = 0;
    for (int i = 0; i < buffers.count(); i++) {
      int length = buffers.length(i);
      needed += length == 0 ? 0 : BatchStructure.PREFIX_BYTES + 8L + compressor.bound(length);
    }
    if (scratchBytes.capacity() < needed) {
      releaseScratch();
      ArrowBuf grown = allocator.buffer(needed);
      scratch = grown;
      scratchBytes =
          grown
              .nioBuffer(0, Math.toIntExact(Math.min(grown.capacity(), Integer.MAX_VALUE)))
              .order(ByteOrder.LITTLE_ENDIAN);
    }
    return scratchBytes;
  }

  private void trimScratch() {
    if (scratchBytes.capacity() > MAX_KEPT_SCRATCH_BYTES) {
      releaseScratch();
    }
  }

  /** Memory that is kept for the next body. */
  long scratchBytes() {
    return scratchBytes.capacity();
  }

  private void releaseScratch() {
    if (scratch != null) {
      scratch.close();
      scratch = null;
      scratchBytes = ByteBuffer.allocate(0);
    }
  }

  @Override
  public void close() {
    releaseScratch();
    if (compressor != null) {
      compressor.close();
    }
  }
}
