package io.sluice.tablet.kv.snapshot;

import io.sluice.common.Agent;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import io.sluice.tablet.kv.KvStore;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Takes a snapshot of each store that has changed since its newest one, when that is old enough;
 * one a pass. After a failure a store waits for a minute. One owner's thread; {@link #add} and
 * {@link #remove} are for everybody.
 */
public final class SnapshotAgent implements Agent {
  private static final Logger log = LoggerFactory.getLogger(SnapshotAgent.class);
  private static final long RETRY_MS = 60_000;

  private final TimeSource time;
  private final long intervalMs;
  private final SnapshotStats stats;
  private final Map<BucketSnapshots, Source> sources = new ConcurrentHashMap<>();
  // Of the owner's thread: the stores whose newest attempt failed, and whether for want of space.
  private final Set<BucketSnapshots> failing = new HashSet<>();
  private boolean withoutSpace;

  /** An open store; a store without a snapshot counts from when it was opened. */
  private record Source(KvStore store, IntSupplier schemaId, long notBeforeMs, long openedMs) {
    Source notBefore(long ms) {
      return new Source(store, schemaId, ms, openedMs);
    }

    long sinceMs(BucketSnapshots snapshots) {
      return snapshots.newestOffset() == BucketSnapshots.NONE ? openedMs : snapshots.newestMs();
    }

    boolean hasChanged(BucketSnapshots snapshots) {
      return store.appliedOffset() > Math.max(0, snapshots.newestOffset());
    }
  }

  public SnapshotAgent(TimeSource time, long intervalMs, SnapshotStats stats) {
    this.time = time;
    this.intervalMs = intervalMs;
    this.stats = stats;
  }

  @Override
  public String name() {
    return "kv-snapshots";
  }

  /**
   * Has a store looked at from now on.
   *
   * @param schemaId newest schema of the table
   */
  public void add(BucketSnapshots snapshots, KvStore store, IntSupplier schemaId) {
    sources.put(snapshots, new Source(store, schemaId, 0, time.epochMs()));
  }

  /** Forgets a store; one of its snapshots may still be being made. */
  public void remove(BucketSnapshots snapshots) {
    sources.remove(snapshots);
  }

  @Override
  public int doWork() {
    long nowMs = time.epochMs();
    for (Map.Entry<BucketSnapshots, Source> each : sources.entrySet()) {
      BucketSnapshots snapshots = each.getKey();
      Source source = each.getValue();
      if (source.hasChanged(snapshots)
          && nowMs >= source.notBeforeMs()
          && nowMs - source.sinceMs(snapshots) >= intervalMs) {
        take(snapshots, source, nowMs);
        return 1;
      }
    }
    return 0;
  }

  private void take(BucketSnapshots snapshots, Source source, long nowMs) {
    try {
      long start = time.nanoTime();
      if (snapshots.take(source.store(), source.schemaId().getAsInt(), nowMs)) {
        log.debug(
            "Snapshot of {} at offset {} in {} ms",
            source.store(),
            snapshots.newestOffset(),
            (time.nanoTime() - start) / 1_000_000);
        failing.remove(snapshots);
        withoutSpace = false;
      }
    } catch (SluiceException e) {
      if (e.code() != ErrorCode.UNAVAILABLE) {
        stats.countFailed();
        log.atLevel(level(snapshots, e)).log("No snapshot for now: {}", e.getMessage());
      }
      sources.computeIfPresent(snapshots, (key, now) -> now.notBefore(nowMs + RETRY_MS));
    }
  }

  /** Warns once of each store until one is made of it, and once of a disk that is full. */
  private Level level(BucketSnapshots snapshots, SluiceException why) {
    failing.retainAll(sources.keySet());
    boolean known = !failing.add(snapshots);
    boolean full = why.code() == ErrorCode.DISK_FULL;
    boolean told = full ? withoutSpace : known;
    withoutSpace |= full;
    return told ? Level.DEBUG : Level.WARN;
  }

  /** How long ago the newest snapshot was made, of the store for which that is longest. */
  public long oldestAgeMs() {
    long nowMs = time.epochMs();
    long oldest = 0;
    for (Map.Entry<BucketSnapshots, Source> each : sources.entrySet()) {
      if (each.getValue().hasChanged(each.getKey())) {
        oldest = Math.max(oldest, nowMs - each.getValue().sinceMs(each.getKey()));
      }
    }
    return oldest;
  }

  /** Bytes of the files of all snapshots; most are files of the stores too. */
  public long bytes() {
    long total = 0;
    for (BucketSnapshots each : sources.keySet()) {
      total += each.bytes();
    }
    return total;
  }
}
