package io.sluice.systemtests.replicated;

import java.io.InterruptedIOException;
import java.util.concurrent.locks.LockSupport;

/** Lets the bytes of one direction of a {@link Link} through, or not, or slowly. Thread-safe. */
final class Gate {
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private boolean shut;
  private boolean closed;
  private volatile long bytesPerSecond = Long.MAX_VALUE;

  synchronized void shut() {
    shut = true;
  }

  /** Lets everything through at full speed. */
  synchronized void open() {
    shut = false;
    bytesPerSecond = Long.MAX_VALUE;
    notifyAll();
  }

  void slow(long newBytesPerSecond) {
    bytesPerSecond = newBytesPerSecond;
  }

  /** Nobody waits here any more. */
  synchronized void close() {
    closed = true;
    notifyAll();
  }

  /** Returns when so many bytes may go on. */
  void pass(int bytes) throws InterruptedIOException {
    long rate = bytesPerSecond;
    if (rate < Long.MAX_VALUE) {
      long until = System.nanoTime() + bytes * NANOS_PER_SECOND / rate;
      for (long left; (left = until - System.nanoTime()) > 0; ) {
        LockSupport.parkNanos(left);
      }
    }
    awaitOpen();
  }

  private synchronized void awaitOpen() throws InterruptedIOException {
    while (shut && !closed) {
      try {
        wait();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("Interrupted at a gate");
      }
    }
    if (closed) {
      throw new InterruptedIOException("The link is closed");
    }
  }
}
