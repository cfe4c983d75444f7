package io.sluice.coordinator.app;

import io.sluice.coordinator.metadata.Event;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.MetadataLog;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Counts what the applied commands did to replicas. Read by any thread. */
final class ReplicationCounts implements MetadataLog.Listener {
  private final LongAdder elections = new LongAdder();
  private final LongAdder shrinks = new LongAdder();
  private final LongAdder expansions = new LongAdder();
  private final LongAdder moves = new LongAdder();
  private final LongAdder uncleanElections = new LongAdder();

  /** Buckets that were given a leader or a new epoch. */
  long elections() {
    return elections.sum();
  }

  /** In-sync sets that lost replicas. */
  long shrinks() {
    return shrinks.sum();
  }

  /** In-sync sets that gained replicas. */
  long expansions() {
    return expansions.sum();
  }

  /** Moves that came to their end. */
  long moves() {
    return moves.sum();
  }

  /** Leaders elected by an explicit call. */
  long uncleanElections() {
    return uncleanElections.sum();
  }

  @Override
  public void applied(MetadataImage image, List<Event> events) {
    for (Event event : events) {
      if (event instanceof Event.ReplicationChanged changed) {
        elections.add(changed.elections());
        shrinks.add(changed.shrinks());
        expansions.add(changed.expansions());
        moves.add(changed.moves());
      } else if (event instanceof Event.UncleanElection) {
        uncleanElections.increment();
      }
    }
  }

  @Override
  public void leading() {
    // Who leads makes no difference to what is applied.
  }

  @Override
  public void following() {
    // As above.
  }

  @Override
  public void replaced(MetadataImage image) {
    // What led to a snapshot is not known.
  }
}
