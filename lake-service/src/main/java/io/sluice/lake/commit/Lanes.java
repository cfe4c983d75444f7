package io.sluice.lake.commit;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One lane for each table: whoever is in it is the only one that prepares, commits, settles or
 * compares that table. Waiting is bounded in time and in number; tables do not wait for each other.
 * Thread-safe.
 */
final class Lanes {
  private static final int MAX_CALLERS = 128;

  private final Map<Long, Lane> lanes = new ConcurrentHashMap<>();
  private final Semaphore callers = new Semaphore(MAX_CALLERS);
  private final Duration patience;

  /** What is remembered of a table between calls; used by the one who is in the lane. */
  static final class Lane {
    private final ReentrantLock lock = new ReentrantLock();
    private long preparedEpoch;
    private @Nullable String unresolved;

    /** The highest epoch that prepared a round here, 0 when none did. */
    long preparedEpoch() {
      return preparedEpoch;
    }

    void prepared(long epoch) {
      preparedEpoch = Math.max(preparedEpoch, epoch);
    }

    /** The round whose outcome is unknown and which reserves the table, null when there is none. */
    @Nullable String unresolved() {
      return unresolved;
    }

    void reserve(String roundId) {
      unresolved = roundId;
    }

    void resolved() {
      unresolved = null;
    }
  }

  /**
   * @param patience how long a caller waits for the lane
   */
  Lanes(Duration patience) {
    this.patience = patience;
  }

  /**
   * Does the work in the table's lane. BACKPRESSURE when too many callers are here, UNAVAILABLE
   * when the table stays busy.
   */
  <T> T in(long tableId, Function<Lane, T> work) {
    if (!callers.tryAcquire()) {
      throw new SluiceException(
          ErrorCode.BACKPRESSURE, MAX_CALLERS + " calls are at work; try again after a pause");
    }
    try {
      Lane lane = enter(tableId);
      try {
        return work.apply(lane);
      } finally {
        lane.lock.unlock();
      }
    } finally {
      callers.release();
    }
  }

  private Lane enter(long tableId) {
    while (true) {
      Lane lane = lanes.computeIfAbsent(tableId, id -> new Lane());
      if (!lock(lane)) {
        throw new SluiceException(
            ErrorCode.UNAVAILABLE,
            "Lake table of table id " + tableId + " is busy with another call since " + patience);
      }
      if (lanes.get(tableId) == lane) {
        return lane;
      }
      // Forgotten while we waited for it: others are in a new one.
      lane.lock.unlock();
    }
  }

  private boolean lock(Lane lane) {
    try {
      return lane.lock.tryLock(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SluiceException(ErrorCode.CANCELLED, "Interrupted while waiting for a table", e);
    }
  }

  /** Forgets tables that are no longer there and have nothing to remember. */
  void retain(Set<Long> tableIds) {
    lanes
        .entrySet()
        .removeIf(
            entry -> {
              Lane lane = entry.getValue();
              if (tableIds.contains(entry.getKey()) || !lane.lock.tryLock()) {
                return false;
              }
              try {
                return lane.unresolved == null;
              } finally {
                lane.lock.unlock();
              }
            });
  }
}
