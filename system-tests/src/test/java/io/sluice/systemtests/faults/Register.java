package io.sluice.systemtests.faults;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The reference model of one row, or of one column set of a row, that a single client writes: all
 * the states that its operations lead to, one after another. A read is right when it shows a state
 * that is not older than what was acknowledged before the read and not newer than what had been
 * asked for when the answer came. Thread-safe.
 */
final class Register {
  private static final int NONE = Integer.MAX_VALUE;

  private final long key;
  private final List<@Nullable KeyedRow> states = new ArrayList<>();
  private int acknowledged;
  // The first change since the last rest of which nobody knows whether it was made.
  private int unknown = NONE;

  Register(long key, @Nullable KeyedRow initial) {
    this.key = key;
    states.add(initial);
  }

  long key() {
    return key;
  }

  /** The state after everything that was asked for. */
  synchronized @Nullable KeyedRow latest() {
    return states.get(states.size() - 1);
  }

  /** Asks for a change to this state; returns its place for {@link #acknowledge}. */
  synchronized int ask(@Nullable KeyedRow after) {
    states.add(after);
    return states.size() - 1;
  }

  synchronized void acknowledge(int place) {
    acknowledged = Math.max(acknowledged, place);
  }

  /** A change that had been asked for has failed: it may have been made all the same. */
  synchronized void unknown(int place) {
    unknown = Math.min(unknown, place);
  }

  /**
   * Whether a change was acknowledged behind one that may not have been made: a writer without a
   * name goes on after a batch that it could not deliver, so the row may lack any of those before.
   */
  private boolean isDoubtful() {
    return acknowledged > unknown;
  }

  /** The oldest state that a read that begins now may show. */
  synchronized int oldest() {
    return acknowledged;
  }

  /** Checks a read that began when {@link #oldest} was {@code from}. */
  synchronized void check(int from, @Nullable KeyedRow seen) {
    if (!isDoubtful() && place(from, seen) < 0) {
      throw new AssertionError(
          "Key "
              + key
              + " reads "
              + seen
              + "; expected one of "
              + states.subList(from, states.size())
              + ", of which the first was acknowledged");
    }
  }

  /** Nothing is under way any more: what is read now is the state from which everything goes on. */
  synchronized void settle(@Nullable KeyedRow seen) {
    check(acknowledged, seen);
    states.add(seen);
    acknowledged = states.size() - 1;
    unknown = NONE;
  }

  private int place(int from, @Nullable KeyedRow seen) {
    for (int i = from; i < states.size(); i++) {
      KeyedRow state = states.get(i);
      if (state == null ? seen == null : state.equals(seen)) {
        return i;
      }
    }
    return -1;
  }
}
