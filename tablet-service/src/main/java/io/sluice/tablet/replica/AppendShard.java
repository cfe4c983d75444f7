package io.sluice.tablet.replica;

import io.sluice.common.Agent;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.Uninterruptibly;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that appends to the logs of many buckets. Takes everything queued per wake-up and
 * tells the listeners of a replica once for all of it. The queue is bounded in bytes.
 */
final class AppendShard implements Agent {
  private static final Logger log = LoggerFactory.getLogger(AppendShard.class);
  private static final int MAX_TASKS = 1024;
  private static final long IDLE_WAIT_MS = 500;

  private final String name;
  private final long queueBytes;
  private final LinkedBlockingQueue<ShardTask> queue = new LinkedBlockingQueue<>();
  private final AtomicLong queued = new AtomicLong();
  private final Thread thread;
  // Of the shard's thread.
  private final List<ShardTask> batch = new ArrayList<>();
  private final List<ReplicaNews> changed = new ArrayList<>();
  private volatile boolean stopping;
  private volatile boolean stopped;

  /**
   * @param queueBytes bytes of unanswered puts above which others are refused
   */
  AppendShard(int number, long queueBytes) {
    this.name = "append-shard-" + number;
    this.queueBytes = queueBytes;
    this.thread = new Thread(this::loop, name);
    this.thread.setDaemon(true);
  }

  AppendShard start() {
    thread.start();
    return this;
  }

  @Override
  public String name() {
    return name;
  }

  /**
   * Queues work. A put is refused with BACKPRESSURE when the shard holds too many bytes; one put
   * alone always fits. The bytes count until {@link #release}.
   */
  void submit(ShardTask task) {
    int bytes = task.bytes();
    if (bytes > 0) {
      long total = queued.addAndGet(bytes);
      if (total > queueBytes && total > bytes) {
        queued.addAndGet(-bytes);
        throw new SluiceException(
            ErrorCode.BACKPRESSURE,
            "This server holds "
                + (total - bytes)
                + " bytes of unanswered puts in one of its shards; the limit is "
                + queueBytes);
      }
    }
    queue.add(task);
    if (stopped && queue.remove(task)) {
      task.abandon(stoppedFailure());
    }
  }

  /** Gives back the bytes of a put that is answered. */
  void release(int bytes) {
    queued.addAndGet(-bytes);
  }

  /** Bytes of unanswered puts. */
  long queuedBytes() {
    return queued.get();
  }

  boolean isCurrentThread() {
    return Thread.currentThread() == thread;
  }

  /** Has a replica's listeners told when all that is queued now is done. Shard's thread only. */
  void tellLater(ReplicaNews news) {
    changed.add(news);
  }

  private void loop() {
    while (!stopping || !queue.isEmpty()) {
      try {
        ShardTask first = queue.poll(IDLE_WAIT_MS, TimeUnit.MILLISECONDS);
        work(first);
      } catch (InterruptedException e) {
        log.warn("{} was interrupted and goes on; close() ends it", name, e);
      } catch (RuntimeException | Error e) {
        log.error("{} failed and goes on with what comes next", name, e);
      }
    }
    stopped = true;
    for (ShardTask task = queue.poll(); task != null; task = queue.poll()) {
      abandon(task, stoppedFailure());
    }
  }

  @Override
  public int doWork() {
    return work(queue.poll());
  }

  private int work(@Nullable ShardTask first) {
    if (first == null) {
      return 0;
    }
    try {
      batch.add(first);
      queue.drainTo(batch, MAX_TASKS - 1);
      int done = batch.size();
      for (int i = 0; i < done; i++) {
        run(batch.get(i));
      }
      for (int i = 0; i < changed.size(); i++) {
        tell(changed.get(i));
      }
      return done;
    } finally {
      batch.clear();
      changed.clear();
    }
  }

  private void run(ShardTask task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      // One bad put must not end the thread that serves many buckets.
      log.error("{} failed on a task", name, e);
      abandon(task, new SluiceException(ErrorCode.INTERNAL, "The server failed on a put: " + e, e));
    }
  }

  private void abandon(ShardTask task, SluiceException why) {
    try {
      task.abandon(why);
    } catch (RuntimeException | Error e) {
      log.error("{} could not tell that it failed on a task", name, e);
    }
  }

  private void tell(ReplicaNews news) {
    try {
      news.tell();
    } catch (RuntimeException | Error e) {
      log.error("{} could not tell what has changed in a bucket", name, e);
    }
  }

  private static SluiceException stoppedFailure() {
    return new SluiceException(ErrorCode.UNAVAILABLE, "This tablet server is stopping");
  }

  /** Finishes what is queued and ends the thread. */
  @Override
  public void close() {
    stopping = true;
    // Wakes the thread, so that it sees it.
    ControlTask.queue(this, () -> {});
    Uninterruptibly.run(thread::join);
  }
}
