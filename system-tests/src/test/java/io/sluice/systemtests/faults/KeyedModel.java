package io.sluice.systemtests.faults;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What the outside world knows of a {@link KeyedTable}. Every client has keys of its own, whose
 * whole rows it writes; of the shared keys each column set is written by one client. Thread-safe.
 */
final class KeyedModel {
  static final int OWN_KEYS = 250;
  static final int SHARED_KEYS = 120;

  private static final long FIRST_SHARED = 1_000_000_000L;
  private static final long KEYS_APART = 1_000_000L;
  private static final long OPERATIONS_APART = 1_000_000_000L;

  private final Register[][] own;
  private final Register[] left = new Register[SHARED_KEYS];
  private final Register[] right = new Register[SHARED_KEYS];
  private final long[] operations;
  // Upserts by number, and whether they were acknowledged.
  private final Map<Long, Boolean> upserts = new ConcurrentHashMap<>();
  private final AtomicInteger finished = new AtomicInteger();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  KeyedModel(int clients) {
    own = new Register[clients][OWN_KEYS];
    operations = new long[clients];
    for (int client = 0; client < clients; client++) {
      operations[client] = client * OPERATIONS_APART;
      for (int i = 0; i < OWN_KEYS; i++) {
        own[client][i] = new Register(client * KEYS_APART + i, null);
      }
    }
    for (int i = 0; i < SHARED_KEYS; i++) {
      left[i] = new Register(FIRST_SHARED + i, KeyedRow.EMPTY);
      right[i] = new Register(FIRST_SHARED + i, KeyedRow.EMPTY);
    }
  }

  int clients() {
    return own.length;
  }

  Register own(int client, int key) {
    return own[client][key];
  }

  /** The left column set of a shared key, written by client {@code key mod clients}. */
  Register left(int key) {
    return left[key];
  }

  /** The right column set of a shared key, written by client {@code key + 1 mod clients}. */
  Register right(int key) {
    return right[key];
  }

  /** The number of a client's next upsert. */
  long nextUpsert(int client) {
    long operation = ++operations[client];
    upserts.put(operation, false);
    return operation;
  }

  void acknowledge(long operation) {
    upserts.put(operation, true);
  }

  /** One more operation has its outcome. */
  void finish() {
    finished.incrementAndGet();
  }

  int finished() {
    return finished.get();
  }

  void fail(Throwable why) {
    failure.compareAndSet(null, why);
  }

  boolean failed() {
    return failure.get() != null;
  }

  /** Throws the first thing that a client found wrong. */
  void requireGood() {
    Throwable found = failure.get();
    if (found != null) {
      throw new AssertionError("A client found: " + found.getMessage(), found);
    }
  }

  /** Nothing is under way: the rows must be what the clients know, and are it from now on. */
  void settle(KeyedTable.State state) {
    Map<Long, KeyedRow> rows = state.rows();
    for (Register[] ofClient : own) {
      for (Register register : ofClient) {
        register.settle(rows.get(register.key()));
      }
    }
    for (int i = 0; i < SHARED_KEYS; i++) {
      KeyedRow row = rows.get(left[i].key());
      left[i].settle(leftOf(row));
      right[i].settle(rightOf(row));
    }
    checkWrites(state.writes());
  }

  /** Each acknowledged upsert has changed its row once, others once or never. */
  private void checkWrites(Map<Long, Integer> writes) {
    for (Long operation : writes.keySet()) {
      if (!upserts.containsKey(operation)) {
        throw new AssertionError(
            "Upsert " + operation + " is in the changelog; nobody asked for it");
      }
    }
    upserts.forEach(
        (operation, acknowledged) -> {
          int times = writes.getOrDefault(operation, 0);
          if (times > 1 || (acknowledged && times == 0)) {
            throw new AssertionError(
                "Upsert "
                    + operation
                    + (acknowledged ? ", acknowledged," : ", not acknowledged,")
                    + " is in the changelog "
                    + times
                    + " times");
          }
        });
  }

  static KeyedRow leftOf(@Nullable KeyedRow row) {
    return KeyedRow.EMPTY.withLeft(row == null ? null : row.left());
  }

  static KeyedRow rightOf(@Nullable KeyedRow row) {
    return row == null ? KeyedRow.EMPTY : KeyedRow.EMPTY.withRight(row);
  }
}
