package io.sluice.client;

/**
 * Where a written row was stored.
 *
 * @param bucket the bucket
 * @param offset its offset, -1 when it is not known: an earlier attempt had stored it, or it was
 *     upserted or deleted, which the server turns into changelog records
 * @param duplicate whether an earlier attempt had stored it
 */
public record AppendResult(int bucket, long offset, boolean duplicate) {}
