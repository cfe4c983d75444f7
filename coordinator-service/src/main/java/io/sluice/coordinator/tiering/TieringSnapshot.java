package io.sluice.coordinator.tiering;

import java.util.List;
import java.util.SplittableRandom;

/**
 * The queue at one moment, for metrics.
 *
 * @param leading whether this coordinator runs the queue; else it is empty
 * @param status in numbers
 * @param tables every table, by id
 */
public record TieringSnapshot(boolean leading, QueueStatus status, List<TableStatus> tables) {
  public TieringSnapshot {
    tables = List.copyOf(tables);
  }

  static TieringSnapshot notLeading(TieringSettings settings) {
    TieringQueue empty = new TieringQueue(settings, new SplittableRandom(0));
    return new TieringSnapshot(false, empty.status(0), List.of());
  }
}
