package io.sluice.coordinator.balance;

import io.sluice.common.Agent;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TimeSource;
import io.sluice.coordinator.metadata.Bucket;
import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.Event;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.MetadataLog;
import io.sluice.coordinator.metadata.Outcome;
import io.sluice.coordinator.metadata.Table;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries a plan out while this coordinator leads: a few buckets at a time, so that copies do not
 * crowd out writes (the bytes a second are bounded by each tablet). When a bucket has arrived its
 * preferred leader is elected. What is under way is in the metadata and goes on after a change of
 * the coordinator's leader; the rest of the plan is forgotten then, which the progress of the next
 * leader tells, and is planned anew by whoever asks. Thread-safe.
 */
public final class Balancer implements MetadataLog.Listener, Agent {
  private static final Logger LOG = LoggerFactory.getLogger(Balancer.class);
  private static final long LOOK_NANOS = 500_000_000;

  private final MetadataLog log;
  private final TimeSource time;
  private final int concurrency;
  private final ArrayDeque<BalancePlanner.Step> waiting = new ArrayDeque<>();
  private final Map<TableBucket, BalancePlanner.Step> moving = new LinkedHashMap<>();
  private State state = State.IDLE;
  private int total;
  private int done;
  private int failed;
  private String lastFailure = "";
  private long startedMs;
  private long leadsSinceMs;

  /** Grows with every plan, so that an answer that belongs to an older one is known. */
  private int number;

  private long lookedNanos = Long.MIN_VALUE / 2;
  private boolean asking;
  private volatile boolean leading;
  private volatile Runnable wake = () -> {};

  /** Where a plan is. */
  public enum State {
    /** None was begun since this coordinator leads. One from before ended with its leader. */
    IDLE,
    /** It is being carried out. */
    RUNNING,
    /** All of it is done or has failed. */
    FINISHED,
    /** It was given up. */
    CANCELLED
  }

  /**
   * How far the newest plan is.
   *
   * @param total changes in it
   * @param moving buckets that are being moved for it now
   * @param done buckets that have arrived
   * @param failed changes that were refused or overtaken by others
   * @param lastFailure why something was not moved, empty when all was
   * @param leadsSinceMs when this coordinator began to lead: it knows of no plan from before
   */
  public record Progress(
      State state,
      int total,
      int waiting,
      List<BalancePlanner.Step> moving,
      int done,
      int failed,
      String lastFailure,
      long startedMs,
      long leadsSinceMs) {
    public Progress {
      moving = List.copyOf(moving);
    }
  }

  /**
   * @param concurrency buckets that are moved at the same time
   */
  public Balancer(MetadataLog log, TimeSource time, int concurrency) {
    this.log = log;
    this.time = time;
    this.concurrency = concurrency;
  }

  /** Says how the agent's thread is woken; before it starts. */
  public void wakeWith(Runnable action) {
    wake = action;
  }

  /** NOT_COORDINATOR_LEADER or UNAVAILABLE where no plan can be known. */
  void requireLeading() {
    if (!leading) {
      SluiceException elsewhere = log.notLeading();
      throw elsewhere != null
          ? elsewhere
          : new SluiceException(
              ErrorCode.UNAVAILABLE, "This coordinator begins to lead; try again");
    }
  }

  /** INVALID_ARGUMENT while a plan is being carried out. */
  public synchronized void requireNoneUnderWay() {
    if (state == State.RUNNING) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "A rebalance is under way, with "
              + (waiting.size() + moving.size())
              + " of "
              + total
              + " changes to go; wait for it or cancel it");
    }
  }

  /**
   * Begins to carry a plan out; refused while another one is.
   *
   * @param remark why it leaves something where it is, empty when it does not
   */
  public Progress start(List<BalancePlanner.Step> plan, String remark) {
    synchronized (this) {
      requireLeading();
      requireNoneUnderWay();
      reset();
      lastFailure = remark;
      waiting.addAll(plan);
      total = plan.size();
      startedMs = time.epochMs();
      state = plan.isEmpty() ? State.FINISHED : State.RUNNING;
    }
    LOG.info("Rebalance of {} buckets begins", plan.size());
    wake.run();
    return progress();
  }

  private void reset() {
    waiting.clear();
    moving.clear();
    total = 0;
    done = 0;
    failed = 0;
    lastFailure = "";
    startedMs = 0;
    state = State.IDLE;
    asking = false;
    number++;
  }

  /**
   * Gives the rest of the plan up.
   *
   * @return the buckets that are being moved for it: the caller cancels their moves
   */
  public List<TableBucket> cancel() {
    synchronized (this) {
      requireLeading();
      if (state != State.RUNNING) {
        throw new SluiceException(
            ErrorCode.NOT_FOUND,
            "No rebalance is under way, so there is none to cancel; the move of a single bucket is"
                + " given up by itself (./sluice cluster move TABLE BUCKET --cancel)");
      }
      state = State.CANCELLED;
      waiting.clear();
      List<TableBucket> underWay = new ArrayList<>(moving.keySet());
      moving.clear();
      return underWay;
    }
  }

  /** How far it is. */
  public synchronized Progress progress() {
    return new Progress(
        state,
        total,
        waiting.size(),
        new ArrayList<>(moving.values()),
        done,
        failed,
        lastFailure,
        startedMs,
        leadsSinceMs);
  }

  @Override
  public String name() {
    return "balancer";
  }

  @Override
  public int doWork() {
    List<Command.Move> next = new ArrayList<>();
    List<TableBucket> arrived = new ArrayList<>();
    List<TableBucket> hopeless = new ArrayList<>();
    int plan;
    synchronized (this) {
      plan = number;
      long now = time.nanoTime();
      if (!leading || state != State.RUNNING || asking || now - lookedNanos < LOOK_NANOS) {
        return 0;
      }
      lookedNanos = now;
      look(log.current().state(), arrived, hopeless);
      while (moving.size() < concurrency && !waiting.isEmpty()) {
        BalancePlanner.Step step = waiting.remove();
        moving.put(step.bucket(), step);
        next.add(new Command.Move(step.bucket(), step.to()));
      }
      asking = !next.isEmpty();
      if (moving.isEmpty()) {
        state = State.FINISHED;
        LOG.info("Rebalance is over: {} buckets moved, {} not", done, failed);
      }
    }
    if (!arrived.isEmpty()) {
      submit(new Command.ElectPreferred(arrived), List.of(), plan);
    }
    if (!hopeless.isEmpty()) {
      submit(new Command.CancelReassign(hopeless), List.of(), plan);
    }
    if (!next.isEmpty()) {
      submit(new Command.Reassign(next), next, plan);
    }
    return next.size() + arrived.size() + hopeless.size();
  }

  /** Takes those out that have arrived, cannot arrive, or whose move somebody has changed. */
  private void look(ClusterState now, List<TableBucket> arrived, List<TableBucket> hopeless) {
    moving
        .values()
        .removeIf(
            step -> {
              Bucket bucket = bucket(now, step.bucket());
              if (bucket != null && bucket.target().equals(step.to())) {
                int dead = deadTarget(now, step);
                if (dead != Bucket.NO_LEADER) {
                  hopeless.add(step.bucket());
                  failed(step.bucket() + " stays: server " + dead + ", its target, died", 1);
                }
                return dead != Bucket.NO_LEADER;
              }
              if (bucket != null && !bucket.moving() && bucket.replicas().equals(step.to())) {
                done++;
                arrived.add(step.bucket());
              } else {
                failed(step.bucket() + " was dropped, or its move was changed by somebody else", 1);
              }
              return true;
            });
  }

  private static int deadTarget(ClusterState now, BalancePlanner.Step step) {
    for (int server : step.copiesTo()) {
      if (!now.isAlive(server)) {
        return server;
      }
    }
    return Bucket.NO_LEADER;
  }

  private static @Nullable Bucket bucket(ClusterState state, TableBucket id) {
    Table table = state.table(id.tableId());
    return table == null ? null : table.bucket(id.partitionId(), id.bucket());
  }

  private void failed(String why, int count) {
    failed += count;
    lastFailure = why;
    LOG.warn("Rebalance: {}", why);
  }

  private void submit(Command command, List<Command.Move> moves, int plan) {
    log.submit(command)
        .whenComplete(
            (applied, failure) -> {
              boolean late;
              synchronized (this) {
                late = plan != number || state != State.RUNNING;
                if (!moves.isEmpty() && plan == number) {
                  asking = false;
                }
                if (late) {
                  LOG.debug("An answer for a plan that is over");
                } else if (failure != null && outcomeUnknown(failure)) {
                  // They may be under way all the same; the next look sees it.
                  LOG.info("Rebalance: it is not known what became of {} moves", moves.size());
                } else if (failure != null) {
                  refuseAll(moves, String.valueOf(failure.getMessage()));
                } else if (applied.outcome() instanceof Outcome.Rejected rejected) {
                  refuseAll(moves, rejected.message());
                } else {
                  refuse(moves, applied.outcome().orThrow().decisions());
                }
              }
              if (late && leading && !moves.isEmpty()) {
                takeBack(moves);
              }
              wake.run();
            });
  }

  /** Moves that were on their way into the log when their plan was given up. */
  private void takeBack(List<Command.Move> moves) {
    log.submit(new Command.CancelReassign(moves.stream().map(Command.Move::bucket).toList()))
        .whenComplete(
            (applied, failure) -> {
              if (failure != null) {
                LOG.warn("Moves of a cancelled rebalance go on: {}", failure.getMessage());
              }
            });
  }

  private static boolean outcomeUnknown(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof SluiceException known
        && (known.code() == ErrorCode.TIMEOUT || known.details().containsKey("outcome"));
  }

  private void refuseAll(List<Command.Move> moves, String why) {
    moves.forEach(move -> moving.remove(move.bucket()));
    if (!moves.isEmpty()) {
      failed(why, moves.size());
    }
  }

  private void refuse(List<Command.Move> moves, List<Outcome.Decision> decisions) {
    for (int i = 0; i < moves.size(); i++) {
      if (!decisions.get(i).accepted()) {
        moving.remove(moves.get(i).bucket());
        failed(decisions.get(i).message(), 1);
      }
    }
  }

  @Override
  public void applied(MetadataImage image, List<Event> events) {
    for (Event event : events) {
      if (event instanceof Event.ReplicasMoved) {
        wake.run();
        return;
      }
    }
  }

  @Override
  public synchronized void leading() {
    reset();
    leadsSinceMs = time.epochMs();
    leading = true;
  }

  @Override
  public synchronized void following() {
    leading = false;
    if (state == State.RUNNING) {
      LOG.warn(
          "A rebalance ends as this coordinator does not lead any more: {} of {} changes were not"
              + " begun, {} moves go on. Ask the next leader for a rebalance",
          waiting.size(),
          total,
          moving.size());
    }
    reset();
  }

  @Override
  public void replaced(MetadataImage image) {
    wake.run();
  }

  @Override
  public void close() {
    leading = false;
  }
}
