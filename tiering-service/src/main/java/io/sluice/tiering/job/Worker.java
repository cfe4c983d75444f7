package io.sluice.tiering.job;

import io.sluice.tiering.commit.RoundKey;
import io.sluice.tiering.job.RoundResult.Dropped;
import io.sluice.tiering.job.RoundResult.Failed;
import io.sluice.tiering.job.RoundResult.Finished;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tables that this worker holds and the threads that work on them. An assignment beyond the
 * slots waits for one: the coordinator may count a slot as free while its round still settles its
 * commit. Thread-safe.
 */
public final class Worker implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
  private static final long STOP_SECONDS = 10;

  private final WorkerParts parts;
  private final RoundExecution execution;
  private final int slots;
  private final ExecutorService threads;
  private final AtomicInteger busy = new AtomicInteger();
  private volatile Runnable onChange = () -> {};

  // Guarded by this.
  private final Map<Long, Round> rounds = new TreeMap<>();
  private List<RoundReport> results = new ArrayList<>();
  private boolean closed;

  /**
   * What the coordinator is told next: the tables held, and the results since it was told last.
   *
   * @param rounds every round that is held
   * @param results ends of rounds, each handed out once
   */
  record Changes(List<RoundStatus> rounds, List<RoundReport> results) {}

  /**
   * @param slots rounds at the same time
   */
  public Worker(WorkerParts parts, int slots) {
    this.parts = parts;
    this.execution = new RoundExecution(parts);
    this.slots = slots;
    AtomicInteger number = new AtomicInteger();
    this.threads =
        Executors.newFixedThreadPool(
            slots,
            task -> {
              Thread thread = new Thread(task, "round-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
  }

  /** Sets who is told, on any thread, that there is something to report. */
  void onChange(Runnable listener) {
    onChange = listener;
  }

  /** Rounds at the same time. */
  public int slots() {
    return slots;
  }

  /** Slots in use. */
  public int busy() {
    return busy.get();
  }

  /** The rounds that are held. */
  public synchronized List<RoundStatus> rounds() {
    List<RoundStatus> all = new ArrayList<>(rounds.size());
    rounds.values().forEach(round -> all.add(round.status()));
    return all;
  }

  /** Takes a table; one with an older epoch of the same table is dropped. */
  void assign(RoundAssignment assignment) {
    Round round;
    synchronized (this) {
      Round held = rounds.get(assignment.tableId());
      if (closed || (held != null && held.key().epoch() >= assignment.epoch())) {
        return;
      }
      if (held != null) {
        held.abort("Epoch " + assignment.epoch() + " of the table was assigned");
      }
      RoundKey key =
          RoundKey.of(
              assignment.tableId(),
              assignment.epoch(),
              // The id only has to differ from those of other attempts at this epoch.
              ThreadLocalRandom.current().nextInt());
      round = new Round(assignment, key, parts.clock(), () -> onChange.run());
      rounds.put(assignment.tableId(), round);
      threads.execute(() -> run(round));
    }
    onChange.run();
  }

  private void run(Round round) {
    busy.incrementAndGet();
    long startNanos = parts.clock().nanoTime();
    RoundResult result;
    try {
      result = execution.run(round);
    } finally {
      busy.decrementAndGet();
    }
    long tookMs = TimeUnit.NANOSECONDS.toMillis(parts.clock().nanoTime() - startNanos);
    log(round, result, tookMs);
    synchronized (this) {
      // A round that is no longer held was fenced: the coordinator expects nothing of it.
      if (rounds.remove(round.key().tableId(), round)) {
        results.add(new RoundReport(round.key(), result, tookMs));
      }
    }
    onChange.run();
  }

  private static void log(Round round, RoundResult result, long tookMs) {
    if (result instanceof Finished finished) {
      if (finished.snapshotId() >= 0) {
        LOG.info(
            "Round {} of {} is in the lake: snapshot {}, {} rows, {} bytes, {} files, {} ms{}",
            round.key().roundId(),
            round.assignment().path(),
            finished.snapshotId(),
            finished.rows(),
            finished.bytes(),
            finished.files(),
            tookMs,
            finished.more() ? ", there is more" : "");
      }
    } else if (result instanceof Failed failed) {
      LOG.warn(
          "Round {} of {} {} after {} ms ({}): {}",
          round.key().roundId(),
          round.assignment().path(),
          failed.superseded() ? "was superseded" : "failed",
          tookMs,
          failed.scope(),
          failed.cause());
    } else if (result instanceof Dropped dropped) {
      LOG.info(
          "Round {} of {} was dropped after {} ms: {}",
          round.key().roundId(),
          round.assignment().path(),
          tookMs,
          dropped.reason());
    }
  }

  /** Drops a table whose epoch is over; nothing more is reported of it. */
  void fence(long tableId, long epoch, String reason) {
    synchronized (this) {
      Round held = rounds.get(tableId);
      if (held == null || held.key().epoch() > epoch) {
        return;
      }
      rounds.remove(tableId);
      held.abort("Fenced by the coordinator: " + reason);
    }
    onChange.run();
  }

  /**
   * Drops every round that is not in its commit; the coordinator is told once it can be reached.
   */
  synchronized void dropUncommitted(String reason) {
    rounds.values().forEach(round -> round.abortUncommitted(reason));
  }

  /** What to report now. */
  synchronized Changes takeChanges() {
    List<RoundReport> taken = results;
    results = new ArrayList<>();
    return new Changes(rounds(), taken);
  }

  /** Drops what is not in its commit, and waits a little for what is. Twice is harmless. */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      rounds.values().forEach(round -> round.abort("The worker stops"));
    }
    threads.shutdown();
    try {
      if (!threads.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn(
            "Rounds {} are still in their commit; the next rounds of their tables settle them",
            rounds().stream().map(RoundStatus::roundId).toList());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
