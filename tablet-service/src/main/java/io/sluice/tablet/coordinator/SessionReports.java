package io.sluice.tablet.coordinator;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * What an operator is told of the session with the coordinators: a line when something has changed,
 * however many attempts there are, at however many coordinators. That a session ends is nothing to
 * worry about, since coordinators stop and others take over; that none has this server for longer
 * than that takes is, and so is a refusal that does not pass by itself. Of the session's thread.
 */
final class SessionReports {
  private static final Logger LOG = LoggerFactory.getLogger(SessionReports.class);

  private final TimeSource clock;
  private final long patienceNanos;
  private boolean away;
  private long awaySinceNanos;
  private boolean warned;
  private String lastRefusal = "";

  /**
   * @param patienceNanos after so long without a session that is told
   */
  SessionReports(TimeSource clock, long patienceNanos) {
    this.clock = clock;
    this.patienceNanos = patienceNanos;
  }

  /** A coordinator has registered this server. */
  void registered() {
    away = false;
    lastRefusal = "";
  }

  /**
   * A session has ended, or an attempt to open one.
   *
   * @param joined whether this server had been registered
   * @return the level at which that was told
   */
  Level ended(String address, boolean joined, SluiceException why) {
    long now = clock.nanoTime();
    if (joined || !away) {
      away = true;
      awaySinceNanos = now;
      warned = false;
    }
    String reason = String.valueOf(why.getMessage());
    if (!passes(why.code())) {
      Level level = reason.equals(lastRefusal) ? Level.DEBUG : Level.WARN;
      lastRefusal = reason;
      LOG.atLevel(level)
          .log("Coordinator {} has no session with this server, tried again: {}", address, reason);
      return level;
    }
    if (joined) {
      LOG.info("Session with coordinator {} ended, looks for one that leads: {}", address, reason);
      return Level.INFO;
    }
    if (!warned && now - awaySinceNanos >= patienceNanos) {
      warned = true;
      LOG.warn(
          "No coordinator has this server registered for {} ms, tried again; the last answer is of"
              + " {}: {}",
          TimeUnit.NANOSECONDS.toMillis(now - awaySinceNanos),
          address,
          reason);
      return Level.WARN;
    }
    LOG.debug("No session with coordinator {}: {}", address, reason);
    return Level.DEBUG;
  }

  /** Whether it is so whenever a coordinator stops, or does not lead. */
  private static boolean passes(ErrorCode code) {
    return code == ErrorCode.UNAVAILABLE
        || code == ErrorCode.NOT_COORDINATOR_LEADER
        || code == ErrorCode.TIMEOUT
        || code == ErrorCode.CANCELLED;
  }
}
