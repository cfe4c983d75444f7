package io.sluice.format.projection;

import io.sluice.format.batch.BodyChecksums;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * One stored batch cut down to the wanted columns: the Arrow message of the new batch, and what
 * must be read from the stored body to fill the new one.
 *
 * <p>To fill a body: for each read, either read straight to {@link #directTarget} and then call
 * {@link #checkDirect}, or read into scratch and call {@link #checkScratch} and {@link #place};
 * then call {@link #complete}. What fails behind good checksums was stored as it is. Positions and
 * limits of the given buffers are neither used nor changed. Immutable.
 */
public final class ProjectedBatch {
  private final ByteBuffer metadata;
  private final int bodyLength;
  private final BufferRanges ranges;
  private final ReadPlan reads;
  private final SynthesizedBuffers synthesized;
  private final ConvertedBuffers converted;

  ProjectedBatch(
      ByteBuffer metadata,
      int bodyLength,
      BufferRanges ranges,
      ReadPlan reads,
      SynthesizedBuffers synthesized,
      ConvertedBuffers converted) {
    this.metadata = metadata;
    this.bodyLength = bodyLength;
    this.ranges = ranges;
    this.reads = reads;
    this.synthesized = synthesized;
    this.converted = converted;
  }

  /** The Arrow message of the new batch. */
  public ByteBuffer metadata() {
    return metadata.duplicate();
  }

  /** Bytes of the new body. */
  public int bodyLength() {
    return bodyLength;
  }

  /** Number of stored buffers that are wanted and not empty. */
  int rangeCount() {
    return ranges.count();
  }

  /** Number of reads: buffers that lie close together share one. */
  public int readCount() {
    return reads.count();
  }

  /** Where the read begins in the stored body. */
  public int readOffset(int read) {
    return reads.offset(read);
  }

  /** Bytes of the read. */
  public int readLength(int read) {
    return reads.length(read);
  }

  /**
   * Where in the new body the read may go as it is, because it holds only wanted buffers in the new
   * order; -1 when it must go through {@link #place}.
   */
  public int directTarget(int read) {
    return reads.directTarget(read);
  }

  /**
   * Checks the buffers of a read that went straight to its {@link #directTarget}. CORRUPT_BATCH
   * naming the buffer whose checksum is wrong.
   *
   * @param body the new body from index 0
   */
  public void checkDirect(int read, ByteBuffer body) {
    CRC32C crc = new CRC32C();
    for (int i = reads.firstRange(read); i < reads.firstRange(read + 1); i++) {
      int range = reads.range(i);
      check(crc, body, ranges.target(range), range);
    }
  }

  /**
   * Checks the buffers of a read that went into scratch. CORRUPT_BATCH naming the buffer whose
   * checksum is wrong.
   *
   * @param bytes what was read, from index 0
   */
  public void checkScratch(int read, ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    int start = reads.offset(read);
    for (int i = reads.firstRange(read); i < reads.firstRange(read + 1); i++) {
      int range = reads.range(i);
      check(crc, bytes, ranges.source(range) - start, range);
    }
  }

  private void check(CRC32C crc, ByteBuffer bytes, int at, int range) {
    BodyChecksums.check(
        crc, bytes, at, ranges.length(range), ranges.crc(range), ranges.buffer(range));
  }

  /**
   * Copies the buffers of a read to their places, once {@link #checkScratch} has found them good.
   * CORRUPT_BATCH when one that is to be widened cannot be decompressed.
   *
   * @param bytes what was read, from index 0
   * @param body the new body from index 0
   */
  public void place(int read, ByteBuffer bytes, ByteBuffer body) {
    int start = reads.offset(read);
    for (int i = reads.firstRange(read); i < reads.firstRange(read + 1); i++) {
      int range = reads.range(i);
      int at = ranges.source(range) - start;
      int length = ranges.length(range);
      if (ranges.conversion(range) == BufferRanges.COPIED) {
        body.put(ranges.target(range), bytes, at, length);
      } else {
        converted.take(ranges.conversion(range), bytes, at, length, body);
      }
    }
  }

  /**
   * Writes what is not read: padding, NULL and default columns and metadata columns; and widens
   * values that are stored in a narrower type.
   *
   * @param body the new body from index 0
   */
  public void complete(ByteBuffer body) {
    for (int i = 0; i < ranges.count(); i++) {
      if (ranges.conversion(i) != BufferRanges.COPIED) {
        continue;
      }
      int end = ranges.target(i) + ranges.length(i);
      for (int at = end; (at & 7) != 0; at++) {
        body.put(at, (byte) 0);
      }
    }
    synthesized.write(body);
    converted.complete(body);
  }
}
