package io.sluice.tablet.replication;

/**
 * Where a follower's log ends, as it says when it fetches.
 *
 * @param leaderEpoch epoch of the leader it follows
 * @param offset its log end
 * @param lastEpoch epoch of its last record, 0 when it has none
 */
public record FetchPosition(int leaderEpoch, long offset, int lastEpoch) {}
