package io.sluice.tablet.log;

import java.util.List;

/**
 * What recovery found in a log's directory.
 *
 * @param segments all segments in order, at least one; the last is the active one
 * @param writers writer state at the end of the log
 * @param start where the log begins, as saved
 * @param lastTimeMs append time of the last batch, 0 when there never was one
 * @param epochs leader epochs, saved
 * @param holes recorded holes
 * @param snapshots writer snapshots
 * @param savedEnd end of what index files and writer snapshots tell
 * @param forcedOffset end of what is known to be on disk
 */
record LogState(
    List<LogSegment> segments,
    WriterStates writers,
    LogStart start,
    long lastTimeMs,
    LeaderEpochs epochs,
    LogHoles holes,
    WriterSnapshots snapshots,
    long savedEnd,
    long forcedOffset) {
  LogState {
    segments = List.copyOf(segments);
  }
}
