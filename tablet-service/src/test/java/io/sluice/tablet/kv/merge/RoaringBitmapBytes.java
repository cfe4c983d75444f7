package io.sluice.tablet.kv.merge;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.roaringbitmap.RoaringBitmap;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

/** Bitmaps of the library as bytes in the portable formats. */
final class RoaringBitmapBytes {
  private RoaringBitmapBytes() {}

  static byte[] of(RoaringBitmap bitmap) {
    return write(bitmap::serialize);
  }

  static byte[] of(Roaring64NavigableMap bitmap) {
    return write(bitmap::serializePortable);
  }

  private interface Write {
    void to(DataOutputStream out) throws IOException;
  }

  private static byte[] write(Write write) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      write.to(new DataOutputStream(bytes));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }
}
