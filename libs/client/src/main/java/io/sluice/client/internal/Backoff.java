package io.sluice.client.internal;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Pauses between tries: they double from 20 ms on, with a random fifth more or less. While a leader
 * is away they stay below 200 ms for the first hundred tries, some 20 s, so that whoever waits for
 * an election goes on as soon as it is over; a server that is only busy is left alone for up to 1
 * s.
 */
final class Backoff {
  private static final long FIRST_NANOS = 20_000_000;
  private static final long ELECTION_NANOS = 160_000_000;
  private static final long LONGEST_NANOS = 1_000_000_000;
  private static final int ELECTION_TRIES = 100;
  private static final int MAX_DOUBLINGS = 10;

  private Backoff() {}

  /** The pause after so many failures in a row, at least 1, the last of which is this. */
  static long pauseNanos(int failures, SluiceException last) {
    return isBusy(last.code()) ? pause(failures, LONGEST_NANOS) : electionNanos(failures);
  }

  /** The pause after so many failures in a row to reach a leader. */
  static long electionNanos(int failures) {
    return failures <= ELECTION_TRIES
        ? pause(failures, ELECTION_NANOS)
        : pause(failures, LONGEST_NANOS);
  }

  private static boolean isBusy(ErrorCode code) {
    return code == ErrorCode.BACKPRESSURE || code == ErrorCode.DISK_FULL;
  }

  private static long pause(int failures, long longest) {
    int doublings = Math.min(Math.max(failures, 1) - 1, MAX_DOUBLINGS);
    long pause = Math.min(FIRST_NANOS << doublings, longest);
    long fifth = pause / 5;
    return pause + ThreadLocalRandom.current().nextLong(-fifth, fifth + 1);
  }
}
