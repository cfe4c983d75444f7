package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.tablet.log.DiskLimits;
import io.sluice.tablet.log.LogConfig;
import java.nio.file.Path;

/**
 * How this tablet keeps its replicas.
 *
 * @param serverId this server, from 1
 * @param dataDirectory where the replicas live; created when missing
 * @param log segment and index sizes
 * @param disk when writes are refused for want of space
 * @param shards threads that append, each for many buckets
 * @param queueBytes bytes of unanswered puts a shard may hold
 * @param recoveryThreads replicas recovered at the same time
 * @param openFiles open segment files that are kept for later use
 * @param forceIntervalMs how often written data is forced to disk
 * @param checkpointIntervalMs how often the recovery points are saved
 * @param retentionIntervalMs how often segments that are too old are looked for
 */
public record TabletStorageConfig(
    int serverId,
    Path dataDirectory,
    LogConfig log,
    DiskLimits disk,
    int shards,
    long queueBytes,
    int recoveryThreads,
    int openFiles,
    long forceIntervalMs,
    long checkpointIntervalMs,
    long retentionIntervalMs) {
  public TabletStorageConfig {
    atLeast("sluice.tablet.id", serverId, 1);
    atLeast("sluice.tablet.storage.shards", shards, 1);
    atLeast("sluice.tablet.storage.queue-bytes", queueBytes, 1 << 20);
    atLeast("sluice.tablet.storage.recovery-threads", recoveryThreads, 1);
    atLeast("sluice.tablet.storage.open-files", openFiles, 1);
    atLeast("sluice.tablet.storage.force-interval", forceIntervalMs, 1);
    atLeast("sluice.tablet.storage.checkpoint-interval", checkpointIntervalMs, 1);
    atLeast("sluice.tablet.storage.retention-interval", retentionIntervalMs, 1);
  }

  private static void atLeast(String name, long value, long minimum) {
    if (value < minimum) {
      throw new SluiceException(
          ErrorCode.INVALID_OPTION, name + " is " + value + "; it must be at least " + minimum);
    }
  }
}
