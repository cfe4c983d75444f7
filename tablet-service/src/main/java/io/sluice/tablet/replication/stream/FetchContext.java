package io.sluice.tablet.replication.stream;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.common.TimeSource;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

/**
 * What the sessions of a leader's server share.
 *
 * @param sources the replicas that may be followed
 * @param limits sizes and times
 * @param buffers memory of answers
 * @param readers reads logs
 * @param timer runs what is due later; must not be held up
 */
record FetchContext(
    ReplicationSources sources,
    StreamLimits limits,
    ByteBufAllocator buffers,
    Executor readers,
    ScheduledExecutorService timer,
    TimeSource clock,
    StreamStats stats) {}
