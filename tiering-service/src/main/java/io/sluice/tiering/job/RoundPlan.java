package io.sluice.tiering.job;

import java.util.Map;

/**
 * What a round reads, frozen before it reads anything. Buckets without new rows are left out.
 *
 * @param starts recorded offset by bucket
 * @param ends offset after the last row to read, of the same buckets, above the start
 * @param more whether there is more to read than the plan takes
 */
public record RoundPlan(Map<Integer, Long> starts, Map<Integer, Long> ends, boolean more) {
  public RoundPlan {
    starts = Map.copyOf(starts);
    ends = Map.copyOf(ends);
  }

  /** Whether there is nothing new. */
  public boolean isEmpty() {
    return starts.isEmpty();
  }
}
