package io.sluice.tablet.replica;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The newest epoch of each writer that this server has heard of, from the coordinator or from the
 * writer itself. Shared by all replicas. Thread-safe.
 */
final class WriterFences {
  private final ConcurrentMap<Long, Integer> newest = new ConcurrentHashMap<>();

  /** Fences every epoch below the given one. Epoch 0 fences nothing and is not kept. */
  void raise(long writerId, int epoch) {
    if (epoch > 0) {
      newest.merge(writerId, epoch, Math::max);
    }
  }

  /** The newest epoch heard of, 0 for none. */
  int newest(long writerId) {
    return newest.getOrDefault(writerId, 0);
  }
}
