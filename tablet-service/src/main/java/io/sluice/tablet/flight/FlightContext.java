package io.sluice.tablet.flight;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.common.TimeSource;
import io.sluice.tablet.coordinator.AppliedSignal;
import io.sluice.tablet.coordinator.Metadata;
import io.sluice.tablet.lookup.RowLookups;
import io.sluice.tablet.replica.Replicas;
import java.util.function.Supplier;
import org.apache.arrow.memory.BufferAllocator;

/**
 * What the Flight service works with.
 *
 * @param settings limits
 * @param replicas tables and replicas of this server
 * @param lookups reads of rows by key; outlives the service
 * @param metadata the coordinator's metadata
 * @param applied raised whenever assigned state was applied
 * @param allocator pays for uploads and for batches that are cut; outlives the service
 * @param scanBuffers direct memory of the batches that scans send
 * @param meters counters
 * @param clusterId tells the cluster's id, empty before it is known
 * @param clock clocks
 */
public record FlightContext(
    FlightSettings settings,
    Replicas replicas,
    RowLookups lookups,
    Metadata metadata,
    AppliedSignal applied,
    BufferAllocator allocator,
    ByteBufAllocator scanBuffers,
    FlightMeters meters,
    Supplier<String> clusterId,
    TimeSource clock) {}
