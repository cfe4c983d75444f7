package io.sluice.tablet.replica;

import io.sluice.common.Agent;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import io.sluice.tablet.log.DiskGuard;
import io.sluice.tablet.log.Trimmed;
import java.util.Collection;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the segments that have outlived their table's time-to-live, all replicas every interval,
 * with one log line for a run that deleted something. A run ends early when it takes long, and the
 * next call goes on: the housekeeper's thread, which runs it, has logs to force meanwhile. The
 * totals are for everybody.
 */
public final class RetentionAgent implements Agent {
  private static final Logger log = LoggerFactory.getLogger(RetentionAgent.class);
  private static final int NAMED_IN_LOG = 5;
  private static final long RUN_NANOS = 250_000_000;

  private final TimeSource time;
  private final DiskGuard disk;
  private final long intervalNanos;
  private final Supplier<Collection<LocalReplica>> replicas;
  private final AtomicLong segments = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private long lastRun;

  RetentionAgent(
      TimeSource time,
      DiskGuard disk,
      long intervalMs,
      Supplier<Collection<LocalReplica>> replicas) {
    this.time = time;
    this.disk = disk;
    this.intervalNanos = intervalMs * 1_000_000;
    this.replicas = replicas;
    this.lastRun = time.nanoTime();
  }

  @Override
  public String name() {
    return "retention";
  }

  @Override
  public int doWork() {
    long now = time.nanoTime();
    if (now - lastRun < intervalNanos) {
      return 0;
    }
    return run(now);
  }

  /** One run over the replicas; returns the segments deleted. */
  private int run(long startNanos) {
    long nowMs = time.epochMs();
    int runSegments = 0;
    long runBytes = 0;
    int trimmedLogs = 0;
    StringBuilder names = new StringBuilder();
    Iterator<LocalReplica> all = replicas.get().iterator();
    while (all.hasNext() && time.nanoTime() - startNanos < RUN_NANOS) {
      LocalReplica replica = all.next();
      Trimmed trimmed = trim(replica, nowMs);
      if (trimmed != null) {
        runSegments += trimmed.segments();
        runBytes += trimmed.bytes();
        if (trimmedLogs++ < NAMED_IN_LOG) {
          names.append(names.isEmpty() ? "" : ", ").append(replica.displayName());
          names.append(" begins at ").append(trimmed.start());
        }
      }
    }
    if (!all.hasNext()) {
      lastRun = startNanos;
    }
    if (trimmedLogs > 0) {
      segments.addAndGet(runSegments);
      bytes.addAndGet(runBytes);
      log.info(
          "Retention deleted {} segments, {} bytes, of {} logs: {}{}",
          runSegments,
          runBytes,
          trimmedLogs,
          names,
          trimmedLogs > NAMED_IN_LOG ? ", ..." : "");
    }
    return runSegments;
  }

  private @Nullable Trimmed trim(LocalReplica replica, long nowMs) {
    if (replica.gone() || replica.offlineReason() != null) {
      return null;
    }
    try {
      return replica.retention().trim(nowMs);
    } catch (SluiceException e) {
      if (!replica.gone()) {
        log.warn("Old segments of {} stay for now: {}", replica.displayName(), e.getMessage());
      }
      if (e.code() == ErrorCode.DISK_FULL) {
        disk.foundNoSpace();
      }
      return null;
    }
  }

  /** Segments deleted since the start. */
  public long deletedSegments() {
    return segments.get();
  }

  /** Their bytes. */
  public long deletedBytes() {
    return bytes.get();
  }
}
