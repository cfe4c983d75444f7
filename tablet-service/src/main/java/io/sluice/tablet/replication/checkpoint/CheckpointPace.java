package io.sluice.tablet.replication.checkpoint;

/** Bounds the bytes a second that are fetched by replicas that catch up. Thread-safe. */
@FunctionalInterface
public interface CheckpointPace {
  /** As fast as they come. */
  CheckpointPace UNLIMITED = bytes -> {};

  /** So many bytes have come: returns when more may. */
  void taken(long bytes) throws InterruptedException;
}
