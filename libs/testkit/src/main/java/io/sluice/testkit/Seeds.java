package io.sluice.testkit;

import java.util.SplittableRandom;

/**
 * Runs a test body over seeds. A failure names its seed; {@code -Dsluice.seed=N} runs that seed
 * alone.
 */
public final class Seeds {
  private Seeds() {}

  /** A test body driven by one seed. */
  public interface Body {
    void run(long seed, SplittableRandom random) throws Exception;
  }

  /** Runs the body for seeds 1 to {@code count}, or for {@code -Dsluice.seed} alone. */
  public static void run(int count, Body body) {
    String only = System.getProperty("sluice.seed");
    if (only != null) {
      runOne(Long.parseLong(only), body);
      return;
    }
    for (long seed = 1; seed <= count; seed++) {
      runOne(seed, body);
    }
  }

  private static void runOne(long seed, Body body) {
    try {
      body.run(seed, new SplittableRandom(seed));
    } catch (Throwable failure) {
      throw new AssertionError(
          "Seed " + seed + " failed (rerun with -Dsluice.seed=" + seed + "): " + failure, failure);
    }
  }
}
