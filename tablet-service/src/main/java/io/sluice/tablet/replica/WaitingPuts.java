package io.sluice.tablet.replica;

import io.sluice.common.SluiceException;
import java.util.ArrayDeque;

/** Puts that wait for the visible end, by offset. Owned by the shard's thread. */
final class WaitingPuts {
  private final ArrayDeque<Put> puts = new ArrayDeque<>();

  void add(Put put) {
    puts.add(put);
  }

  /** Answers those that the visible end has passed. */
  void succeedBelow(long visible) {
    while (!puts.isEmpty() && puts.peek().visibleAt() <= visible) {
      puts.remove().succeed();
    }
  }

  void refuseAll(SluiceException why) {
    while (!puts.isEmpty()) {
      puts.remove().abandon(why);
    }
  }
}
