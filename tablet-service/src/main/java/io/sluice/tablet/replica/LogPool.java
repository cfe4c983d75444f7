package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.Uninterruptibly;
import io.sluice.tablet.log.BucketLog;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does the same to many logs, several at a time: most of it is waiting for the disk, and a disk
 * forces many files in about the time of one. What has begun is never interrupted: that would close
 * the file it works on.
 */
final class LogPool {
  private static final Logger log = LoggerFactory.getLogger(LogPool.class);

  private final int threads;
  private final ThreadFactory factory;

  LogPool(int threads) {
    this(threads, Executors.defaultThreadFactory());
  }

  LogPool(int threads, ThreadFactory factory) {
    this.threads = threads;
    this.factory = factory;
  }

  /**
   * What became of each log.
   *
   * @param logs those that it was done to
   * @param failed the others, with the reason
   * @param withoutSpace those of the others for which the disk had no space
   */
  record Outcome(
      Map<TableBucket, BucketLog> logs,
      Map<TableBucket, String> failed,
      Set<TableBucket> withoutSpace) {
    /** All failed for want of space. */
    static Outcome withoutSpace(Collection<TableBucket> buckets, String why) {
      return new Outcome(
          Map.of(),
          buckets.stream().collect(Collectors.toMap(Function.identity(), any -> why)),
          Set.copyOf(buckets));
    }
  }

  /** What is done to one log. */
  interface Work {
    BucketLog run(TableBucket bucket);
  }

  /**
   * Does the work for all buckets, on threads of its own, and on the caller's when the system has
   * no more of them. One that fails does not keep the others back. Returns when all is done, even
   * if the caller is interrupted meanwhile.
   */
  Outcome run(String what, Iterable<TableBucket> buckets, Work work) {
    Queue<TableBucket> waiting = new ConcurrentLinkedQueue<>();
    buckets.forEach(waiting::add);
    Outcome outcome =
        new Outcome(
            new ConcurrentHashMap<>(), new ConcurrentHashMap<>(), ConcurrentHashMap.newKeySet());
    int wanted = Math.min(threads, waiting.size());
    List<Thread> started = start(wanted, () -> drain(what, waiting, work, outcome));
    if (started.size() < wanted) {
      drain(what, waiting, work, outcome);
    }
    started.forEach(each -> Uninterruptibly.run(each::join));
    return outcome;
  }

  private List<Thread> start(int wanted, Runnable work) {
    List<Thread> started = new ArrayList<>(wanted);
    try {
      while (started.size() < wanted) {
        Thread next = factory.newThread(work);
        next.start();
        started.add(next);
      }
    } catch (OutOfMemoryError e) {
      log.warn("Only {} of {} threads can be started: {}", started.size(), wanted, e.getMessage());
    }
    return started;
  }

  private static void drain(String what, Queue<TableBucket> waiting, Work work, Outcome outcome) {
    for (TableBucket next = waiting.poll(); next != null; next = waiting.poll()) {
      run(what, next, work, outcome);
    }
  }

  private static void run(String what, TableBucket bucket, Work work, Outcome outcome) {
    try {
      outcome.logs().put(bucket, work.run(bucket));
    } catch (SluiceException e) {
      outcome.failed().put(bucket, String.valueOf(e.getMessage()));
      if (e.code() == ErrorCode.DISK_FULL) {
        outcome.withoutSpace().add(bucket);
      }
      log.error("{} failed for {}: {}", what, bucket, e.getMessage());
    } catch (RuntimeException | Error e) {
      outcome.failed().put(bucket, String.valueOf(e));
      log.error("{} failed for {}", what, bucket, e);
    }
  }
}
