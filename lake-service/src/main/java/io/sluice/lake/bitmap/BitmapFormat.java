package io.sluice.lake.bitmap;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.RoaringBitmap;

/**
 * Bitmaps as bytes, in the formats that all RoaringBitmap libraries read: of 32 bits the standard
 * format; of 64 bits the number of parts (8 bytes, little-endian), then for each part in the order
 * of the upper halves its upper half (4 bytes) and its lower halves in the standard format.
 */
public final class BitmapFormat {
  /** The most bytes of a bitmap that are read. */
  public static final int MAX_BYTES = 16 << 20;

  /** Of an empty bitmap in the standard format. */
  private static final int SMALLEST_PART = 8;

  private BitmapFormat() {}

  /**
   * Reads a bitmap out of bytes that anybody may have written.
   *
   * @throws SluiceException INVALID_VALUE when they are none, saying why
   */
  public static Bitmap read(byte[] bytes, BitmapWidth width) {
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    Bitmap bitmap = new Bitmap();
    if (width == BitmapWidth.NARROW) {
      add(bitmap, 0, readPart(in));
    } else {
      readWide(in, bitmap);
    }
    if (in.hasRemaining()) {
      throw malformed(in.remaining() + " of its " + bytes.length + " bytes are too many", null);
    }
    return bitmap;
  }

  private static void readWide(ByteBuffer in, Bitmap bitmap) {
    if (in.remaining() < Long.BYTES) {
      throw malformed("it has " + in.remaining() + " bytes, too few for a count", null);
    }
    long count = in.getLong();
    if (count < 0 || count > in.remaining() / (Integer.BYTES + SMALLEST_PART)) {
      throw malformed("it says that it has " + count + " parts, more than its bytes hold", null);
    }
    long last = -1;
    for (long i = 0; i < count; i++) {
      if (in.remaining() < Integer.BYTES) {
        throw malformed("it ends before part " + i, null);
      }
      long upper = Integer.toUnsignedLong(in.getInt());
      if (upper <= last) {
        throw malformed("its parts are not in order", null);
      }
      last = upper;
      add(bitmap, upper, readPart(in));
    }
  }

  private static void add(Bitmap bitmap, long upper, RoaringBitmap part) {
    if (!part.isEmpty()) {
      bitmap.parts().put(upper, part);
    }
  }

  /** Reads one bitmap of 32 bits and moves behind it. What it allocates is bounded by the bytes. */
  private static RoaringBitmap readPart(ByteBuffer in) {
    RoaringBitmap part = new RoaringBitmap();
    int start = in.position();
    try {
      part.deserialize(in.slice().order(ByteOrder.LITTLE_ENDIAN));
      if (!part.validate()) {
        throw malformed("its numbers are not in order", null);
      }
    } catch (IOException | RuntimeException e) {
      if (e instanceof SluiceException known) {
        throw known;
      }
      throw malformed("it cannot be read", e);
    }
    int size = part.serializedSizeInBytes();
    if (size > in.remaining()) {
      throw malformed("it ends too early", null);
    }
    in.position(start + size);
    return part;
  }

  /** The bytes of a bitmap; equal sets give equal bytes. A narrow one has numbers of 32 bits. */
  public static byte[] write(Bitmap bitmap, BitmapWidth width) {
    bitmap.parts().values().forEach(RoaringBitmap::runOptimize);
    if (width == BitmapWidth.NARROW) {
      RoaringBitmap part = bitmap.parts().getOrDefault(0L, new RoaringBitmap());
      ByteBuffer out = buffer(part.serializedSizeInBytes());
      part.serialize(out);
      return out.array();
    }
    long size = Long.BYTES;
    for (RoaringBitmap part : bitmap.parts().values()) {
      size += Integer.BYTES + part.serializedSizeInBytes();
    }
    if (size > Integer.MAX_VALUE) {
      throw new SluiceException(
          ErrorCode.QUERY_LIMIT_EXCEEDED, "A bitmap would have " + size + " bytes");
    }
    ByteBuffer out = buffer((int) size);
    out.putLong(bitmap.parts().size());
    for (Map.Entry<Long, RoaringBitmap> part : bitmap.parts().entrySet()) {
      out.putInt(part.getKey().intValue());
      part.getValue().serialize(out);
    }
    return out.array();
  }

  private static ByteBuffer buffer(int size) {
    return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static SluiceException malformed(String why, @Nullable Throwable cause) {
    return new SluiceException(
        ErrorCode.INVALID_VALUE, "the bytes are no bitmap in the portable format: " + why, cause);
  }
}
