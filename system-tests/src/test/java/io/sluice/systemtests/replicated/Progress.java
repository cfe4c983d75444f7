package io.sluice.systemtests.replicated;

import java.util.concurrent.TimeUnit;

/** Notes the times in which a client waits for acknowledgements in vain. Thread-safe. */
final class Progress {
  private static final double SHORTEST_OUTAGE_SECONDS = 0.5;

  private final History history;
  private final String client;
  private long waitingSince = System.nanoTime();
  private long underWay;

  Progress(History history, String client) {
    this.history = history;
    this.client = client;
  }

  /** A change is on its way. */
  synchronized void asked() {
    if (underWay++ == 0) {
      waitingSince = System.nanoTime();
    }
  }

  /** A change was acknowledged. */
  synchronized void acknowledged() {
    long now = System.nanoTime();
    note(now);
    waitingSince = now;
    underWay--;
  }

  /** A change has failed. */
  synchronized void failed() {
    underWay--;
  }

  private void note(long now) {
    double seconds = (now - waitingSince) / (double) TimeUnit.SECONDS.toNanos(1);
    if (seconds > SHORTEST_OUTAGE_SECONDS) {
      history.outage(client, seconds);
    }
  }
}
