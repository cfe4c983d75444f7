package io.sluice.tablet.kv;

import java.util.Arrays;

/**
 * An encoded row key as the key of a hash map. Comparable, so that keys chosen to share a hash make
 * a map slower but not slow. The bytes must not change.
 */
final class RowKey implements Comparable<RowKey> {
  private final byte[] bytes;
  private final int hash;

  RowKey(byte[] bytes) {
    this.bytes = bytes;
    this.hash = Arrays.hashCode(bytes);
  }

  byte[] bytes() {
    return bytes;
  }

  @Override
  public int compareTo(RowKey other) {
    return Arrays.compareUnsigned(bytes, other.bytes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RowKey that && hash == that.hash && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return hash;
  }
}
