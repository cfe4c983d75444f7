package io.sluice.systemtests.replicated;

import java.util.BitSet;

/**
 * The rows of one source: a named writer appends them under their sequences, which have no gap.
 * Thread-safe.
 */
final class SourceHistory {
  private final int number;
  private final BitSet acknowledged = new BitSet();
  private int end;

  SourceHistory(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }

  /** The name of its writer. */
  String writer() {
    return "source-" + number;
  }

  /** The row is on its way; returns whether it is so for the first time. */
  synchronized boolean ask(long sequence) {
    boolean first = sequence >= end;
    end = Math.max(end, Math.toIntExact(sequence) + 1);
    return first;
  }

  /** The row is stored; returns whether that is news. */
  synchronized boolean acknowledge(long sequence) {
    int at = Math.toIntExact(sequence);
    boolean news = !acknowledged.get(at);
    acknowledged.set(at);
    return news;
  }

  /** All rows below a sequence are stored. */
  synchronized void acknowledgeUpTo(long end) {
    acknowledged.set(0, Math.toIntExact(end));
  }

  /** The first sequence that is not known to be stored. */
  synchronized long firstUnacknowledged() {
    return acknowledged.nextClearBit(0);
  }

  /** Every sequence below it was asked for, none from it on. */
  synchronized int end() {
    return end;
  }

  synchronized boolean isAcknowledged(long sequence) {
    return acknowledged.get(Math.toIntExact(sequence));
  }

  synchronized int acknowledged() {
    return acknowledged.cardinality();
  }

  /** Sequences that were acknowledged. */
  synchronized BitSet acknowledgedCopy() {
    return (BitSet) acknowledged.clone();
  }
}
