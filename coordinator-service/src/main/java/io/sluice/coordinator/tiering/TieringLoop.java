package io.sluice.coordinator.tiering;

import io.sluice.common.Agent;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.Event;
import io.sluice.coordinator.metadata.LakeTable;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.MetadataLog;
import io.sluice.coordinator.metadata.Outcome;
import io.sluice.coordinator.metadata.PersistentMap;
import io.sluice.coordinator.metadata.Table;
import io.sluice.protocol.tiering.v1.WorkerReport;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the {@link TieringQueue} on one thread while this coordinator leads: brings it what happens,
 * one thing after the other, and does what it decides. Other threads only leave messages.
 *
 * <p>The queue's clock starts at the wall clock when leadership begins and then follows the
 * monotonic clock, so that a jump of the wall clock takes no table from its worker.
 */
public final class TieringLoop implements MetadataLog.Listener, Agent {
  private static final Logger LOG = LoggerFactory.getLogger(TieringLoop.class);
  private static final int MAX_MESSAGES_A_PASS = 1024;
  private static final long PUBLISH_EVERY_MS = 1_000;

  private final MetadataLog log;
  private final TimeSource time;
  private final TieringQueue queue;
  private final TieringSettings settings;
  private final ConcurrentLinkedQueue<Runnable> messages = new ConcurrentLinkedQueue<>();
  private volatile Runnable wake = () -> {};
  private volatile TieringSnapshot published;
  private volatile boolean closed;
  private volatile Consumer<TieringSnapshot> subscriber = snapshot -> {};

  // Below: the loop's thread alone.
  private boolean leading;
  private @Nullable PersistentMap<Long, LakeTable> syncedLakes;
  private @Nullable PersistentMap<Long, Table> syncedTables;
  private long startEpochMs;
  private long startNanos;
  private long publishedMs;

  /** Something to find out from the queue. */
  @FunctionalInterface
  public interface Question<T> {
    /** Reads the queue; must not change it. */
    T answer(TieringQueue queue, long nowMs);
  }

  public TieringLoop(
      MetadataLog log, TimeSource time, TieringSettings settings, RandomGenerator random) {
    this.log = log;
    this.time = time;
    this.settings = settings;
    this.queue = new TieringQueue(settings, random);
    this.published = TieringSnapshot.notLeading(settings);
  }

  /** Says how the loop's thread is woken; before the first stream. */
  public void wakeWith(Runnable action) {
    wake = action;
  }

  /** Says who else is told, on the loop's thread, whenever it publishes; before it starts. */
  public void publishTo(Consumer<TieringSnapshot> action) {
    subscriber = action;
  }

  /** The queue as it was a moment ago, empty where this coordinator does not lead. */
  public TieringSnapshot published() {
    return published;
  }

  /**
   * Asks the queue, which has by then seen every change of the metadata that was applied here
   * before this call. Fails with NOT_COORDINATOR_LEADER while another coordinator leads, with
   * UNAVAILABLE while this one has just begun to.
   */
  public <T> CompletableFuture<T> ask(Question<T> question) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    leave(
        () -> {
          if (!leading) {
            SluiceException elsewhere = log.notLeading();
            answer.completeExceptionally(
                elsewhere != null
                    ? elsewhere
                    : new SluiceException(
                        ErrorCode.UNAVAILABLE,
                        "The tiering queue does not run here yet; try again in a moment"));
            return;
          }
          try {
            answer.complete(question.answer(queue, nowMs()));
          } catch (RuntimeException failure) {
            answer.completeExceptionally(failure);
          }
        });
    return answer;
  }

  /** A report came up a stream. */
  public void reported(WorkerSink sink, WorkerReport report) {
    leave(
        () -> {
          if (leading) {
            queue.report(sink, report, nowMs());
            sink.requestNext();
          } else {
            refuse(sink);
          }
        });
  }

  /** The worker closed its stream: it stops. */
  public void closedByPeer(WorkerSink sink) {
    leave(
        () -> {
          if (leading) {
            queue.disconnected(sink, true, nowMs());
          }
          sink.complete();
        });
  }

  /** The stream broke: the worker may come back. */
  public void broke(WorkerSink sink) {
    leave(
        () -> {
          if (leading) {
            queue.disconnected(sink, false, nowMs());
          }
        });
  }

  /** Ends the stream with the error that names the coordinator to go to. */
  private void refuse(WorkerSink sink) {
    SluiceException elsewhere = log.notLeading();
    if (elsewhere != null) {
      sink.fail(elsewhere);
      return;
    }
    log.readLatest()
        .whenComplete(
            (image, failure) ->
                leave(
                    () ->
                        sink.fail(
                            failure == null
                                ? new SluiceException(
                                    ErrorCode.UNAVAILABLE,
                                    "The tiering queue does not run here yet; report again")
                                : asSluice(failure))));
  }

  private void leave(Runnable message) {
    messages.add(message);
    if (closed) {
      answerTheRest();
    } else {
      wake.run();
    }
  }

  /** The loop has ended: what is left is told so. */
  private synchronized void answerTheRest() {
    for (Runnable message = messages.poll(); message != null; message = messages.poll()) {
      message.run();
    }
  }

  @Override
  public String name() {
    return "tiering-queue";
  }

  @Override
  public int doWork() {
    int done = 0;
    while (done < MAX_MESSAGES_A_PASS) {
      Runnable message = messages.poll();
      if (message == null) {
        break;
      }
      sync();
      message.run();
      act();
      done++;
    }
    if (leading) {
      sync();
      queue.tick(nowMs());
      done += act();
      publish();
    }
    return done;
  }

  /** Lets the queue follow the metadata; nothing when no table and no table's record changed. */
  private void sync() {
    if (!leading) {
      return;
    }
    ClusterState state = log.current().state();
    if (state.lakes() != syncedLakes || state.tables() != syncedTables) {
      synced(state);
      queue.sync(state, nowMs());
    }
  }

  private void synced(ClusterState state) {
    syncedLakes = state.lakes();
    syncedTables = state.tables();
  }

  private int act() {
    List<QueueAction> actions = queue.drain();
    for (QueueAction action : actions) {
      if (action instanceof QueueAction.Submit submit) {
        submit(submit.command());
      } else if (action instanceof QueueAction.Order order) {
        order.sink().send(order.order());
      } else if (action instanceof QueueAction.End end) {
        if (end.failure() == null) {
          end.sink().complete();
        } else {
          end.sink().fail(end.failure());
        }
      } else if (action instanceof QueueAction.Notice notice) {
        say(notice);
      }
    }
    return actions.size();
  }

  private static void say(QueueAction.Notice notice) {
    switch (notice.severity()) {
      case INFO -> LOG.info("{}", notice.text());
      case WARN -> LOG.warn("{}", notice.text());
      case ERROR -> LOG.error("{}", notice.text());
    }
  }

  private void submit(Command.ForLake command) {
    log.submit(command)
        .whenComplete(
            (applied, failure) -> {
              SluiceException failed = failure == null ? null : asSluice(failure);
              if (applied != null && applied.outcome() instanceof Outcome.Rejected rejected) {
                failed = new SluiceException(rejected.code(), rejected.message());
              }
              if (failed == null) {
                wake.run();
                return;
              }
              SluiceException told = failed;
              leave(
                  () -> {
                    if (leading) {
                      queue.commandFailed(command, told, nowMs());
                    }
                  });
            });
  }

  private void publish() {
    long nowMs = nowMs();
    if (nowMs - publishedMs >= PUBLISH_EVERY_MS) {
      publishedMs = nowMs;
      publish(new TieringSnapshot(true, queue.status(nowMs), queue.tableStatuses(nowMs)));
    }
  }

  private void publish(TieringSnapshot snapshot) {
    published = snapshot;
    subscriber.accept(snapshot);
  }

  private long nowMs() {
    return startEpochMs + (time.nanoTime() - startNanos) / 1_000_000;
  }

  @Override
  public void applied(MetadataImage image, List<Event> events) {
    wake.run();
  }

  @Override
  public void replaced(MetadataImage image) {
    wake.run();
  }

  @Override
  public void leading() {
    leave(this::begin);
  }

  private void begin() {
    startEpochMs = time.epochMs();
    startNanos = time.nanoTime();
    publishedMs = 0;
    leading = true;
    ClusterState state = log.current().state();
    synced(state);
    queue.restore(state, nowMs());
    int tables = state.lakes().size();
    if (tables > 0) {
      LOG.info("The tiering queue begins with {} {}", tables, tables == 1 ? "table" : "tables");
    }
  }

  @Override
  public void following() {
    leave(
        () ->
            end(
                new SluiceException(
                    ErrorCode.NOT_COORDINATOR_LEADER,
                    "This coordinator no longer leads; report to the one that does")));
  }

  private void end(SluiceException failure) {
    if (!leading) {
      return;
    }
    leading = false;
    syncedLakes = null;
    syncedTables = null;
    publish(TieringSnapshot.notLeading(settings));
    for (WorkerSink sink : queue.sinks()) {
      sink.fail(failure);
    }
    queue.forget();
  }

  /** Ends every stream; called when the loop's thread has stopped. */
  @Override
  public void close() {
    end(
        new SluiceException(
            ErrorCode.UNAVAILABLE, "The coordinator stops; report again when it is back"));
    closed = true;
    answerTheRest();
  }

  private static SluiceException asSluice(Throwable failure) {
    SluiceException found = SluiceException.findIn(failure);
    return found != null
        ? found
        : new SluiceException(ErrorCode.INTERNAL, "A command failed: " + failure, failure);
  }
}
