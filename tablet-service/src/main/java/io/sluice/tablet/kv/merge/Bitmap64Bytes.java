package io.sluice.tablet.kv.merge;

import static io.sluice.tablet.kv.merge.LittleEndianBytes.getInt;
import static io.sluice.tablet.kv.merge.LittleEndianBytes.getLong;

import io.sluice.common.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * Sets of 64-bit integers in the portable format: u64 count of parts, then of each part u32 upper
 * half of its values, which grows unsigned, and the 32-bit bitmap of their lower halves. The stored
 * form has no empty parts.
 */
final class Bitmap64Bytes implements BitmapBytes {
  private static final int COUNT_BYTES = 8;
  private static final int MIN_PART_BYTES = 12;

  private final RoaringUnion union;
  private final Parts stored;
  private final Parts given;
  private final LittleEndianBytes out = new LittleEndianBytes(256);

  /**
   * @param name of the column, for messages
   */
  Bitmap64Bytes(String name, RoaringUnion union) {
    this.union = union;
    this.stored =
        new Parts(new RoaringCursor("The stored value of " + name, ErrorCode.CORRUPT_STORAGE));
    this.given =
        new Parts(new RoaringCursor("The value given to " + name, ErrorCode.INVALID_VALUE));
  }

  @Override
  public byte[] canonical(byte[] bitmap) {
    out.clear();
    out.reserve(bitmap.length);
    out.putLong(0);
    long parts = 0;
    given.open(bitmap);
    while (given.next()) {
      RoaringWriter part = union.canonical(given.open(), 64);
      if (!part.isEmpty()) {
        out.putInt(given.key);
        part.finish(out);
        parts++;
      }
    }
    given.checkEnd();
    return finish(parts);
  }

  @Override
  public byte @Nullable [] union(byte[] before, byte[] put) {
    if (contains(before, put)) {
      return null;
    }
    out.clear();
    out.reserve(before.length + put.length);
    out.putLong(0);
    stored.open(before);
    given.open(put);
    long parts = 0;
    boolean changed = false;
    boolean inStored = stored.next();
    boolean inGiven = given.next();
    for (; inStored || inGiven; parts++) {
      int order = order(inStored, inGiven);
      if (order < 0) {
        stored.copy(out);
      } else if (order > 0) {
        given.copy(out);
        changed = true;
      } else {
        changed |= unite();
      }
      inStored = order <= 0 ? stored.next() : inStored;
      inGiven = order >= 0 ? given.next() : inGiven;
    }
    return changed ? finish(parts) : null;
  }

  private int order(boolean inStored, boolean inGiven) {
    if (!inStored || !inGiven) {
      return inStored ? -1 : 1;
    }
    return Integer.compareUnsigned(stored.key, given.key);
  }

  private boolean contains(byte[] all, byte[] part) {
    stored.open(all);
    given.open(part);
    while (given.next()) {
      do {
        if (!stored.next()) {
          return false;
        }
      } while (Integer.compareUnsigned(stored.key, given.key) < 0);
      if (stored.key != given.key || !RoaringUnion.contains(stored.open(), given.open())) {
        return false;
      }
    }
    return true;
  }

  /** Appends the union of the parts shown, which have one key; false when it is the stored one. */
  private boolean unite() {
    RoaringWriter part = union.union(stored.open(), given.open(), 64);
    if (part == null) {
      stored.copy(out);
      return false;
    }
    out.putInt(stored.key);
    part.finish(out);
    return true;
  }

  private byte[] finish(long parts) {
    out.setLong(0, parts);
    byte[] bytes = out.copy();
    out.clear();
    return bytes;
  }

  /** Goes through the parts of a bitmap. */
  private static final class Parts {
    private final RoaringCursor cursor;
    private byte[] bytes = {};
    private long left;
    private int at;
    private boolean shown;
    private boolean opened;
    private int key;

    Parts(RoaringCursor cursor) {
      this.cursor = cursor;
    }

    /** Before the first part. */
    void open(byte[] bitmap) {
      bytes = bitmap;
      if (bitmap.length < COUNT_BYTES) {
        throw cursor.malformed(bitmap, 0, "there is no count of 8 bytes");
      }
      left = getLong(bitmap, 0);
      if (left < 0 || left > (bitmap.length - COUNT_BYTES) / MIN_PART_BYTES) {
        throw cursor.malformed(
            bitmap, 0, "there is no room for " + Long.toUnsignedString(left) + " parts");
      }
      at = COUNT_BYTES;
      shown = false;
    }

    boolean next() {
      if (shown) {
        at = end();
      }
      if (left == 0) {
        return false;
      }
      if (bytes.length - at < MIN_PART_BYTES) {
        throw cursor.malformed(bytes, at, "it ends inside of a part");
      }
      int next = getInt(bytes, at);
      if (shown && Integer.compareUnsigned(next, key) <= 0) {
        throw cursor.malformed(bytes, at, "the upper halves do not grow");
      }
      key = next;
      shown = true;
      opened = false;
      left--;
      return true;
    }

    /** The bitmap of the lower halves of the part. */
    RoaringCursor open() {
      cursor.open(bytes, at + 4, bytes.length);
      opened = true;
      return cursor;
    }

    /** Appends the part as it is. */
    void copy(LittleEndianBytes out) {
      out.put(bytes, at, end() - at);
    }

    private int end() {
      return opened ? cursor.skipAll() : open().skipAll();
    }

    void checkEnd() {
      if (at != bytes.length) {
        throw cursor.malformed(bytes, at, "it has ended");
      }
    }
  }
}
