package io.sluice.tablet.kv.merge;

import io.sluice.common.ErrorCode;
import org.jspecify.annotations.Nullable;

/** Sets of 32-bit integers in the portable RoaringBitmap format. */
final class Bitmap32Bytes implements BitmapBytes {
  private final RoaringUnion union;
  private final RoaringCursor stored;
  private final RoaringCursor given;

  /**
   * @param name of the column, for messages
   */
  Bitmap32Bytes(String name, RoaringUnion union) {
    this.union = union;
    this.stored = new RoaringCursor("The stored value of " + name, ErrorCode.CORRUPT_STORAGE);
    this.given = new RoaringCursor("The value given to " + name, ErrorCode.INVALID_VALUE);
  }

  @Override
  public byte[] canonical(byte[] bitmap) {
    given.open(bitmap, 0, bitmap.length);
    RoaringWriter writer = union.canonical(given, bitmap.length);
    if (given.position() != bitmap.length) {
      throw given.malformed(given.position(), "it has ended");
    }
    return bytes(writer);
  }

  @Override
  public byte @Nullable [] union(byte[] before, byte[] put) {
    stored.open(before, 0, before.length);
    given.open(put, 0, put.length);
    if (RoaringUnion.contains(stored, given)) {
      return null;
    }
    stored.open(before, 0, before.length);
    given.open(put, 0, put.length);
    RoaringWriter writer = union.union(stored, given, before.length + put.length);
    return writer == null ? null : bytes(writer);
  }

  private static byte[] bytes(RoaringWriter writer) {
    LittleEndianBytes out = new LittleEndianBytes(writer.size());
    writer.finish(out);
    return out.toBytes();
  }
}
