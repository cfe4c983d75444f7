package io.sluice.systemtests.simulation;

import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** The virtual clock and what is to happen on it, in an order that only the seed decides. */
final class Scheduler {
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final SplittableRandom random;
  private long now = TimeUnit.DAYS.toNanos(1);
  private long order;
  private long count;

  private record Event(long at, long order, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(at, other.at);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  Scheduler(SplittableRandom random) {
    this.random = random;
  }

  static long ms(long milliseconds) {
    return milliseconds * 1_000_000;
  }

  /** Nanoseconds of the virtual clock. */
  long now() {
    return now;
  }

  /** How many events have happened. */
  long count() {
    return count;
  }

  void at(long nanos, Runnable action) {
    events.add(new Event(Math.max(nanos, now), order++, action));
  }

  void after(long nanos, Runnable action) {
    at(now + nanos, action);
  }

  /** Lets everything happen until then. */
  void runUntil(long nanos) {
    while (!events.isEmpty() && events.peek().at() <= nanos) {
      Event next = events.remove();
      now = next.at();
      count++;
      next.action().run();
    }
    now = nanos;
  }

  /** Uniform between the two, in milliseconds. */
  long between(long fromMs, long toMs) {
    return ms(fromMs) + random.nextLong(ms(toMs - fromMs) + 1);
  }

  boolean chance(double probability) {
    return random.nextDouble() < probability;
  }

  int below(int bound) {
    return random.nextInt(bound);
  }
}
