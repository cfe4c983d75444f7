package io.sluice.lake.bitmap;

/** The two kinds of bitmaps: how large their numbers are, and so how they are stored. */
public enum BitmapWidth {
  /** Numbers of 32 bits without a sign. */
  NARROW("RB_", 0xFFFF_FFFFL),
  /** Numbers of 64 bits without a sign, of which SQL's BIGINT has the lower half. */
  WIDE("RB64_", Long.MAX_VALUE);

  private final String prefix;
  private final long largest;

  BitmapWidth(String prefix, long largest) {
    this.prefix = prefix;
    this.largest = largest;
  }

  /** With what the names of its functions begin. */
  public String prefix() {
    return prefix;
  }

  /** The largest number that can be put in. */
  public long largest() {
    return largest;
  }
}
