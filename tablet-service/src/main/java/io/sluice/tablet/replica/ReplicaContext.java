package io.sluice.tablet.replica;

import io.sluice.common.TimeSource;
import io.sluice.tablet.log.DiskGuard;

/**
 * What the replicas of one server share.
 *
 * @param serverId this server
 * @param time its clocks
 * @param fences newest epochs of writers
 * @param disk whether the disk takes writes
 * @param slicer cuts rows off a batch
 * @param kv what primary-key buckets share
 * @param replication the servers around this one
 * @param counters what became of replication
 */
record ReplicaContext(
    int serverId,
    TimeSource time,
    WriterFences fences,
    DiskGuard disk,
    BatchSlicer slicer,
    KvHost kv,
    ReplicationContext replication,
    ReplicationCounters counters) {}
