package io.sluice.tablet.log;

import io.sluice.format.batch.LogBatchHeader;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * What a sealed segment's batches are without reading the file: where each begins, its header and
 * the sections before its body, in flat arrays. Covers the batches from the segment's first one up
 * to {@link #end}. Grown by one reader, then published and never changed.
 */
final class SegmentDirectory {
  /** What an entry costs beside its bytes. */
  private static final int ENTRY_BYTES = 8;

  /** Sections that are as large as this part of their batches are not worth it. */
  private static final int LARGEST_PART = 4;

  /** A directory that has grown so large is not continued. */
  static final int LARGEST_BYTES = 4 << 20;

  /** So many are added before that is judged. */
  private static final int FIRST_BATCHES = 16;

  private int[] positions = new int[64];
  private int[] starts = new int[65];
  private byte[] bytes = new byte[16 << 10];
  private int count;
  private int end = SegmentHeader.SIZE;
  private boolean full;

  /** What is known of a segment so far, to be continued. */
  SegmentDirectory copy() {
    SegmentDirectory copy = new SegmentDirectory();
    copy.positions = Arrays.copyOf(positions, Math.max(copy.positions.length, count));
    copy.starts = Arrays.copyOf(starts, copy.positions.length + 1);
    copy.bytes = Arrays.copyOf(bytes, Math.max(copy.bytes.length, bytes.length));
    copy.count = count;
    copy.end = end;
    return copy;
  }

  /** Bytes of memory it takes. */
  long memoryBytes() {
    return bytes.length + (long) ENTRY_BYTES * positions.length;
  }

  /** Batches it covers. */
  int count() {
    return count;
  }

  /** Position in the file after the last batch that is covered. */
  int end() {
    return end;
  }

  /** Whether batches of a segment of that size are missing that are worth to be known. */
  boolean lacks(int segmentSize) {
    return !full && end < segmentSize;
  }

  /**
   * Adds the batch that lies at {@link #end}.
   *
   * @param sections the sections before its body, whose checksum was found right
   * @return whether going on is worth it
   */
  boolean add(LogBatchHeader header, ByteBuffer headerBytes, ByteBuffer sections) {
    if (count == positions.length) {
      positions = Arrays.copyOf(positions, 2 * count);
      starts = Arrays.copyOf(starts, 2 * count + 1);
    }
    int start = starts[count];
    int next = Math.addExact(start, LogBatchHeader.SIZE + sections.remaining());
    if (next > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(next, bytes.length + (bytes.length >> 1)));
    }
    headerBytes.get(0, bytes, start, LogBatchHeader.SIZE);
    sections.get(sections.position(), bytes, start + LogBatchHeader.SIZE, sections.remaining());
    positions[count++] = end;
    starts[count] = next;
    end += header.length();
    full = next > LARGEST_BYTES || (count >= FIRST_BATCHES && (long) next * LARGEST_PART > end);
    return !full;
  }

  /** Gives back memory that was kept for more batches. */
  SegmentDirectory trimmed() {
    positions = Arrays.copyOf(positions, count);
    starts = Arrays.copyOf(starts, count + 1);
    bytes = Arrays.copyOf(bytes, starts[count]);
    return this;
  }

  /** The entry of the batch at that position, negative when there is none. */
  int find(long position) {
    return position >= end ? -1 : Arrays.binarySearch(positions, 0, count, (int) position);
  }

  /** Copies a batch's header, from index 0 on. */
  void header(int entry, ByteBuffer target) {
    target.put(0, bytes, starts[entry], LogBatchHeader.SIZE);
  }

  /**
   * Fills the target from a batch, from so many bytes after its start.
   *
   * @return false when not all of them lie before its body
   */
  boolean read(int entry, int offset, ByteBuffer target) {
    int from = starts[entry] + offset;
    if (target.remaining() > starts[entry + 1] - from) {
      return false;
    }
    target.put(bytes, from, target.remaining());
    return true;
  }
}
