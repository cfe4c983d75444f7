package io.sluice.tablet.replica;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread that has leaders look for followers that lag, once a second. */
final class ReplicationTick implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ReplicationTick.class);
  private static final long INTERVAL_MS = 1000;

  private final Runnable work;
  private final ScheduledExecutorService thread;

  ReplicationTick(Runnable work) {
    this.work = work;
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread created = new Thread(task, "replication-tick");
              created.setDaemon(true);
              return created;
            });
  }

  void start() {
    var unused =
        thread.scheduleWithFixedDelay(this::round, INTERVAL_MS, INTERVAL_MS, TimeUnit.MILLISECONDS);
  }

  /** One round; the schedule must survive any failure. */
  private void round() {
    try {
      work.run();
    } catch (RuntimeException | Error e) {
      log.error("A look at the followers failed; the next one comes in {} ms", INTERVAL_MS, e);
    }
  }

  /** Ends the thread when its round is done. */
  @Override
  public void close() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(INTERVAL_MS, TimeUnit.MILLISECONDS)) {
        log.warn("A look at the followers takes long; the stop goes on");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
