package io.sluice.tiering.job;

import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.common.TimeSource;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.tiering.v1.Assignment;
import io.sluice.protocol.tiering.v1.Fence;
import io.sluice.protocol.tiering.v1.TieringServiceGrpc;
import io.sluice.protocol.tiering.v1.WorkerOrder;
import io.sluice.protocol.tiering.v1.WorkerReport;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports to the coordinator and takes its orders. One thread owns everything here:
 *
 * <pre>
 * AWAY --connect, report--> JOINING --an order, or the stream stands for a while--> JOINED
 * JOINING, JOINED --stream ends--> AWAY (back-off, the leader or the next coordinator)
 * JOINING, JOINED --a newer process has this worker's id--> REPLACED
 * any --close--> CLOSED
 * </pre>
 *
 * <p>Rounds go on while it is away: lake-service refuses a commit that came too late. Only when the
 * coordinator was not reached for so long that others have the tables, what is not in its commit is
 * dropped.
 */
public final class CoordinatorSession implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CoordinatorSession.class);
  private static final long STOP_TIMEOUT_MS = 5_000;

  /** A coordinator that does not lead ends the stream sooner than this. */
  private static final long JOIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** What reaches the session's thread: an order, the end of a stream, or a wake-up. */
  private record Event(
      @Nullable Stream stream, @Nullable WorkerOrder order, @Nullable Throwable end) {
    static final Event WAKE = new Event(null, null, null);
  }

  private final Coordinators coordinators;
  private final Worker worker;
  private final CoordinatorContact contact;
  private final TimeSource clock;
  private final SessionTimings timings;
  private final Runnable onReplaced;
  private final WorkerReports reports;
  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
  private final AtomicBoolean waking = new AtomicBoolean();
  private final Thread thread;
  private volatile boolean closed;
  private volatile boolean connected;

  /**
   * A session that does nothing until {@link #start}.
   *
   * @param onReplaced run by the session's thread, as the last thing it does, when another process
   *     reports under this worker's id; must not wait for {@link #close}
   */
  public CoordinatorSession(
      Coordinators coordinators,
      WorkerIdentity identity,
      Worker worker,
      CoordinatorContact contact,
      TimeSource clock,
      SessionTimings timings,
      Runnable onReplaced) {
    this.coordinators = coordinators;
    this.worker = worker;
    this.contact = contact;
    this.clock = clock;
    this.timings = timings;
    this.onReplaced = onReplaced;
    this.reports = new WorkerReports(identity, worker);
    this.thread = new Thread(this::run, "coordinator-session");
    this.thread.setDaemon(true);
  }

  /** Starts the session's thread; call it once. */
  public void start() {
    worker.onChange(this::wake);
    thread.start();
  }

  /** Whether a coordinator that leads hears this worker right now. */
  public boolean connected() {
    return connected;
  }

  /** Sends the last report, so close the worker before, and ends the stream. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    events.add(Event.WAKE);
    try {
      if (thread.isAlive()) {
        thread.join(STOP_TIMEOUT_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void wake() {
    if (waking.compareAndSet(false, true)) {
      events.add(Event.WAKE);
    }
  }

  private void run() {
    long backOffMs = timings.minBackOffMs();
    String lastReason = "";
    while (!closed) {
      Coordinators.Target target = coordinators.target();
      SluiceException end;
      try {
        serve(target);
        return;
      } catch (RuntimeException | Error e) {
        // Without this thread the process would look well and do nothing.
        end = StatusMapping.fromStatus(e);
      }
      boolean joined = connected;
      connected = false;
      if (closed) {
        return;
      }
      String reason = String.valueOf(end.getMessage());
      if (end.code() == ErrorCode.FENCED_ROUND) {
        LOG.error(
            "This worker stops: another process uses its id. Coordinator {} says: {}; give each"
                + " worker its own sluice.tiering.worker-id",
            target.address(),
            reason);
        onReplaced.run();
        return;
      }
      if (joined || !reason.equals(lastReason)) {
        LOG.warn("Session with coordinator {} ended, trying again: {}", target.address(), reason);
      }
      lastReason = reason;
      coordinators.failed(target, end);
      boolean redirected = !coordinators.target().address().equals(target.address());
      boolean soon = joined || (redirected && end.code() == ErrorCode.NOT_COORDINATOR_LEADER);
      backOffMs = soon ? timings.minBackOffMs() : timings.nextBackOffMs(backOffMs);
      pause(backOffMs);
    }
  }

  /** Runs one stream; returns when this session is closed, else throws why the stream ended. */
  private void serve(Coordinators.Target target) {
    Stream stream = new Stream();
    TieringServiceGrpc.newStub(target.channel()).work(stream);
    long openedNanos = clock.nanoTime();
    try {
      stream.send(reports.first());
      long nextReport = openedNanos + timings.reportNanos();
      while (!closed) {
        long now = clock.nanoTime();
        join(target, stream, now - openedNanos >= JOIN_NANOS);
        dropWhenLost();
        boolean due = now - nextReport >= 0;
        if (due) {
          reports.intervalPassed();
          nextReport = now + timings.reportNanos();
        }
        if (waking.getAndSet(false) || due) {
          stream.send(reports.next());
        }
        // Looks after the stream more often than it reports.
        handle(target, stream, poll(Math.min(nextReport - now, JOIN_NANOS)));
      }
      stream.send(reports.next());
    } finally {
      stream.end(closed);
    }
  }

  private void join(Coordinators.Target target, Stream stream, boolean stands) {
    if (!stands || !stream.isReady()) {
      return;
    }
    contact.reached();
    if (!connected) {
      connected = true;
      LOG.info("Reporting to coordinator {}", target.address());
    }
  }

  private void handle(Coordinators.Target target, Stream stream, @Nullable Event event) {
    if (event == null || event.stream() != stream) {
      return;
    }
    if (event.end() != null) {
      throw StatusMapping.fromStatus(event.end());
    }
    if (event.order() != null) {
      join(target, stream, true);
      obey(event.order());
      stream.request();
    }
  }

  private void obey(WorkerOrder order) {
    switch (order.getOrderCase()) {
      case ASSIGN -> {
        Assignment assign = order.getAssign();
        worker.assign(
            new RoundAssignment(
                assign.getTableId(),
                assign.getEpoch(),
                new TablePath(assign.getDatabase(), assign.getTable()),
                assign.getFreshnessMs()));
      }
      case FENCE -> {
        Fence fence = order.getFence();
        worker.fence(fence.getTableId(), fence.getEpoch(), fence.getReason());
      }
      case ORDER_NOT_SET ->
          LOG.warn("The coordinator sent an order of a kind that this version does not know");
    }
  }

  private void dropWhenLost() {
    if (contact.lost()) {
      worker.dropUncommitted(contact.reason());
    }
  }

  private void pause(long millis) {
    long until = clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (!closed && until - clock.nanoTime() > 0) {
      dropWhenLost();
      // Events of the stream that ended are dropped here; what woke us goes into the next report.
      poll(until - clock.nanoTime());
    }
  }

  private @Nullable Event poll(long nanos) {
    try {
      return events.poll(Math.max(0, nanos), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      closed = true;
      Thread.currentThread().interrupt();
      return null;
    }
  }

  /** One call's observer; hands everything to the session's thread, one order at a time. */
  private final class Stream implements ClientResponseObserver<WorkerReport, WorkerOrder> {
    private @Nullable ClientCallStreamObserver<WorkerReport> requests;

    @Override
    public void beforeStart(ClientCallStreamObserver<WorkerReport> requestStream) {
      requests = requestStream;
      requestStream.disableAutoRequestWithInitial(1);
    }

    @Override
    public void onNext(WorkerOrder order) {
      events.add(new Event(this, order, null));
    }

    @Override
    public void onError(Throwable failure) {
      events.add(new Event(this, null, failure));
    }

    @Override
    public void onCompleted() {
      onError(new SluiceException(ErrorCode.UNAVAILABLE, "The coordinator ended the session"));
    }

    void send(WorkerReport report) {
      started().onNext(report);
    }

    void request() {
      started().request(1);
    }

    boolean isReady() {
      return started().isReady();
    }

    void end(boolean inOrder) {
      if (inOrder) {
        started().onCompleted();
      } else {
        started().cancel("This session starts anew", null);
      }
    }

    private ClientCallStreamObserver<WorkerReport> started() {
      if (requests == null) {
        throw new IllegalStateException("The call has not been started");
      }
      return requests;
    }
  }
}
