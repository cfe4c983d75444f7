package io.sluice.tiering.read;

/**
 * What can be read of a bucket.
 *
 * @param start the first offset that is still there
 * @param stable end of what is visible and forced to disk
 * @param rowBytes estimated stored bytes of a row, at least 1
 */
public record BucketLog(long start, long stable, long rowBytes) {}
