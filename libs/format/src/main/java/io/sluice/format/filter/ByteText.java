package io.sluice.format.filter;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** Bytes in unsigned order, which for UTF-8 is the order of the characters. */
final class ByteText implements Comparable<ByteText> {
  private final byte[] bytes;

  ByteText(byte[] bytes) {
    this.bytes = bytes.clone();
  }

  static ByteText of(ByteBuffer source) {
    byte[] bytes = new byte[source.remaining()];
    source.duplicate().get(bytes);
    return new ByteText(bytes);
  }

  /** A copy. */
  byte[] bytes() {
    return bytes.clone();
  }

  /** The smallest value that is greater. */
  ByteText next() {
    return new ByteText(Arrays.copyOf(bytes, bytes.length + 1));
  }

  @Override
  public int compareTo(ByteText other) {
    return Arrays.compareUnsigned(bytes, other.bytes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ByteText that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }
}
