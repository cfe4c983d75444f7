package io.sluice.client.internal;

import io.sluice.common.TableBucket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** The lookups of one bucket that wait to be sent. Guarded by the lookuper's lock. */
final class BucketLookups {
  /** Requests without an answer; what comes meanwhile waits and goes together. */
  private static final int MAX_REQUESTS = 2;

  private static final int MAX_KEYS = 1024;
  private static final int MAX_KEY_BYTES = 1024 * 1024;

  private final TableBucket bucket;
  private final ArrayDeque<PendingLookup> waiting = new ArrayDeque<>();
  private int unanswered;
  private int failures;
  private long retryAtNanos;

  BucketLookups(TableBucket bucket) {
    this.bucket = bucket;
  }

  TableBucket bucket() {
    return bucket;
  }

  boolean isWaiting() {
    return !waiting.isEmpty();
  }

  /** Whether nothing of it is left to do. */
  boolean isIdle() {
    return waiting.isEmpty() && unanswered == 0;
  }

  void add(PendingLookup lookup) {
    waiting.addLast(lookup);
  }

  /** Whether a request may be sent now. */
  boolean maySend(long now) {
    boolean pausing = failures > 0 && now - retryAtNanos < 0;
    return !waiting.isEmpty() && unanswered < MAX_REQUESTS && !pausing;
  }

  /** What the next request asks for; it is then without an answer. */
  List<PendingLookup> takeForRequest() {
    List<PendingLookup> taken = new ArrayList<>(Math.min(waiting.size(), MAX_KEYS));
    long bytes = 0;
    while (!waiting.isEmpty() && taken.size() < MAX_KEYS && bytes < MAX_KEY_BYTES) {
      PendingLookup next = waiting.removeFirst();
      bytes += next.key().length;
      taken.add(next);
    }
    unanswered++;
    return taken;
  }

  /** A request was answered with rows. */
  void answered() {
    unanswered--;
    failures = 0;
  }

  /** A request failed for good. */
  void refused() {
    unanswered--;
  }

  /** A request failed; what it asked for waits again, in front, for a pause. */
  void retry(List<PendingLookup> lookups, long now) {
    unanswered--;
    failures++;
    retryAtNanos = now + Backoff.pauseNanos(failures);
    for (int i = lookups.size() - 1; i >= 0; i--) {
      waiting.addFirst(lookups.get(i));
    }
  }

  /** Removes the lookups whose time is up. */
  List<PendingLookup> takeOverdue(long now) {
    List<PendingLookup> overdue = new ArrayList<>();
    for (Iterator<PendingLookup> all = waiting.iterator(); all.hasNext(); ) {
      PendingLookup next = all.next();
      if (next.isOverdue(now)) {
        all.remove();
        overdue.add(next);
      }
    }
    if (waiting.isEmpty() && unanswered == 0) {
      // The pause was theirs: the next lookup has its first try at once.
      failures = 0;
    }
    return overdue;
  }

  /** Removes all that wait. */
  List<PendingLookup> takeAll() {
    List<PendingLookup> all = new ArrayList<>(waiting);
    waiting.clear();
    return all;
  }
}
