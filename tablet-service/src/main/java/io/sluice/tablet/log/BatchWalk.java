package io.sluice.tablet.log;

import io.sluice.common.SluiceException;
import io.sluice.format.batch.LogBatchHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;

/**
 * Walks the batch headers of a segment file in order and checks what a header tells: its checksum
 * and shape, that the batch ends inside the file, that offsets are dense and epochs do not fall.
 */
final class BatchWalk {
  private static final int WINDOW = 64 << 10;

  private final FileChannel channel;
  private final long end;
  private final ByteBuffer window = ByteBuffer.allocate(WINDOW);
  private long windowStart;
  private long position;
  private long batchPosition;
  private long nextOffset;
  private int lastEpoch;
  private int epochBefore;
  private @Nullable Damage damage;

  /**
   * @param position where the first batch begins
   * @param end size of the file
   * @param nextOffset offset the first batch must have
   * @param lastEpoch epoch no batch may be below
   */
  BatchWalk(FileChannel channel, long position, long end, long nextOffset, int lastEpoch) {
    this.channel = channel;
    this.position = position;
    this.end = end;
    this.nextOffset = nextOffset;
    this.lastEpoch = lastEpoch;
    this.epochBefore = lastEpoch;
    window.limit(0);
  }

  /**
   * The next header, valid until the next call; null at the end of the file or at damage, where the
   * walk stays.
   */
  @Nullable LogBatchHeader next() throws IOException {
    if (damage != null || position == end) {
      return null;
    }
    if (end - position < LogBatchHeader.SIZE) {
      damage =
          new Damage(
              position,
              LogBatchHeader.SIZE + " bytes of batch header",
              "the end of the file after " + (end - position));
      return null;
    }
    LogBatchHeader header = LogBatchHeader.wrap(fill());
    damage = checkHeader(header, position, end, nextOffset, lastEpoch);
    if (damage != null) {
      return null;
    }
    batchPosition = position;
    position += header.length();
    nextOffset = header.nextOffset();
    epochBefore = lastEpoch;
    lastEpoch = header.leaderEpoch();
    return header;
  }

  /** What a header itself tells to be wrong, null when nothing is. */
  static @Nullable Damage checkHeader(
      LogBatchHeader header, long position, long end, long expectedOffset, int lastEpoch) {
    int crc = header.computeHeaderCrc();
    if (crc != header.headerCrc()) {
      return new Damage(
          position,
          Corruption.crc(crc) + " of the batch header",
          Corruption.crc(header.headerCrc()));
    }
    try {
      header.checkShape();
    } catch (SluiceException e) {
      return new Damage(position, "a batch header of version 1", String.valueOf(e.getMessage()));
    }
    if (header.length() > end - position) {
      return new Damage(
          position,
          "a batch of " + header.length() + " bytes",
          "the end of the file after " + (end - position));
    }
    if (header.baseOffset() != expectedOffset) {
      return new Damage(
          position, "base offset " + expectedOffset, "base offset " + header.baseOffset());
    }
    if (header.leaderEpoch() < lastEpoch) {
      return new Damage(
          position, "leader epoch of at least " + lastEpoch, "epoch " + header.leaderEpoch());
    }
    return null;
  }

  private ByteBuffer fill() throws IOException {
    long inWindow = position - windowStart;
    if (inWindow < 0 || inWindow + LogBatchHeader.SIZE > window.limit()) {
      window.clear();
      window.limit((int) Math.min(WINDOW, end - position));
      DurableFiles.readFully(channel, window, position);
      window.flip();
      windowStart = position;
      inWindow = 0;
    }
    return window.duplicate().position((int) inWindow);
  }

  /** Says that the batch just walked is damaged: the walk ends before it. */
  void reject(Damage found, LogBatchHeader header) {
    damage = found;
    position = batchPosition;
    nextOffset = header.baseOffset();
    lastEpoch = epochBefore;
  }

  /** Where the batch just walked begins. */
  long batchPosition() {
    return batchPosition;
  }

  /** Where the good batches end so far. */
  long position() {
    return position;
  }

  /** Offset after the good batches so far. */
  long nextOffset() {
    return nextOffset;
  }

  /** Epoch of the last good batch. */
  int lastEpoch() {
    return lastEpoch;
  }

  /** What ended the walk, null when it was the end of the file. */
  @Nullable Damage damage() {
    return damage;
  }
}
