package io.sluice.coordinator.tiering;

import java.util.random.RandomGenerator;

/** How long to wait after failures: 10 s, doubling to 10 min, a fifth more or less by chance. */
final class RetryPause {
  private static final long FIRST_MS = 10_000;
  private static final long LAST_MS = 600_000;
  private static final double JITTER = 0.2;

  private RetryPause() {}

  /**
   * The pause after that many failures in a row.
   *
   * @param failures from 1
   */
  static long ms(int failures, RandomGenerator random) {
    long pause = FIRST_MS;
    for (int i = 1; i < failures && pause < LAST_MS; i++) {
      pause *= 2;
    }
    double factor = 1 - JITTER + 2 * JITTER * random.nextDouble();
    return Math.min(LAST_MS, Math.round(Math.min(LAST_MS, pause) * factor));
  }
}
