package io.sluice.tablet.log;

import java.util.function.LongPredicate;

/**
 * What the logs of one data directory share.
 *
 * @param platform clocks and files
 * @param files open segment files
 * @param config sizes
 * @param clusterId cluster the data belongs to
 * @param namedWriters whether a writer has a name, so that it is never forgotten; asked by the
 *     owner of a log
 */
public record LogContext(
    StoragePlatform platform,
    OpenFiles files,
    LogConfig config,
    String clusterId,
    LongPredicate namedWriters) {}
