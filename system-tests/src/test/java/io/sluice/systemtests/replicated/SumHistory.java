package io.sluice.systemtests.replicated;

import org.jspecify.annotations.Nullable;

/**
 * The history of sums that a named source adds to: for each key what the sum is at least (all that
 * was acknowledged before, or read by anybody) and at most (all that was asked for). Amounts are
 * positive, so sums only grow. Thread-safe.
 */
final class SumHistory {
  private final SourceHistory source;
  private final long[] acknowledged;
  private final long[] asked;
  private final long[] read;

  SumHistory(int source, int keys) {
    this.source = new SourceHistory(source);
    this.acknowledged = new long[keys];
    this.asked = new long[keys];
    this.read = new long[keys];
  }

  int keys() {
    return asked.length;
  }

  /** The sequences that were asked for and acknowledged. */
  SourceHistory source() {
    return source;
  }

  /** The key that a sequence adds to: every key often, in no simple order. */
  int key(long sequence) {
    return (int) Math.floorMod(sequence * 0x9E3779B97F4A7C15L >>> 20, (long) asked.length);
  }

  static long amount(long sequence) {
    return 1 + sequence % 97;
  }

  synchronized void ask(long sequence) {
    if (source.ask(sequence)) {
      asked[key(sequence)] += amount(sequence);
    }
  }

  synchronized void acknowledge(long sequence) {
    if (source.acknowledge(sequence)) {
      acknowledged[key(sequence)] += amount(sequence);
    }
  }

  /** All rows below a sequence are stored. */
  synchronized void acknowledgeUpTo(long end) {
    for (long sequence = source.firstUnacknowledged(); sequence < end; sequence++) {
      acknowledge(sequence);
    }
  }

  /** What a read that begins now must see at least. */
  synchronized long floor(int key) {
    return Math.max(acknowledged[key], read[key]);
  }

  /** Takes in a read that began when {@link #floor} was that; returns what is wrong with it. */
  synchronized @Nullable String read(int key, long floor, long seen) {
    read[key] = Math.max(read[key], seen);
    return seen >= floor && seen <= asked[key]
        ? null
        : "Sum %d reads %d; it must be %d to %d".formatted(key, seen, floor, asked[key]);
  }

  /** What is wrong with a sum when nothing is under way. */
  synchronized @Nullable String compare(int key, long found) {
    long least = Math.max(acknowledged[key], read[key]);
    return found >= least && found <= asked[key]
        ? null
        : "Sum %d is %d; %d were acknowledged or read, %d asked for"
            .formatted(key, found, least, asked[key]);
  }
}
