package io.sluice.tablet.replica;

import io.sluice.common.Uninterruptibly;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread of the {@link Housekeeper}: one round after another, with a pause between them. */
final class HousekeepingLoop {
  private static final Logger log = LoggerFactory.getLogger(HousekeepingLoop.class);
  private static final long REPORT_SECONDS = 10;

  private final Housekeeper housekeeper;
  private final ScheduledExecutorService thread;

  HousekeepingLoop(Housekeeper housekeeper) {
    this.housekeeper = housekeeper;
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread created = new Thread(task, "tablet-housekeeper");
              created.setDaemon(true);
              return created;
            });
  }

  void start(long pauseMs) {
    var unused =
        thread.scheduleWithFixedDelay(this::round, pauseMs, pauseMs, TimeUnit.MILLISECONDS);
  }

  /** One round; the schedule must survive any failure. */
  private void round() {
    try {
      housekeeper.doWork();
    } catch (RuntimeException | Error e) {
      log.error("Housekeeping failed and is tried again", e);
    }
  }

  /** Ends the thread, however long its round takes, and does a last one. */
  void stop() {
    thread.shutdown();
    Uninterruptibly.run(
        () -> {
          while (!thread.awaitTermination(REPORT_SECONDS, TimeUnit.SECONDS)) {
            log.warn("Still waits for the logs to be forced to disk");
          }
        });
    round();
  }
}
