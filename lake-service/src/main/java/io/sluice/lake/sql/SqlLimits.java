package io.sluice.lake.sql;

import java.time.Duration;

/**
 * Limits of the gateway.
 *
 * @param maxConcurrent statements that run at the same time
 * @param timeout how long one may run
 * @param maxRows the most rows that an answer has
 */
public record SqlLimits(int maxConcurrent, Duration timeout, int maxRows) {}
