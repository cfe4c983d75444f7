package io.sluice.tablet.flight;

import io.sluice.common.TimeSource;
import io.sluice.format.batch.BatchEncoders;
import io.sluice.tablet.lookup.KvMeters;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.arrow.memory.BufferAllocator;

/**
 * What every put stream works with.
 *
 * @param directory tables, replicas and leaders
 * @param settings limits
 * @param budgets unanswered bytes by connection
 * @param allocator memory of uploads
 * @param encoders make batches of uploads
 * @param peers puts into buckets that other servers lead
 * @param retries runs puts that are tried again after a pause; tasks must not block
 * @param calls threads for calls whose messages are decoded or wait for metadata
 * @param work threads for what may take long or block: asking for leaders, cutting puts
 * @param meters counters
 * @param clock clocks
 * @param kvMeters counters of key-value work
 */
record PutContext(
    TableDirectory directory,
    FlightSettings settings,
    ConnectionBudgets budgets,
    BufferAllocator allocator,
    BatchEncoders encoders,
    PeerChannels peers,
    ScheduledExecutorService retries,
    Executor calls,
    Executor work,
    FlightMeters meters,
    TimeSource clock,
    KvMeters kvMeters) {}
