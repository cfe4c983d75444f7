package io.sluice.tablet.replica;

import io.sluice.tablet.log.DiskGuard;

/**
 * What the replicas of one server share.
 *
 * @param serverId this server
 * @param fences newest epochs of writers
 * @param disk whether the disk takes writes
 * @param slicer cuts rows off a batch
 * @param kv what primary-key buckets share
 */
record ReplicaContext(
    int serverId, WriterFences fences, DiskGuard disk, BatchSlicer slicer, KvHost kv) {}
