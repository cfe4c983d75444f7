package io.sluice.tablet.kv;

import io.sluice.common.Agent;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Flushes stores before RocksDB must: the one with the largest memtables when all together take 75
 * % of the budget, and any whose changes have waited for the maximal age or hold back more of the
 * changelog than a restart should replay. One flush a pass. A store that cannot be flushed is left
 * alone for a while, and the others go on. One owner's thread.
 */
public final class MemtableFlusher implements Agent {
  private static final Logger log = LoggerFactory.getLogger(MemtableFlusher.class);
  private static final double FLUSH_SHARE = 0.75;
  private static final long RETRY_NANOS = 5_000_000_000L;

  private final KvResources resources;
  private final TimeSource clock;
  private Map<KvStore, Dirty> dirty = new HashMap<>();
  // When a store may be tried again; it stays here until it is flushed.
  private final Map<KvStore, Long> failed = new HashMap<>();
  private boolean withoutSpace;

  /**
   * @param flushedOffset applied offset of the last flush
   * @param sinceNanos when changes after it were first seen
   * @param changelogBytes bytes of the changelog then
   */
  private record Dirty(long flushedOffset, long sinceNanos, long changelogBytes) {}

  public MemtableFlusher(KvResources resources, TimeSource clock) {
    this.resources = resources;
    this.clock = clock;
  }

  @Override
  public String name() {
    return "kv-memtable-flusher";
  }

  @Override
  public int doWork() {
    KvStore chosen = choose(resources.stores());
    if (chosen == null) {
      return 0;
    }
    try {
      chosen.flush();
      failed.remove(chosen);
      withoutSpace = false;
    } catch (SluiceException e) {
      if (e.code() == ErrorCode.UNAVAILABLE) {
        // Closed meanwhile: there is nothing left to flush.
        return 0;
      }
      setAside(chosen, e);
    }
    return 1;
  }

  /** Told once of each store until it is flushed, and once of a disk that is full. */
  private void setAside(KvStore store, SluiceException why) {
    boolean known = failed.put(store, clock.nanoTime() + RETRY_NANOS) != null;
    boolean full = why.code() == ErrorCode.DISK_FULL;
    if (full ? !withoutSpace : !known) {
      log.warn("Not flushed, which is tried again: {}", why.getMessage());
    }
    withoutSpace |= full;
  }

  private boolean isAside(KvStore store) {
    Long until = failed.get(store);
    return until != null && clock.nanoTime() - until < 0;
  }

  private @Nullable KvStore choose(List<KvStore> stores) {
    Map<KvStore, Dirty> seen = new HashMap<>();
    KvStore largest = null;
    KvStore oldest = null;
    long largestBytes = 0;
    long totalBytes = 0;
    failed.keySet().retainAll(stores);
    for (KvStore store : stores) {
      if (isAside(store)) {
        Dirty known = dirty.get(store);
        if (known != null) {
          seen.put(store, known);
        }
        continue;
      }
      Dirty state;
      long bytes;
      try {
        state = look(store);
        if (state == null) {
          continue;
        }
        bytes = bytes(store);
      } catch (SluiceException e) {
        setAside(store, e);
        continue;
      }
      seen.put(store, state);
      totalBytes += bytes;
      if (bytes > largestBytes) {
        largestBytes = bytes;
        largest = store;
      }
      if (ageMs(state) >= resources.settings().maxMemtableAgeMs()
          || store.changelogBytes() - state.changelogBytes()
              >= resources.settings().maxReplayBytes()) {
        oldest = store;
      }
    }
    dirty = seen;
    boolean overBudget = totalBytes >= FLUSH_SHARE * resources.settings().memtableBytes();
    return overBudget ? largest : oldest;
  }

  /** Null when everything applied is flushed, or the store has closed. */
  private @Nullable Dirty look(KvStore store) {
    long flushed;
    try {
      flushed = store.flushedAppliedOffset();
    } catch (SluiceException e) {
      if (e.code() == ErrorCode.UNAVAILABLE) {
        return null;
      }
      throw e;
    }
    if (flushed == store.appliedOffset()) {
      return null;
    }
    Dirty known = dirty.get(store);
    return known != null && known.flushedOffset() == flushed
        ? known
        : new Dirty(flushed, clock.nanoTime(), store.changelogBytes());
  }

  /** Bytes of a store's memtables, 0 when it has closed. */
  static long bytes(KvStore store) {
    try {
      return store.memtableBytes();
    } catch (SluiceException e) {
      if (e.code() == ErrorCode.UNAVAILABLE) {
        return 0;
      }
      throw e;
    }
  }

  private long ageMs(Dirty state) {
    return (clock.nanoTime() - state.sinceNanos()) / 1_000_000;
  }
}
