package io.sluice.tablet.log;

import io.sluice.format.batch.LogBatchHeader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Sparse index of a segment: offset, time and position of some of its batches, in growing order.
 * One thread adds; any thread looks up.
 */
final class SegmentIndex {
  /** Bytes of an entry: offset after the base i32, position i32, append time i64. */
  static final int ENTRY = 16;

  private static final int FIRST_ENTRIES = 8;
  // Shared: an empty log, of which a server may have thousands, has no buffer of its own.
  private static final ByteBuffer EMPTY = ByteBuffer.allocate(0).order(ByteOrder.LITTLE_ENDIAN);

  private volatile ByteBuffer entries;
  private volatile int count;

  /** An empty index that grows. */
  SegmentIndex() {
    entries = EMPTY;
  }

  /** An index over checked entries. */
  SegmentIndex(ByteBuffer stored) {
    entries = stored.slice().order(ByteOrder.LITTLE_ENDIAN);
    count = stored.remaining() / ENTRY;
  }

  /** The same entries, to which others can be added. */
  SegmentIndex copy() {
    return copyOf(count);
  }

  /** Those of the batches that begin below a position in the file; others can be added. */
  SegmentIndex below(int position) {
    int kept = count;
    while (kept > 0 && position(kept - 1) >= position) {
      kept--;
    }
    return copyOf(kept);
  }

  private SegmentIndex copyOf(int kept) {
    SegmentIndex copy = new SegmentIndex();
    ByteBuffer own = ByteBuffer.allocate(kept * ENTRY).order(ByteOrder.LITTLE_ENDIAN);
    copy.entries = own.put(stored().limit(kept * ENTRY)).clear();
    copy.count = kept;
    return copy;
  }

  /** Number of entries. */
  int count() {
    return count;
  }

  /** Adds the batch at a position; larger in all three than the last, or equal in time. */
  void add(int relativeOffset, int position, long timeMs) {
    int size = count;
    int at = size * ENTRY;
    ByteBuffer target = entries;
    if (at + ENTRY > target.capacity()) {
      ByteBuffer larger =
          ByteBuffer.allocate(Math.max(FIRST_ENTRIES * ENTRY, 2 * at))
              .order(ByteOrder.LITTLE_ENDIAN);
      larger.put(0, target, 0, at);
      entries = larger;
      target = larger;
    }
    target.putInt(at, relativeOffset).putInt(at + 4, position).putLong(at + 8, timeMs);
    // Published after the bytes; there is one writer.
    count = size + 1;
  }

  /** Adds a batch when it is the first or lies so many bytes behind the last one indexed. */
  void addIfFar(LogBatchHeader header, long segmentBase, long position, int intervalBytes) {
    if (count == 0 || position - lastPosition() >= intervalBytes) {
      add((int) (header.baseOffset() - segmentBase), (int) position, header.appendTimeMs());
    }
  }

  /** Append time of the first batch, 0 when there is none. */
  long firstTimeMs() {
    return count == 0 ? 0 : entries.getLong(8);
  }

  /** Position of the last indexed batch, 0 when there is none. */
  int lastPosition() {
    int size = count;
    return size == 0 ? 0 : position(size - 1);
  }

  /** The last entry whose offset is at most the given one, -1 when there is none. */
  int floorOffset(long relativeOffset) {
    int low = 0;
    int high = count - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (relativeOffset(middle) <= relativeOffset) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high;
  }

  /** The last entry stored before the given time, -1 when there is none. */
  int lastBefore(long timeMs) {
    int low = 0;
    int high = count - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (entries.getLong(middle * ENTRY + 8) < timeMs) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high;
  }

  /** Offset of an entry after the segment's base. */
  int relativeOffset(int entry) {
    return entries.getInt(entry * ENTRY);
  }

  /** Position of an entry in the file. */
  int position(int entry) {
    return entries.getInt(entry * ENTRY + 4);
  }

  /** The stored form of all entries. */
  ByteBuffer stored() {
    int bytes = count * ENTRY;
    return entries.duplicate().position(0).limit(bytes);
  }
}
