package io.sluice.tiering.job;

import io.sluice.common.TimeSource;
import io.sluice.tiering.commit.RoundKey;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One round and where it is. Its own thread moves it on; any thread may read it or abort it.
 *
 * <pre>
 * WAITING -> PLANNING -> READING -> WRITING -> COMMITTING -> ended
 * any but COMMITTING --abort--> its thread is interrupted, the next step throws
 * COMMITTING --abort--> the commit itself goes on, waiting for an unknown outcome ends
 * </pre>
 */
final class Round {
  private final RoundAssignment assignment;
  private final RoundKey key;
  private final TimeSource clock;
  private final Runnable onPhase;
  private final long createdNanos;

  // Guarded by this.
  private RoundPhase phase = RoundPhase.WAITING;
  private long phaseNanos;
  private @Nullable Thread thread;
  private @Nullable String abortReason;

  private volatile long rows;
  private volatile long bytes;

  /**
   * @param onPhase told after each change of phase, on the round's thread
   */
  Round(RoundAssignment assignment, RoundKey key, TimeSource clock, Runnable onPhase) {
    this.assignment = assignment;
    this.key = key;
    this.clock = clock;
    this.onPhase = onPhase;
    this.createdNanos = clock.nanoTime();
    this.phaseNanos = createdNanos;
  }

  RoundAssignment assignment() {
    return assignment;
  }

  RoundKey key() {
    return key;
  }

  /**
   * Moves on; the calling thread is the round's from now on.
   *
   * @return nanoseconds the phase before took
   * @throws RoundAbortedException when the round has to stop
   */
  long enter(RoundPhase next) {
    long took;
    synchronized (this) {
      if (abortReason != null) {
        throw new RoundAbortedException(abortReason);
      }
      long now = clock.nanoTime();
      took = now - phaseNanos;
      phase = next;
      phaseNanos = now;
      thread = Thread.currentThread();
    }
    onPhase.run();
    return took;
  }

  /** The thread has no more to do with this round; nanoseconds that the last phase took. */
  synchronized long end() {
    thread = null;
    // An interrupt that came too late must not hit the next round.
    Thread.interrupted();
    return clock.nanoTime() - phaseNanos;
  }

  /** Stops the round unless it is in its commit, which it then goes on with. */
  synchronized void abortUncommitted(String reason) {
    if (phase != RoundPhase.COMMITTING) {
      abort(reason);
    }
  }

  /** Stops the round, in its commit only the wait for its outcome. The first reason counts. */
  synchronized void abort(String reason) {
    if (abortReason != null) {
      return;
    }
    abortReason = reason;
    if (phase != RoundPhase.COMMITTING && thread != null) {
      thread.interrupt();
    }
    notifyAll();
  }

  /** Why the round has to stop, null when it has not. */
  synchronized @Nullable String abortReason() {
    return abortReason;
  }

  /** Throws when the round has to stop. */
  void checkGoOn() {
    String reason = abortReason();
    if (reason != null) {
      throw new RoundAbortedException(reason);
    }
  }

  /** Waits so long; false at once when the round has to stop. */
  synchronized boolean pause(long millis) {
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    try {
      while (abortReason == null) {
        long left = until - System.nanoTime();
        if (left <= 0) {
          return true;
        }
        TimeUnit.NANOSECONDS.timedWait(this, left);
      }
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** How far it is. */
  void progress(long newRows, long newBytes) {
    rows = newRows;
    bytes = newBytes;
  }

  /** Where it is now. */
  synchronized RoundStatus status() {
    long ageMs = TimeUnit.NANOSECONDS.toMillis(clock.nanoTime() - createdNanos);
    return new RoundStatus(
        key.tableId(),
        assignment.path().toString(),
        key.epoch(),
        key.roundId(),
        phase.text(),
        rows,
        bytes,
        ageMs);
  }

  synchronized RoundPhase phase() {
    return phase;
  }
}
