package io.sluice.tablet.kv.merge;

import static io.sluice.tablet.kv.merge.LittleEndianBytes.getInt;
import static io.sluice.tablet.kv.merge.LittleEndianBytes.getLong;
import static io.sluice.tablet.kv.merge.LittleEndianBytes.unsignedShort;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;

/**
 * Goes through the containers of a 32-bit bitmap in the portable RoaringBitmap format, in the bytes
 * themselves. Whatever the bytes are, nothing outside of them is read and nothing is allocated:
 * {@link #open} and {@link #next} check that everything lies inside of them, {@link #checkContent}
 * that a container holds what it claims.
 *
 * <pre>
 * u32  cookie: 12346, or 12347 + (containers - 1 &lt;&lt; 16) when there are run containers
 * u32  containers (12346 only)
 * bits a flag for each container: it is a run container (12347 only; whole bytes)
 * u16  key, u16 values - 1, of each container; keys grow
 * u32  position of each container (not with 12347 and fewer than 4 containers)
 *      containers: u16 values that grow (up to 4096) | 8192 bytes of bits | u16 runs, then of each
 *      u16 first value and u16 values - 1
 * </pre>
 */
final class RoaringCursor {
  static final int NO_RUN_COOKIE = 12346;
  static final int RUN_COOKIE = 12347;
  static final int FEW_CONTAINERS = 4;
  static final int MAX_CONTAINERS = 1 << 16;
  static final int MAX_ARRAY = 4096;
  static final int BITMAP_BYTES = 8192;
  static final int WORDS = BITMAP_BYTES / 8;

  /** How a container holds its values. */
  enum Kind {
    ARRAY,
    BITMAP,
    RUN
  }

  private final String name;
  private final ErrorCode code;
  private byte[] bytes = {};
  private int start;
  private int limit;
  private int count;
  private int index;
  private int runFlagsAt;
  private int descriptionsAt;
  private int offsetsAt;
  private int nextAt;
  private int key;
  private int cardinality;
  private int at;
  private Kind kind = Kind.ARRAY;

  /**
   * @param name what is read, for messages
   * @param code of the failure when the bytes are no bitmap
   */
  RoaringCursor(String name, ErrorCode code) {
    this.name = name;
    this.code = code;
  }

  /** Before the first container of the bitmap that begins at {@code from} and ends by the limit. */
  void open(byte[] source, int from, int end) {
    bytes = source;
    start = from;
    limit = end;
    index = -1;
    need(from, 4);
    int cookie = getInt(source, from);
    if ((cookie & 0xFFFF) == RUN_COOKIE) {
      count = (cookie >>> 16) + 1;
      runFlagsAt = from + 4;
      descriptionsAt = runFlagsAt + (count + 7) / 8;
    } else if (cookie == NO_RUN_COOKIE) {
      need(from + 4, 4);
      count = getInt(source, from + 4);
      runFlagsAt = -1;
      descriptionsAt = from + 8;
    } else {
      throw malformed(from, "it begins with " + Integer.toUnsignedString(cookie));
    }
    if (count < 0 || count > MAX_CONTAINERS) {
      throw malformed(
          from, "it has " + Integer.toUnsignedString(count) + " containers; 65536 are the most");
    }
    boolean offsets = runFlagsAt < 0 || count >= FEW_CONTAINERS;
    need(descriptionsAt, (offsets ? 8L : 4L) * count);
    offsetsAt = offsets ? descriptionsAt + 4 * count : -1;
    nextAt = descriptionsAt + (offsets ? 8 : 4) * count;
  }

  /** Moves to the next container; false, and {@link #position} is the end, when there is none. */
  boolean next() {
    index++;
    if (index >= count) {
      return false;
    }
    int before = index == 0 ? -1 : key;
    key = unsignedShort(bytes, descriptionsAt + 4 * index);
    if (key <= before) {
      throw malformed(descriptionsAt + 4 * index, "key " + key + " follows key " + before);
    }
    cardinality = unsignedShort(bytes, descriptionsAt + 4 * index + 2) + 1;
    at = nextAt;
    boolean run = runFlagsAt >= 0 && (bytes[runFlagsAt + index / 8] >> (index % 8) & 1) != 0;
    if (run) {
      need(at, 2);
      kind = Kind.RUN;
    } else {
      kind = cardinality > MAX_ARRAY ? Kind.BITMAP : Kind.ARRAY;
    }
    need(at, contentBytes());
    nextAt = at + contentBytes();
    return true;
  }

  private int contentBytes() {
    return switch (kind) {
      case ARRAY -> 2 * cardinality;
      case BITMAP -> BITMAP_BYTES;
      case RUN -> 2 + 4 * unsignedShort(bytes, at);
    };
  }

  /** Moves behind the last container and returns the end of the bitmap. */
  int skipAll() {
    while (index < count) {
      next();
    }
    return nextAt;
  }

  /** Where the next container would begin. */
  int position() {
    return nextAt;
  }

  /** The upper 16 bits of the container's values. */
  int key() {
    return key;
  }

  /** Values in the container, as its description says. */
  int cardinality() {
    return cardinality;
  }

  Kind kind() {
    return kind;
  }

  /** Appends the container's bytes. */
  void copyContent(LittleEndianBytes out) {
    out.put(bytes, at, nextAt - at);
  }

  /** Values of an ARRAY, runs of a RUN: they are intervals that grow. */
  int intervals() {
    return kind == Kind.RUN ? unsignedShort(bytes, at) : cardinality;
  }

  /** First value of an interval of an ARRAY or RUN. */
  int first(int interval) {
    return unsignedShort(bytes, kind == Kind.RUN ? at + 2 + 4 * interval : at + 2 * interval);
  }

  /** Last value of an interval of an ARRAY or RUN. */
  int last(int interval) {
    int first = first(interval);
    return kind == Kind.RUN ? first + unsignedShort(bytes, at + 4 + 4 * interval) : first;
  }

  /** The bits of 64 values of a BITMAP. */
  long word(int word) {
    return getLong(bytes, at + 8 * word);
  }

  /** Whether the container surely has all values from {@code first} to {@code last}. */
  boolean contains(int first, int last) {
    if (kind == Kind.BITMAP) {
      for (int value = first; value <= last; value++) {
        if ((word(value >> 6) >>> value & 1) == 0) {
          return false;
        }
      }
      return true;
    }
    int found = floor(first);
    if (found < 0) {
      return false;
    }
    if (kind == Kind.RUN) {
      return last(found) >= last;
    }
    // Values differ, so there is no gap when as many values lie between as there are numbers.
    int end = found + last - first;
    return first(found) == first && end < cardinality && first(end) == last;
  }

  /** The last interval that begins at the value or before it, -1 when there is none. */
  private int floor(int value) {
    int low = 0;
    int high = intervals() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (first(middle) <= value) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high;
  }

  /** Refuses a container that does not hold what it claims, or lies elsewhere than it should. */
  void checkContent() {
    if (offsetsAt >= 0 && getInt(bytes, offsetsAt + 4 * index) != at - start) {
      throw malformed(
          offsetsAt + 4 * index,
          "container " + index + " lies at " + (at - start) + ", not where it is said to");
    }
    int found = kind == Kind.BITMAP ? countBits() : countIntervals();
    if (found != cardinality) {
      throw malformed(at, "container " + index + " has " + found + " values, not " + cardinality);
    }
  }

  private int countBits() {
    int found = 0;
    for (int i = 0; i < WORDS; i++) {
      found += Long.bitCount(word(i));
    }
    return found;
  }

  private int countIntervals() {
    int found = 0;
    int before = -1;
    int intervals = intervals();
    for (int i = 0; i < intervals; i++) {
      int first = first(i);
      int last = last(i);
      if (first <= before || last > 0xFFFF) {
        throw malformed(at, "the values of container " + index + " do not grow");
      }
      found += last - first + 1;
      before = last;
    }
    return found;
  }

  /** Refuses bytes of which there are fewer than needed. */
  private void need(int position, long length) {
    if (length > (long) limit - position) {
      throw malformed(position, "it ends at byte " + (limit - start) + " inside of a field");
    }
  }

  SluiceException malformed(int position, String why) {
    return malformed(bytes, position, why);
  }

  SluiceException malformed(byte[] source, int position, String why) {
    return new SluiceException(
        code,
        name
            + " is no bitmap in the portable RoaringBitmap format: at byte "
            + position
            + " of "
            + source.length
            + ", "
            + why);
  }
}
