package io.sluice.tablet.kv.merge;

import org.jspecify.annotations.Nullable;

/**
 * Sets of integers as bytes in a portable RoaringBitmap format. Equal sets have equal bytes in the
 * form that is stored, which both methods give.
 */
interface BitmapBytes {

  /**
   * The stored form of a bitmap of unknown origin.
   *
   * @throws io.sluice.common.SluiceException INVALID_VALUE when the bytes are no bitmap
   */
  byte[] canonical(byte[] bitmap);

  /**
   * The union of two bitmaps in the stored form; null when {@code before} has all values of {@code
   * put}.
   */
  byte @Nullable [] union(byte[] before, byte[] put);
}
