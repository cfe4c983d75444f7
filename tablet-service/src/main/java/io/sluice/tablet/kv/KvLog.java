package io.sluice.tablet.kv;

import io.sluice.common.SluiceException;

/**
 * What a store wants of the changelog that it is the fold of. Called on any thread, RocksDB's
 * included, which waits for it.
 */
public interface KvLog {
  /**
   * Called before changes get to files: what was applied until then must be in the changelog on
   * disk when this returns, as after a power loss the store must not be ahead of it.
   */
  void force();

  /** Bytes of the changelog, by which the flush agent tells how much a restart would replay. */
  default long sizeBytes() {
    return 0;
  }

  /**
   * Called at the first read or write that finds the store's files damaged. The store goes on
   * refusing what it cannot do with UNAVAILABLE or BACKPRESSURE until its owner has closed it and
   * opened another in its place; must not block.
   */
  default void damaged(SluiceException damage) {}
}
