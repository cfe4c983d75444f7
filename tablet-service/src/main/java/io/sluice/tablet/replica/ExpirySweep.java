package io.sluice.tablet.replica;

import io.sluice.common.SluiceException;
import io.sluice.format.row.RowCodec;
import io.sluice.tablet.kv.KvScan;
import io.sluice.tablet.kv.KvStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the rows of one bucket that have outlived {@code table.kv.ttl}, a bounded part of the store
 * a turn, and has them deleted. A pass begins when the oldest row that the last one left has
 * expired, but not more often than ten times in a row's life; soon again when rows could not be
 * removed. The housekeeper begins it; its turns follow one another with pauses, so that it takes a
 * small part of a processor.
 *
 * <p>Thread-safe: whoever has set {@code busy} owns everything else, turn after turn.
 */
final class ExpirySweep {
  private static final Logger log = LoggerFactory.getLogger(ExpirySweep.class);
  private static final int REMOVED_A_TURN = 1_000;
  private static final int LOOKED_AT_A_TURN = 10_000;
  private static final long BYTES_A_TURN = 8 << 20;
  private static final int PASSES_A_LIFE = 10;
  private static final long PAUSE_FACTOR = 9;
  private static final long MIN_PAUSE_MS = 20;
  private static final long MIN_PASS_MS = 1_000;
  private static final long MAX_PASS_MS = 600_000;

  private final LocalReplica replica;
  private final KvReplica kv;
  private final KvHost host;
  private final AtomicBoolean busy = new AtomicBoolean();
  private Duration ttl = Duration.ZERO;
  private byte @Nullable [] from;
  private long passStartMs;
  private long nextPassMs;
  private long oldestMs;
  private boolean someLeft;

  ExpirySweep(LocalReplica replica, KvReplica kv, KvHost host) {
    this.replica = replica;
    this.kv = kv;
    this.host = host;
  }

  /** Begins a pass when one is due; returns the rows that are to be removed by its first turn. */
  int doWork(long nowMs) {
    Duration now = kv.rules().merge().rowTtl();
    if (!busy.compareAndSet(false, true)) {
      return 0;
    }
    if (!isDue(now, nowMs)) {
      busy.set(false);
      return 0;
    }
    return turn();
  }

  private boolean isDue(Duration now, long nowMs) {
    if (!now.equals(ttl)) {
      ttl = now;
      nextPassMs = nowMs;
    }
    return !ttl.isZero() && nowMs >= nextPassMs && replica.leads();
  }

  private int turn() {
    List<byte[]> expired = new ArrayList<>();
    long start = host.time().nanoTime();
    try {
      look(kv.store(), host.time().epochMs(), expired);
    } catch (SluiceException e) {
      // The bucket moves or stops, or reads fail for everybody: those who use it are told.
      endPass();
      return 0;
    } catch (RuntimeException defect) {
      log.error("Expired rows of {} are not found", replica.displayName(), defect);
      endPass();
      return 0;
    }
    long tookMs = (host.time().nanoTime() - start) / 1_000_000;
    if (expired.isEmpty()) {
      goOn(PAUSE_FACTOR * tookMs, true);
    } else {
      long pauseMs = expired.size() == REMOVED_A_TURN ? 0 : PAUSE_FACTOR * tookMs;
      replica.removeExpired(expired, removed -> goOn(pauseMs, removed));
    }
    return expired.size();
  }

  private void endPass() {
    from = null;
    busy.set(false);
  }

  /** The turn is over: the next one follows, unless the pass is. */
  private void goOn(long pauseMs, boolean removed) {
    someLeft |= !removed;
    if (from == null || !replica.leads()) {
      if (someLeft) {
        nextPassMs = Math.min(nextPassMs, passStartMs + passMs());
      }
      endPass();
      return;
    }
    host.after(
        Math.max(MIN_PAUSE_MS, pauseMs),
        () -> {
          var unused = turn();
        });
  }

  private void look(KvStore store, long nowMs, List<byte[]> expired) {
    byte[] start = from;
    if (start == null) {
      passStartMs = nowMs;
      oldestMs = nowMs;
      someLeft = false;
    }
    long expiredUpTo = nowMs - ttl.toMillis();
    try (KvScan scan = store.scan()) {
      boolean more = start == null ? scan.next() : scan.seek(start);
      long bytes = 0;
      for (int seen = 0;
          more
              && seen < LOOKED_AT_A_TURN
              && bytes < BYTES_A_TURN
              && expired.size() < REMOVED_A_TURN;
          seen++) {
        byte[] value = scan.value();
        bytes += value.length;
        long modified = RowCodec.modifiedMs(value);
        if (modified <= expiredUpTo) {
          expired.add(scan.key());
        } else {
          oldestMs = Math.min(oldestMs, modified);
        }
        more = scan.next();
      }
      from = more ? scan.key() : null;
    }
    if (from == null) {
      nextPassMs = Math.max(passStartMs + passMs(), oldestMs + ttl.toMillis());
    }
  }

  /** Milliseconds from the beginning of one pass to that of the next, at least. */
  private long passMs() {
    return Math.min(MAX_PASS_MS, Math.max(MIN_PASS_MS, ttl.toMillis() / PASSES_A_LIFE));
  }
}
