package io.sluice.tablet.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.tablet.replica.AppendCallback;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The batches that one uploaded message puts into one bucket: one after another, in order, each
 * tried again after a pause while its refusal says that this is safe. Closes the batches; tells the
 * outcome exactly once.
 */
final class BucketPuts {
  private static final long MIN_PAUSE_MS = 20;
  private static final long MAX_PAUSE_MS = 1_000;

  /** Learns what became of the batches; runs on any thread and must not block. */
  interface Outcome {
    /** All are stored; the offset of the first row, -1 when not known. */
    void stored(long baseOffset, boolean duplicate, int leaderEpoch);

    /** One was refused for good; those before it are stored. */
    void refused(SluiceException why);
  }

  private final PutContext context;
  private final PutTargets targets;
  private final int bucket;
  private final List<EncodedBatch> batches;
  private final long ackedThrough;
  private final Outcome outcome;
  private final long deadlineNanos;
  private final AtomicBoolean told = new AtomicBoolean();
  private volatile boolean cancelled;
  private volatile @Nullable ScheduledFuture<?> pause;
  // Touched by one attempt at a time: the next begins when the last was answered.
  private int current;
  private long pauseMs = MIN_PAUSE_MS;
  private long firstOffset = -1;
  private boolean onlyDuplicates = true;

  BucketPuts(
      PutContext context,
      PutTargets targets,
      int bucket,
      List<EncodedBatch> batches,
      long ackedThrough,
      Outcome outcome) {
    this.context = context;
    this.targets = targets;
    this.bucket = bucket;
    this.batches = batches;
    this.ackedThrough = ackedThrough;
    this.outcome = outcome;
    this.deadlineNanos = context.clock().nanoTime() + context.settings().putTimeout().toNanos();
  }

  /** Puts the first batch. */
  void start() {
    attempt();
  }

  /** Closes the batches of puts that are not started. */
  void discard() {
    if (told.compareAndSet(false, true)) {
      batches.forEach(EncodedBatch::close);
    }
  }

  /** Stops trying; the batch that is under way is closed by its answer. */
  void cancel() {
    cancelled = true;
    ScheduledFuture<?> waiting = pause;
    if (waiting != null && waiting.cancel(false)) {
      finish(cancelledFailure());
    }
  }

  private void attempt() {
    if (cancelled) {
      finish(cancelledFailure());
      return;
    }
    targets.append(batches.get(current), bucket, ackedThrough, new Attempt());
  }

  private void afterStored(long baseOffset, boolean duplicate, int leaderEpoch) {
    if (current == 0) {
      firstOffset = baseOffset;
    }
    onlyDuplicates &= duplicate;
    batches.get(current).close();
    current++;
    pauseMs = MIN_PAUSE_MS;
    if (current < batches.size()) {
      attempt();
    } else if (told.compareAndSet(false, true)) {
      outcome.stored(firstOffset, onlyDuplicates, leaderEpoch);
    }
  }

  private void afterRefused(SluiceException why) {
    boolean again =
        why.code().retriable() && !cancelled && context.clock().nanoTime() < deadlineNanos;
    if (!again) {
      finish(why);
      return;
    }
    long wait = pauseMs;
    pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2);
    try {
      pause = context.retries().schedule(this::attempt, wait, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException stopping) {
      finish(why);
    }
  }

  private void finish(SluiceException why) {
    if (told.compareAndSet(false, true)) {
      batches.forEach(EncodedBatch::close);
      outcome.refused(why);
    }
  }

  private static SluiceException cancelledFailure() {
    return new SluiceException(ErrorCode.CANCELLED, "The client has cancelled the upload");
  }

  private final class Attempt implements AppendCallback {
    @Override
    public void stored(long baseOffset, boolean duplicate, int leaderEpoch) {
      afterStored(baseOffset, duplicate, leaderEpoch);
    }

    @Override
    public void refused(SluiceException why) {
      afterRefused(why);
    }
  }
}
