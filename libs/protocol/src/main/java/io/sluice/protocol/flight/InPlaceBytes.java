package io.sluice.protocol.flight;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes of received bodies may stay in the transport's buffers at once. Those hold more
 * than the bodies and share a pool with everything else that is received, so what would be too much
 * is copied into memory of the allocator, which has a limit of its own. Thread-safe.
 */
final class InPlaceBytes {
  private final long limit;
  private final AtomicLong used = new AtomicLong();

  InPlaceBytes(long limit) {
    this.limit = limit;
  }

  /** Takes room for a body; false when there is not enough. */
  boolean take(int bytes) {
    if (used.addAndGet(bytes) <= limit) {
      return true;
    }
    used.addAndGet(-bytes);
    return false;
  }

  /** Gives room back. */
  void give(int bytes) {
    used.addAndGet(-bytes);
  }

  /** Bytes that are in place now. */
  long used() {
    return used.get();
  }
}
