package io.sluice.tablet.kv;

import io.sluice.common.Agent;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Flushes stores before RocksDB must: the one with the largest memtables when all together take 75
 * % of the budget, and any whose changes have waited for the maximal age or hold back more of the
 * changelog than a restart should replay. One flush a pass. One owner's thread.
 */
public final class MemtableFlusher implements Agent {
  private static final double FLUSH_SHARE = 0.75;

  private final KvResources resources;
  private final TimeSource clock;
  private Map<KvStore, Dirty> dirty = new HashMap<>();

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
    } catch (SluiceException e) {
      if (e.code() != ErrorCode.UNAVAILABLE) {
        throw e;
      }
      // Closed meanwhile: there is nothing left to flush.
      return 0;
    }
    return 1;
  }

  private @Nullable KvStore choose(List<KvStore> stores) {
    Map<KvStore, Dirty> seen = new HashMap<>();
    KvStore largest = null;
    KvStore oldest = null;
    long largestBytes = 0;
    long totalBytes = 0;
    for (KvStore store : stores) {
      Dirty state = look(store);
      if (state == null) {
        continue;
      }
      seen.put(store, state);
      long bytes = bytes(store);
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
