package io.sluice.client;

/**
 * Where an appended row was stored.
 *
 * @param bucket the bucket
 * @param offset its offset, -1 when it is not known because an earlier attempt had stored it
 * @param duplicate whether an earlier attempt had stored it
 */
public record AppendResult(int bucket, long offset, boolean duplicate) {}
