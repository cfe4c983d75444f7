package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Work on a shard's thread that somebody may wait for.
 *
 * @param <T> what it finds out
 */
final class ControlTask<T> implements ShardTask {
  private static final long WAIT_S = 60;

  private final Supplier<T> work;
  private final CompletableFuture<T> result = new CompletableFuture<>();

  private ControlTask(Supplier<T> work) {
    this.work = work;
  }

  /** Queues the work. */
  static void queue(AppendShard shard, Runnable work) {
    shard.submit(
        new ControlTask<Boolean>(
            () -> {
              work.run();
              return true;
            }));
  }

  /** Does the work on the shard's thread and waits for what it finds out. */
  static <T> T call(AppendShard shard, Supplier<T> work) {
    if (shard.isCurrentThread()) {
      return work.get();
    }
    ControlTask<T> task = new ControlTask<>(work);
    shard.submit(task);
    return task.await(shard.name());
  }

  private T await(String shardName) {
    try {
      return result.get(WAIT_S, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SluiceException failure) {
        throw failure;
      }
      throw new SluiceException(ErrorCode.INTERNAL, "The server failed: " + e.getCause(), e);
    } catch (TimeoutException e) {
      throw new SluiceException(
          ErrorCode.TIMEOUT,
          shardName
              + " did not answer within "
              + WAIT_S
              + " s; it waits for the disk or for a put, see what its thread does",
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SluiceException(
          ErrorCode.CANCELLED, "Interrupted while waiting for " + shardName, e);
    }
  }

  @Override
  public int bytes() {
    return 0;
  }

  @Override
  public void run() {
    try {
      result.complete(work.get());
    } catch (SluiceException e) {
      result.completeExceptionally(e);
    }
  }

  @Override
  public void abandon(SluiceException why) {
    result.completeExceptionally(why);
  }
}
