package io.sluice.lake.sql;

import org.jspecify.annotations.Nullable;

/**
 * A statement to run.
 *
 * @param sql its text
 * @param database where names without a database are looked up, or null
 * @param maxRows the most rows to answer with; null for as many as the service gives
 * @param allowPartial whether the log alone will do while lake-service does not answer
 */
public record SqlRequest(
    String sql, @Nullable String database, @Nullable Integer maxRows, boolean allowPartial) {}
