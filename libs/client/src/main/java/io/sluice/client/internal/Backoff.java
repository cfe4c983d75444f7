package io.sluice.client.internal;

import java.util.concurrent.ThreadLocalRandom;

/** Pauses between tries: they double from 20 ms to 1 s, with a random fifth more or less. */
final class Backoff {
  private static final long FIRST_NANOS = 20_000_000;
  private static final long LONGEST_NANOS = 1_000_000_000;
  private static final int MAX_DOUBLINGS = 10;

  private Backoff() {}

  /** The pause after so many failures in a row, at least 1. */
  static long pauseNanos(int failures) {
    int doublings = Math.min(Math.max(failures, 1) - 1, MAX_DOUBLINGS);
    long pause = Math.min(FIRST_NANOS << doublings, LONGEST_NANOS);
    long fifth = pause / 5;
    return pause + ThreadLocalRandom.current().nextLong(-fifth, fifth + 1);
  }
}
