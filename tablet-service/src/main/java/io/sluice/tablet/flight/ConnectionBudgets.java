package io.sluice.tablet.flight;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** Counts, for each connection, the bytes of puts that it has unanswered. Thread-safe. */
final class ConnectionBudgets {
  private final long limitBytes;
  private final Map<Object, Budget> open = new HashMap<>();

  ConnectionBudgets(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  /** The budget of a connection, shared by its streams; each of them closes what it opened. */
  synchronized Budget open(Object connection) {
    Budget budget = open.computeIfAbsent(connection, Budget::new);
    budget.streams++;
    return budget;
  }

  /** Connections with an open put stream. */
  synchronized int size() {
    return open.size();
  }

  private synchronized void close(Budget budget) {
    if (--budget.streams == 0) {
      open.remove(budget.connection);
    }
  }

  /** One connection's unanswered bytes. */
  final class Budget {
    private final Object connection;
    private final AtomicLong used = new AtomicLong();
    private int streams;

    private Budget(Object connection) {
      this.connection = connection;
    }

    /**
     * Takes the bytes when the limit allows. A connection with nothing unanswered may always send
     * one message, however large.
     */
    boolean reserve(long bytes) {
      long after = used.addAndGet(bytes);
      if (after > limitBytes && after != bytes) {
        used.addAndGet(-bytes);
        return false;
      }
      return true;
    }

    /** Gives back what was reserved. */
    void release(long bytes) {
      used.addAndGet(-bytes);
    }

    long used() {
      return used.get();
    }

    long limitBytes() {
      return limitBytes;
    }

    /** Ends one stream's use; reserved bytes may still be released later. */
    void close() {
      ConnectionBudgets.this.close(this);
    }
  }
}
