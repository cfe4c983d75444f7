package io.sluice.tablet.log;

import java.util.List;

/**
 * What recovery found in a log's directory.
 *
 * @param segments all segments in order, at least one; the last is the active one
 * @param writers writer state at the end of the log
 * @param epochs leader epochs, saved
 * @param snapshots writer snapshots
 * @param forcedOffset end of what is known to be on disk
 */
record LogState(
    List<LogSegment> segments,
    WriterStates writers,
    LeaderEpochs epochs,
    WriterSnapshots snapshots,
    long forcedOffset) {
  LogState {
    segments = List.copyOf(segments);
  }
}
