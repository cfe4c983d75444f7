package io.sluice.tablet.log;

/**
 * What the logs of one data directory share.
 *
 * @param platform clocks and files
 * @param files open segment files
 * @param config sizes
 * @param clusterId cluster the data belongs to
 */
public record LogContext(
    StoragePlatform platform, OpenFiles files, LogConfig config, String clusterId) {}
