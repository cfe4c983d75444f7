package io.sluice.tablet.replica;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The newest epoch of each writer that this server has heard of, from the coordinator or from the
 * writer itself. Shared by all replicas. Thread-safe.
 */
final class WriterFences {
  private final ConcurrentMap<Long, Integer> newest = new ConcurrentHashMap<>();

  /** Fences every epoch below the given one. Epoch 0 fences nothing. */
  void raise(long writerId, int epoch) {
    if (epoch > 0) {
      newest.merge(writerId, epoch, Math::max);
    }
  }

  /** The coordinator names a writer: its state is never forgotten. */
  void named(WriterEpoch writer) {
    newest.merge(writer.writerId(), writer.epoch(), Math::max);
  }

  /** Whether the writer has a name, as far as this server has heard. */
  boolean isNamed(long writerId) {
    return newest.containsKey(writerId);
  }

  /** The newest epoch heard of, 0 for none. */
  int newest(long writerId) {
    return newest.getOrDefault(writerId, 0);
  }
}
