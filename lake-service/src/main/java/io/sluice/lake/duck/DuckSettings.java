package io.sluice.lake.duck;

import java.nio.file.Path;

/**
 * What one query may use.
 *
 * @param memoryBytes memory of the engine
 * @param threads threads of the engine
 * @param spillDirectory where it spills to; one directory for all queries, each has its own below
 * @param spillBytes the most it may spill
 */
public record DuckSettings(long memoryBytes, int threads, Path spillDirectory, long spillBytes) {}
