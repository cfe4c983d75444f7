package io.sluice.tablet.app;

import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * Settings of a tablet.
 *
 * @param id this server in the cluster, from 1; never given to another directory
 * @param host where clients and other servers reach this one
 * @param rack failure domain, for the placement of replicas
 * @param dataDir where the replicas live
 * @param coordinators addresses, {@code host:port} each
 * @param allocatorBytes memory of uploads and of batches that are cut, outside of the heap
 * @param unansweredBytes bytes of puts that one connection may have unanswered
 * @param scanBufferBytes bytes that may wait in a scan's connection before reading pauses
 * @param maxScans scans that may be open at once
 * @param scanThreads threads that read batches
 * @param putTimeout how long batches of plain Arrow are tried again after their first refusal
 * @param metadataTimeout bound of a question to the coordinators
 * @param lookupThreads threads that look keys up
 * @param storage how replicas are kept
 * @param kv limits of the key-value stores of primary-key tables
 */
@Validated
@ConfigurationProperties("sluice.tablet")
record TabletProperties(
    @Min(value = 1, message = "must be at least 1") int id,
    @NotBlank @DefaultValue("127.0.0.1") String host,
    @DefaultValue("") String rack,
    @NotNull(message = "is not set; give the directory where the replicas live") Path dataDir,
    @NotEmpty(message = "is not set; name at least one coordinator as host:port") List<String> coordinators,
    @DefaultValue("256MB") DataSize allocatorBytes,
    @DefaultValue("64MB") DataSize unansweredBytes,
    @DefaultValue("1MB") DataSize scanBufferBytes,
    @DefaultValue("1024") @Min(1) int maxScans,
    @DefaultValue("2") @Min(1) int scanThreads,
    @DefaultValue("10s") Duration putTimeout,
    @DefaultValue("10s") Duration metadataTimeout,
    @DefaultValue("2") @Min(1) int lookupThreads,
    @DefaultValue Storage storage,
    @DefaultValue Kv kv) {

  /**
   * How replicas are kept.
   *
   * @param segmentBytes size at which a segment is sealed
   * @param segmentAge age at which a segment is sealed at the next append
   * @param writerExpiry a writer without a name that stored nothing in a bucket for so long is
   *     forgotten there; must be longer than any client's delivery time-out
   * @param shards threads that append
   * @param queueBytes bytes of unanswered puts a shard may hold
   * @param recoveryThreads replicas recovered at the same time
   * @param openFiles segment files kept open
   * @param forceInterval how often written data is forced to disk
   * @param checkpointInterval how often the recovery points are saved
   * @param retentionInterval how often segments older than {@code table.log.ttl} are looked for
   */
  record Storage(
      @DefaultValue("1GB") DataSize segmentBytes,
      @DefaultValue("7d") Duration segmentAge,
      @DefaultValue("7d") Duration writerExpiry,
      @DefaultValue("2") @Min(1) int shards,
      @DefaultValue("128MB") DataSize queueBytes,
      @DefaultValue("2") @Min(1) int recoveryThreads,
      @DefaultValue("512") @Min(1) int openFiles,
      @DefaultValue("1s") Duration forceInterval,
      @DefaultValue("10s") Duration checkpointInterval,
      @DefaultValue("10s") Duration retentionInterval) {}

  /**
   * Limits of all key-value stores together, where it does not say otherwise.
   *
   * @param blockCacheBytes memory for blocks, filters and indexes, which memtables are charged to
   * @param rowCacheBytes memory for rows read lately; 0 for none
   * @param memtableBytes memtables of all stores
   * @param storeMemtableBytes a memtable of this size is flushed
   * @param openFiles files one store keeps open
   * @param backgroundThreads threads for flushes, and as many for compactions
   * @param flushInterval a store is flushed at the latest this long after a change
   * @param waitingBytes changes of one bucket that may wait for its store
   * @param replayBytes a store is flushed when a restart would replay more of its changelog
   * @param snapshotInterval age of a store's newest snapshot at which another is taken, if anything
   *     has changed
   * @param openThreads stores opened at the same time
   */
  record Kv(
      @DefaultValue("256MB") DataSize blockCacheBytes,
      @DefaultValue("192MB") DataSize rowCacheBytes,
      @DefaultValue("64MB") DataSize memtableBytes,
      @DefaultValue("16MB") DataSize storeMemtableBytes,
      @DefaultValue("256") @Min(1) int openFiles,
      @DefaultValue("2") @Min(1) int backgroundThreads,
      @DefaultValue("10m") Duration flushInterval,
      @DefaultValue("64MB") DataSize waitingBytes,
      @DefaultValue("256MB") DataSize replayBytes,
      @DefaultValue("10m") Duration snapshotInterval,
      @DefaultValue("4") @Min(1) int openThreads) {}
}
