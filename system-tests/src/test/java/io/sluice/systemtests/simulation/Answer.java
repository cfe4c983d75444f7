package io.sluice.systemtests.simulation;

import io.sluice.tablet.log.EpochHistory;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a leader answers a fetch with. */
record Answer(
    long id,
    int leaderEpoch,
    long committed,
    long logStart,
    long logEnd,
    List<Batch> batches,
    EpochHistory.@Nullable End diverges,
    @Nullable Beginning beginning,
    boolean refused) {
  /** How the leader's log begins. */
  record Beginning(long offset, EpochHistory epochs, long[] writers) {}

  static Answer refusal(long id, int leaderEpoch) {
    return new Answer(id, leaderEpoch, 0, 0, 0, List.of(), null, null, true);
  }
}
