package io.sluice.tablet.replication.stream;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The buckets of a session that have something to tell, each once, in the order in which they are
 * told: so each gets its turn. Guarded by the session.
 */
final class NewsQueue {
  private final ArrayDeque<FetchedBucket> queue = new ArrayDeque<>();
  private int urgent;

  /**
   * Queues a bucket, unless it waits already.
   *
   * @param isUrgent whether it has more to tell than can wait for a moment
   */
  void add(FetchedBucket bucket, boolean isUrgent) {
    if (isUrgent && !bucket.urgent) {
      bucket.urgent = true;
      urgent++;
    }
    if (!bucket.queued) {
      bucket.queued = true;
      queue.add(bucket);
    }
  }

  /** The next one, null when there is none. */
  @Nullable FetchedBucket poll() {
    FetchedBucket next = queue.poll();
    if (next != null) {
      next.queued = false;
      if (next.urgent) {
        next.urgent = false;
        urgent--;
      }
    }
    return next;
  }

  boolean isEmpty() {
    return queue.isEmpty();
  }

  /** Whether one of them has something that does not wait. */
  boolean isUrgent() {
    return urgent > 0;
  }

  void clear() {
    queue.clear();
    urgent = 0;
  }
}
