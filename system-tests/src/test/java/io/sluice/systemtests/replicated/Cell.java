package io.sluice.systemtests.replicated;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The history of one row that one client changes, one change at a time: all states that were asked
 * for, in order. A read is right when it shows a state that is not older than what was
 * acknowledged, or read by anybody, before it began, and not newer than what had been asked for
 * when its answer came. Thread-safe.
 */
final class Cell {
  private final int key;
  private long[] states = {CellState.ABSENT, 0, 0, 0};
  private int count = 1;
  private int floor;
  private boolean acknowledged = true;

  Cell(int key) {
    this.key = key;
  }

  int key() {
    return key;
  }

  /** The state after everything that was asked for. */
  synchronized long latest() {
    return states[count - 1];
  }

  /** Whether the last change was acknowledged; if not it may have been made or not. */
  synchronized boolean settled() {
    return acknowledged;
  }

  /** A number that is in no state yet: how many states there are. */
  synchronized int nextNumber() {
    return count;
  }

  /** Asks for a change, which is another state than the latest. */
  synchronized void ask(long after) {
    if (!acknowledged) {
      throw new IllegalStateException("Key " + key + " has a change whose outcome is unknown");
    }
    if (count == states.length) {
      states = Arrays.copyOf(states, count * 2);
    }
    states[count++] = after;
    acknowledged = false;
  }

  /** The last change was made. */
  synchronized void acknowledge() {
    acknowledged = true;
    floor = count - 1;
  }

  /** The oldest state that a read that begins now may show. */
  synchronized int floor() {
    return floor;
  }

  /**
   * Takes in a read that began when {@link #floor} was {@code from}; returns what is wrong with it.
   */
  synchronized @Nullable String read(int from, long seen) {
    for (int place = from; place < count; place++) {
      if (states[place] == seen) {
        floor = Math.max(floor, place);
        return null;
      }
    }
    return "Key %d reads %s; it may be one of %s, of which the first was acknowledged or read before"
        .formatted(key, CellState.describe(seen), describe(from));
  }

  /**
   * Compares with the states that the changelog leads to, in order; returns what is wrong. Every
   * acknowledged change is there once, the last one at most once, and nothing else.
   */
  synchronized @Nullable String compare(long[] logged) {
    int certain = acknowledged ? count : count - 1;
    int common = 1;
    while (common < count && common <= logged.length && states[common] == logged[common - 1]) {
      common++;
    }
    if (common >= certain && logged.length == common - 1) {
      return null;
    }
    return "Key %d: change %d is %s, and %s in the changelog; %d changes were acknowledged, it has %d"
        .formatted(
            key,
            common,
            common < count ? CellState.describe(states[common]) : "none",
            common <= logged.length ? CellState.describe(logged[common - 1]) : "none",
            certain - 1,
            logged.length);
  }

  /** Whether the row may be so when nothing is under way. */
  synchronized boolean mayBe(long state) {
    return state == states[count - 1] || (!acknowledged && state == states[count - 2]);
  }

  private String describe(int from) {
    StringBuilder text = new StringBuilder();
    int shown = Math.max(from, count - 6);
    if (shown > from) {
      text.append(CellState.describe(states[from])).append("; ... ; ");
    }
    for (int place = shown; place < count; place++) {
      text.append(place == shown ? "" : "; ").append(CellState.describe(states[place]));
    }
    return text.toString();
  }
}
