package io.sluice.coordinator.membership;

import io.sluice.common.TimeSource;
import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.PersistentMap;
import io.sluice.coordinator.metadata.TabletServer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * When each server was heard last, on the monotonic clock. Counts for the incarnation that is
 * registered; a server not yet heard of has a full time-out to come. So has every server when
 * nobody has looked for half of that time: this process was stopped then, and heard nothing of
 * those who did send. Thread-safe.
 */
final class SessionClocks {
  private static final long RETRY_NANOS = 1_000_000_000L;

  private final TimeSource time;
  private final long timeoutNanos;
  private final Map<Integer, Clock> clocks = new HashMap<>();
  private long lookedNanos;

  /** The clock of one incarnation. */
  private static final class Clock {
    private final String incarnation;
    private long heardNanos;

    /** The session is being ended. */
    private boolean ending;

    /** When the next attempt to end it is due. */
    private long dueNanos;

    Clock(String incarnation, long now) {
      this.incarnation = incarnation;
      this.heardNanos = now;
      this.dueNanos = now;
    }
  }

  SessionClocks(TimeSource time, long timeoutNanos) {
    this.time = time;
    this.timeoutNanos = timeoutNanos;
    this.lookedNanos = time.nanoTime();
  }

  /** Starts the clock of a newly registered incarnation. */
  synchronized void opened(int serverId, String incarnation) {
    clocks.put(serverId, new Clock(incarnation, time.nanoTime()));
  }

  /** A heartbeat came; one of another incarnation does not count. */
  synchronized void heard(int serverId, String incarnation) {
    Clock clock = clocks.get(serverId);
    if (clock != null && clock.incarnation.equals(incarnation)) {
      clock.heardNanos = time.nanoTime();
    }
  }

  /** The session ended. */
  synchronized void ended(int serverId) {
    clocks.remove(serverId);
  }

  /** The session could not be ended; it is tried again after a pause. */
  synchronized void notEnded(int serverId, String incarnation) {
    Clock clock = clocks.get(serverId);
    if (clock != null && clock.incarnation.equals(incarnation)) {
      clock.ending = false;
      clock.dueNanos = time.nanoTime() + RETRY_NANOS;
    }
  }

  /** Gives every server a full time-out. */
  synchronized void restart() {
    clocks.clear();
    lookedNanos = time.nanoTime();
  }

  /** Servers whose session has to be ended now; each is named once for each attempt. */
  synchronized List<TabletServer> expired(ClusterState state) {
    List<TabletServer> expired = new ArrayList<>();
    long now = time.nanoTime();
    if (now - lookedNanos > timeoutNanos / 2) {
      clocks.clear();
    }
    lookedNanos = now;
    for (PersistentMap.Entry<Integer, TabletServer> entry : state.servers()) {
      if (entry.value().alive() && isDue(entry.value(), now)) {
        expired.add(entry.value());
      }
    }
    return expired;
  }

  private boolean isDue(TabletServer server, long now) {
    Clock clock = clocks.get(server.serverId());
    String incarnation = server.registration().incarnation();
    if (clock == null || !clock.incarnation.equals(incarnation)) {
      clocks.put(server.serverId(), new Clock(incarnation, now));
      return false;
    }
    boolean silent = now - clock.heardNanos > timeoutNanos;
    if (!silent || clock.ending || now - clock.dueNanos < 0) {
      return false;
    }
    clock.ending = true;
    return true;
  }
}
