package io.sluice.tablet.log;

/**
 * What one deletion of old segments took from a log.
 *
 * @param segments segments that are gone
 * @param bytes their size
 * @param start first offset of the log now
 */
public record Trimmed(int segments, long bytes, long start) {}
