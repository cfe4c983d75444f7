package io.sluice.lake.sql;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.lake.dialect.SqlText;
import io.sluice.lake.duck.Cancellation;
import io.sluice.lake.duck.DuckSession;
import io.sluice.lake.duck.DuckSettings;
import io.sluice.lake.duck.QueryParser;
import io.sluice.lake.union.Cluster;
import io.sluice.lake.union.Lake;
import io.sluice.lake.union.UnionPlanner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs statements, a bounded number at a time and each for a bounded time. Owns the parser and the
 * watchdog; does not own cluster and lake. Thread-safe.
 */
public final class SqlGateway implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SqlGateway.class);

  /** How long a statement waits for its turn before it is refused. */
  private static final long TURN_WAIT_MS = 2000;

  /** An interrupt between two steps of a statement is lost, so it is given again. */
  private static final long INTERRUPT_AGAIN_MS = 200;

  private final SqlLimits limits;
  private final SqlObserver observer;
  private final QueryParser parser;
  private final DefinitionStatements definitions;
  private final QueryStatements queries;
  private final InsertStatements inserts;
  private final ChangeStatements changes;
  private final Semaphore turns;
  private final ScheduledThreadPoolExecutor watchdog;
  private final Set<Cancellation> running = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  private SqlGateway(
      SqlLimits limits,
      DuckSettings settings,
      Cluster cluster,
      Lake lake,
      SqlObserver observer,
      QueryParser parser) {
    this.limits = limits;
    this.observer = observer;
    this.parser = parser;
    QueryPlanner planner = new QueryPlanner(cluster, parser, new UnionPlanner(cluster, lake));
    this.definitions = new DefinitionStatements(cluster, lake);
    this.queries = new QueryStatements(planner, settings, cluster);
    this.inserts = new InsertStatements(planner, settings, cluster);
    this.changes = new ChangeStatements(planner, settings, cluster);
    this.turns = new Semaphore(limits.maxConcurrent(), true);
    this.watchdog =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "sql-watchdog");
              thread.setDaemon(true);
              return thread;
            });
    this.watchdog.setRemoveOnCancelPolicy(true);
  }

  /**
   * Opens the gateway: empties the spill directory and sees that the engine works.
   *
   * @throws SluiceException INTERNAL or STORAGE_ERROR when it cannot work on this machine
   */
  public static SqlGateway open(
      SqlLimits limits, DuckSettings settings, Cluster cluster, Lake lake, SqlObserver observer) {
    DuckSession.prepareSpillDirectory(settings.spillDirectory());
    DuckSession.verify(settings);
    return new SqlGateway(limits, settings, cluster, lake, observer, QueryParser.open(settings));
  }

  /**
   * Runs one statement.
   *
   * @throws SluiceException why it cannot; details {@code line} and {@code column} where known
   */
  public SqlResult execute(SqlRequest request) {
    return execute(request, () -> false);
  }

  /**
   * As {@link #execute(SqlRequest)}, CANCELLED soon after nobody waits for the result any more.
   *
   * @param abandoned asked now and then by the calling thread
   */
  public SqlResult execute(SqlRequest request, BooleanSupplier abandoned) {
    long start = System.nanoTime();
    String kind = "unknown";
    String outcome = "ok";
    long rows = 0;
    try {
      SqlText text = SqlText.of(request.sql());
      StatementKind found = StatementKind.of(text);
      kind = found.name().toLowerCase(Locale.ROOT);
      SqlResult result = inTurn(found, text, request, abandoned).with(notices(text, request));
      rows = result.values().size();
      return result;
    } catch (SluiceException e) {
      outcome = e.code().name();
      throw e;
    } catch (RuntimeException | Error e) {
      outcome = ErrorCode.INTERNAL.name();
      throw e;
    } finally {
      observer.ended(kind, outcome, Duration.ofNanos(System.nanoTime() - start), rows);
    }
  }

  /** Statements that run now. */
  public int running() {
    return running.size();
  }

  private List<String> notices(SqlText text, SqlRequest request) {
    List<String> notices = new ArrayList<>();
    if (text.hasHints()) {
      notices.add("Hints (/*+ ... */) have no effect here and were left out");
    }
    if (request.maxRows() != null && request.maxRows() > limits.maxRows()) {
      notices.add("maxRows was lowered to " + limits.maxRows() + ", the limit sluice.sql.max-rows");
    }
    return notices;
  }

  private SqlResult inTurn(
      StatementKind kind, SqlText text, SqlRequest request, BooleanSupplier abandoned) {
    int maxRows = maxRows(request.maxRows());
    takeTurn();
    Cancellation cancellation = new Cancellation();
    ScheduledFuture<?> timeout =
        watchdog.scheduleWithFixedDelay(
            () ->
                cancellation.cancel(
                    ErrorCode.TIMEOUT,
                    "The statement ran for "
                        + limits.timeout().toSeconds()
                        + " s (sluice.sql.timeout) and was stopped"),
            limits.timeout().toMillis(),
            INTERRUPT_AGAIN_MS,
            TimeUnit.MILLISECONDS);
    running.add(cancellation);
    try {
      if (closed) {
        throw stopping();
      }
      return DeepStack.call(
          () ->
              switch (kind) {
                case QUERY -> queries.select(text, request, maxRows, cancellation);
                case EXPLAIN -> queries.explain(text, request, cancellation);
                case INSERT -> inserts.run(text, request, cancellation);
                case CHANGE -> changes.run(text, request, cancellation);
                case SESSION -> SessionStatements.run(text);
                case DEFINITION -> definitions.run(text, request.database());
              },
          cancellation,
          abandoned);
    } finally {
      running.remove(cancellation);
      timeout.cancel(false);
      turns.release();
    }
  }

  private int maxRows(@Nullable Integer wanted) {
    if (wanted == null) {
      return limits.maxRows();
    }
    if (wanted < 0) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT, "maxRows is " + wanted + "; it must not be negative");
    }
    return Math.min(wanted, limits.maxRows());
  }

  private void takeTurn() {
    if (closed) {
      throw stopping();
    }
    try {
      if (!turns.tryAcquire(TURN_WAIT_MS, TimeUnit.MILLISECONDS)) {
        throw new SluiceException(
            ErrorCode.BACKPRESSURE,
            limits.maxConcurrent()
                + " statements are running, as many as may (sluice.sql.max-concurrent); try again");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SluiceException(
          ErrorCode.CANCELLED, "The statement was cancelled while it waited for its turn", e);
    }
  }

  private static SluiceException stopping() {
    return new SluiceException(ErrorCode.UNAVAILABLE, "The SQL service is stopping");
  }

  /** Ends what runs, refuses what comes. */
  public void stop() {
    closed = true;
    if (running.isEmpty()) {
      return;
    }
    LOG.info("Ending {} running statements", running.size());
    Runnable interrupt =
        () ->
            running.forEach(
                each -> each.cancel(ErrorCode.UNAVAILABLE, "The SQL service is stopping"));
    interrupt.run();
    watchdog.scheduleWithFixedDelay(
        interrupt, INTERRUPT_AGAIN_MS, INTERRUPT_AGAIN_MS, TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    stop();
    watchdog.shutdownNow();
    parser.close();
  }
}
