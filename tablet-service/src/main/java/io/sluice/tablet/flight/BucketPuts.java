package io.sluice.tablet.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.tablet.replica.AppendCallback;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The batches that one uploaded message puts into one bucket: one after another, in order, each
 * tried again after a pause while its refusal says that this is safe, and in two halves when the
 * changes it makes are too large for one. Closes the batches; tells the outcome exactly once.
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
  private final TableBucket bucket;
  private final BatchCutter cutter;
  private final long ackedThrough;
  private final Outcome outcome;
  private final AtomicBoolean told = new AtomicBoolean();
  private volatile boolean cancelled;
  // Whether nobody has the first batch until a pause ends: who takes this away goes on.
  private final AtomicBoolean pausing = new AtomicBoolean();
  private volatile @Nullable ScheduledFuture<?> pause;
  // Touched by one attempt at a time: the next begins when the last was answered.
  private final Deque<PutPart> parts;
  private boolean begun;
  private long pauseMs = MIN_PAUSE_MS;
  // When the first batch was first refused; none while it was not.
  private boolean refused;
  private long refusedNanos;
  private long firstOffset = -1;
  private boolean onlyDuplicates = true;

  BucketPuts(
      PutContext context,
      PutTargets targets,
      TableBucket bucket,
      BatchCutter cutter,
      List<PutPart> parts,
      long ackedThrough,
      Outcome outcome) {
    this.context = context;
    this.targets = targets;
    this.bucket = bucket;
    this.cutter = cutter;
    this.parts = new ArrayDeque<>(parts);
    this.ackedThrough = ackedThrough;
    this.outcome = outcome;
  }

  /** Puts the first batch. */
  void start() {
    attempt();
  }

  /** Closes the batches of puts that are not started. */
  void discard() {
    if (told.compareAndSet(false, true)) {
      parts.forEach(PutPart::close);
    }
  }

  /** Stops trying; the batch that is under way is closed by its answer. */
  void cancel() {
    cancelled = true;
    ScheduledFuture<?> timer = pause;
    if (timer != null) {
      timer.cancel(false);
    }
    if (pausing.compareAndSet(true, false)) {
      finish(cancelledFailure());
    }
  }

  private void attempt() {
    if (cancelled) {
      finish(cancelledFailure());
    } else if (targets.mustAsk(bucket)) {
      work(
          () -> {
            targets.ask(bucket);
            put();
          });
    } else {
      put();
    }
  }

  private void put() {
    targets.append(parts.getFirst().batch(), bucket, ackedThrough, new Attempt());
  }

  private void afterStored(long baseOffset, boolean duplicate, int leaderEpoch) {
    if (!begun) {
      firstOffset = baseOffset;
      begun = true;
    }
    onlyDuplicates &= duplicate;
    parts.removeFirst().close();
    pauseMs = MIN_PAUSE_MS;
    refused = false;
    if (!parts.isEmpty()) {
      attempt();
    } else if (told.compareAndSet(false, true)) {
      outcome.stored(firstOffset, onlyDuplicates, leaderEpoch);
    }
  }

  private void afterRefused(SluiceException why) {
    if (why.code() == ErrorCode.PUT_TOO_LARGE && parts.getFirst().rows() > 1) {
      work(this::halve);
      return;
    }
    if (!why.code().retriable() || cancelled || isTriedForLong()) {
      finish(why);
      return;
    }
    long wait = pauseMs;
    pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2);
    pausing.set(true);
    try {
      pause = context.retries().schedule(this::goOn, wait, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException stopping) {
      if (pausing.compareAndSet(true, false)) {
        finish(why);
      }
    }
  }

  /** After a pause; a timer that runs already cannot be cancelled. */
  private void goOn() {
    if (pausing.compareAndSet(true, false)) {
      attempt();
    }
  }

  /** Counted from the first refusal: a tablet that is silent may take longer than that alone. */
  private boolean isTriedForLong() {
    long now = context.clock().nanoTime();
    if (!refused) {
      refused = true;
      refusedNanos = now;
    }
    return now - refusedNanos >= context.settings().putTimeout().toNanos();
  }

  private void halve() {
    PutPart whole = parts.getFirst();
    List<PutPart> halves = cutter.halves(whole);
    parts.removeFirst().close();
    parts.addFirst(halves.get(1));
    parts.addFirst(halves.get(0));
    attempt();
  }

  /** Goes on with what may take long, on a thread that may. */
  private void work(Runnable task) {
    try {
      context
          .work()
          .execute(
              () -> {
                try {
                  task.run();
                } catch (RuntimeException e) {
                  finish(Refusals.of(e));
                }
              });
    } catch (RejectedExecutionException stopping) {
      finish(PutHandler.stopping());
    }
  }

  private void finish(SluiceException why) {
    if (told.compareAndSet(false, true)) {
      parts.forEach(PutPart::close);
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
