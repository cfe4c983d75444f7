package io.sluice.tablet.replica;

/**
 * The newest epoch of a named writer; puts under a lower one are refused.
 *
 * @param writerId the writer
 * @param epoch its newest epoch
 */
public record WriterEpoch(long writerId, int epoch) {}
