package io.sluice.format.batch;

import net.jpountz.lz4.LZ4Factory;
import net.jpountz.xxhash.XXHashFactory;

/**
 * The native LZ4 binding, asked for by name: the library's own choice of the fastest one leaves the
 * native code out when another class loader than the system's loads it, as in an executable jar.
 * Where the native code cannot be loaded the Java code takes its place.
 */
final class Lz4Library {
  static final LZ4Factory BLOCKS = blocks();
  static final XXHashFactory HASHES = hashes();

  private Lz4Library() {}

  private static LZ4Factory blocks() {
    try {
      return LZ4Factory.nativeInstance();
    } catch (LinkageError | AssertionError | UnsupportedOperationException e) {
      return LZ4Factory.fastestJavaInstance();
    }
  }

  private static XXHashFactory hashes() {
    try {
      return XXHashFactory.nativeInstance();
    } catch (LinkageError | AssertionError | UnsupportedOperationException e) {
      return XXHashFactory.fastestJavaInstance();
    }
  }
}
