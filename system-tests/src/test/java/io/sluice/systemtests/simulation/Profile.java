package io.sluice.systemtests.simulation;

import java.util.SplittableRandom;

/**
 * What a seed is like: how many servers and replicas, how often something breaks and what.
 *
 * @param weights how often each kind of {@link Faults.Kind} is chosen, by ordinal
 * @param faultsMs how long things break
 * @param everyMs mean time between faults
 * @param lostAnswers how many answers are lost, of leaders to clients and of the coordinator to
 *     leaders
 * @param readEveryMs longest time between two lookups
 * @param trapsJoins how often something happens just when a leader has asked for a new in-sync
 *     replica, or the coordinator has accepted one
 * @param lateCloses how often a leader hears only seconds later that a follower's stream is over
 * @param farCoordinator whether messages to and from the coordinator take up to seconds
 */
record Profile(
    int servers,
    int replicas,
    int[] weights,
    int faultsMs,
    int everyMs,
    double lostAnswers,
    int readEveryMs,
    double trapsJoins,
    double lateCloses,
    boolean farCoordinator) {
  static Profile of(SplittableRandom random) {
    int servers = 3 + random.nextInt(3);
    int replicas = random.nextInt(10) == 0 ? 1 + random.nextInt(2) : 3;
    int[] weights = new int[Faults.Kind.values().length];
    for (Faults.Kind kind : Faults.Kind.values()) {
      // Some seeds do a lot of a few things only.
      weights[kind.ordinal()] =
          random.nextInt(3) == 0 ? kind.weight() * 4 : random.nextBoolean() ? kind.weight() : 0;
    }
    weights[Faults.Kind.KILL.ordinal()]++;
    double trapsJoins = random.nextInt(3) == 0 ? 0.5 : 0;
    return new Profile(
        servers,
        replicas,
        weights,
        5_000 + Math.min(random.nextInt(25_000), random.nextInt(25_000)),
        300 + random.nextInt(2_200),
        random.nextInt(3) == 0 ? 0.3 : 0.02,
        trapsJoins > 0 || random.nextInt(3) == 0 ? 80 : 600,
        trapsJoins,
        random.nextInt(3) == 0 ? 0.9 : 0.3,
        random.nextInt(6) == 0);
  }
}
