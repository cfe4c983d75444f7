package io.sluice.client.internal;

import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** The lookups of one bucket that wait to be sent. Guarded by the pipeline's lock. */
final class BucketLookups {
  /** Requests without an answer; what comes meanwhile waits and goes together. */
  private static final int MAX_REQUESTS = 2;

  private static final int MAX_KEYS = 1024;
  private static final int MAX_KEY_BYTES = 1024 * 1024;

  /** Requests in a row whose rows fitted, after which requests may grow again. */
  private static final int FITTING_REQUESTS = 64;

  private final TableBucket bucket;
  private final ArrayDeque<PendingLookup> waiting = new ArrayDeque<>();
  private int unanswered;
  private int failures;
  private long retryAtNanos;
  private boolean mayGoAtOnce;
  private int maxKeys = MAX_KEYS;
  private int fitting;

  BucketLookups(TableBucket bucket) {
    this.bucket = bucket;
  }

  TableBucket bucket() {
    return bucket;
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
    boolean pausing = failures > 0 && !mayGoAtOnce && now - retryAtNanos < 0;
    return !waiting.isEmpty() && unanswered < MAX_REQUESTS && !pausing;
  }

  /** What the next request asks for, all with one limit; it is then without an answer. */
  List<PendingLookup> takeForRequest() {
    List<PendingLookup> taken = new ArrayList<>(Math.min(waiting.size(), maxKeys));
    long bytes = 0;
    int limit = 0;
    while (!waiting.isEmpty() && taken.size() < maxKeys && bytes < MAX_KEY_BYTES) {
      PendingLookup next = waiting.element();
      if (taken.isEmpty()) {
        limit = next.limit();
      } else if (next.limit() != limit) {
        break;
      }
      waiting.remove();
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
    if (maxKeys < MAX_KEYS && ++fitting >= FITTING_REQUESTS) {
      maxKeys *= 2;
      fitting = 0;
    }
  }

  /** A request failed for good. */
  void refused() {
    unanswered--;
  }

  /** The rows of a request of several keys did not fit an answer: they go again, fewer at once. */
  void split(List<PendingLookup> lookups) {
    unanswered--;
    fitting = 0;
    maxKeys = Math.max(1, Math.min(maxKeys, lookups.size() / 2));
    putBack(lookups);
  }

  /** A request failed; what it asked for waits again, in front, for a pause. */
  void retry(List<PendingLookup> lookups, SluiceException why, long now) {
    unanswered--;
    failures++;
    retryAtNanos = now + Backoff.pauseNanos(failures, why);
    mayGoAtOnce = false;
    putBack(lookups);
  }

  /** What a request asked for waits again, in front: another server leads the bucket now. */
  void redirect(List<PendingLookup> lookups) {
    unanswered--;
    failures++;
    mayGoAtOnce = true;
    putBack(lookups);
  }

  /** Failures in a row. */
  int failures() {
    return failures;
  }

  private void putBack(List<PendingLookup> lookups) {
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
