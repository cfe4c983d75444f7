package io.sluice.tiering.job;

import io.sluice.tiering.commit.RoundKey;

/**
 * The end of a round, for the coordinator.
 *
 * @param key the round
 * @param result how it ended
 * @param durationMs how long it was at work
 */
record RoundReport(RoundKey key, RoundResult result, long durationMs) {}
