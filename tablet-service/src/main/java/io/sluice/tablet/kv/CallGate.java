package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.Uninterruptibly;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts who uses a native handle, so that it is freed when nobody does. Once closing has begun
 * nobody gets in; {@link #awaitDrained} returns when the last one is out. Thread-safe.
 */
final class CallGate {
  private static final long CLOSING = 1L << 62;

  private final String name;
  private final AtomicLong state = new AtomicLong();
  private final CountDownLatch drained = new CountDownLatch(1);

  /**
   * @param name what is used, for messages
   */
  CallGate(String name) {
    this.name = name;
  }

  /** Gets in, to be followed by {@link #exit}; UNAVAILABLE when closing has begun. */
  void enter() {
    if ((state.getAndIncrement() & CLOSING) != 0) {
      exit();
      throw closed();
    }
  }

  /** Gets out; the handle must not be touched afterwards. */
  void exit() {
    if (state.decrementAndGet() == CLOSING) {
      drained.countDown();
    }
  }

  boolean closing() {
    return (state.get() & CLOSING) != 0;
  }

  /** Users inside now. */
  long inside() {
    return state.get() & ~CLOSING;
  }

  /** Lets nobody in from now on; false when that was so already. */
  boolean shut() {
    long before = state.getAndUpdate(now -> now | CLOSING);
    if (before == 0) {
      drained.countDown();
    }
    return (before & CLOSING) == 0;
  }

  /** Waits until everybody is out; after {@link #shut}. */
  void awaitDrained() {
    Uninterruptibly.run(drained::await);
  }

  /** What a caller is told who comes too late. */
  SluiceException closed() {
    return new SluiceException(
        ErrorCode.UNAVAILABLE, name + " was closed: the bucket moves, is dropped or stops");
  }
}
