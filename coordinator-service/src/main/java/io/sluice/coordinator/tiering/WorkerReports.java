package io.sluice.coordinator.tiering;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.LakeHold;
import io.sluice.protocol.tiering.v1.RoundFailed;
import io.sluice.protocol.tiering.v1.RoundFinished;
import io.sluice.protocol.tiering.v1.TableProgress;
import io.sluice.protocol.tiering.v1.WorkerReport;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What workers say and what follows from it: who they are, which tables they have, which rounds
 * ended and how. Part of the {@link TieringQueue}, which owns all state.
 */
final class WorkerReports {
  private static final int MAX_WORKERS = 1000;
  private static final int MAX_NAME = 200;
  private static final int MAX_SLOTS = 1024;
  private static final int MAX_CAUSE = 1000;

  /** An order and a report may cross on the way: a table this young may be missing in one. */
  private static final long CROSSING_MS = 5_000;

  private static final int MAX_MISSED = 2;

  /** A superseded round is nobody's fault, but trying again at once might not end. */
  private static final long SUPERSEDED_PAUSE_MS = 1_000;

  private final TieringQueue queue;

  WorkerReports(TieringQueue queue) {
    this.queue = queue;
  }

  void handle(WorkerSink sink, WorkerReport report, long nowMs) {
    SluiceException refused = check(report);
    if (refused != null) {
      queue.notice(QueueAction.Severity.WARN, "Report refused: " + refused.getMessage());
      queue.act(new QueueAction.End(sink, refused));
      return;
    }
    TieringWorker worker =
        queue.workers.computeIfAbsent(report.getWorkerId(), id -> new TieringWorker(id));
    connect(worker, sink, report, nowMs);
    worker.describe(
        report.getHost(), report.getVersion(), report.getLabelsMap(), report.getSlots());
    if (worker.lost) {
      worker.lost = false;
      queue.notice(QueueAction.Severity.INFO, "Heard again of " + worker.name());
    }
    worker.lastReportMs = nowMs;
    Set<Long> named = new HashSet<>();
    for (RoundFinished finished : report.getFinishedList()) {
      named.add(finished.getTableId());
      finished(worker, finished, nowMs);
    }
    for (RoundFailed failed : report.getFailedList()) {
      named.add(failed.getTableId());
      failed(worker, failed, nowMs);
    }
    for (TableProgress progress : report.getTablesList()) {
      named.add(progress.getTableId());
      progress(worker, sink, progress, nowMs);
    }
    leftOut(worker, named, nowMs);
  }

  private @Nullable SluiceException check(WorkerReport report) {
    String id = report.getWorkerId();
    String incarnation = report.getIncarnation();
    if (id.isBlank()
        || incarnation.isBlank()
        || id.length() > MAX_NAME
        || incarnation.length() > MAX_NAME) {
      return invalid("A worker id and an incarnation have 1 to " + MAX_NAME + " characters each");
    }
    if (report.getSlots() < 0 || report.getSlots() > MAX_SLOTS) {
      return invalid(
          "Worker "
              + id
              + " has "
              + report.getSlots()
              + " slots; it must be between 0 and "
              + MAX_SLOTS);
    }
    TieringWorker known = queue.workers.get(id);
    if (known == null && queue.workers.size() >= MAX_WORKERS) {
      return invalid("Worker " + id + " is one more than " + MAX_WORKERS);
    }
    if (known != null && known.hasReplaced(incarnation)) {
      return new SluiceException(
          ErrorCode.FENCED_ROUND,
          "Incarnation "
              + incarnation
              + " of tiering worker "
              + id
              + " was replaced by "
              + known.incarnation
              + "; give each worker an id of its own");
    }
    return null;
  }

  private static SluiceException invalid(String message) {
    return new SluiceException(ErrorCode.INVALID_ARGUMENT, message);
  }

  private void connect(TieringWorker worker, WorkerSink sink, WorkerReport report, long nowMs) {
    if (worker.sink == sink && worker.incarnation.equals(report.getIncarnation())) {
      return;
    }
    boolean restarted = !worker.incarnation.equals(report.getIncarnation());
    if (restarted && !worker.incarnation.isEmpty()) {
      takeAll(worker, "its worker was started again", nowMs);
    }
    if (worker.sink != null && worker.sink != sink) {
      SluiceException replaced =
          new SluiceException(
              ErrorCode.FENCED_ROUND,
              worker.name() + " was replaced by a newer stream of the same id");
      queue.act(new QueueAction.End(worker.sink, restarted ? replaced : null));
    }
    if (restarted) {
      worker.restarted(report.getIncarnation());
    }
    worker.sink = sink;
    worker.connectedMs = nowMs;
    worker.lost = false;
    queue.notice(
        QueueAction.Severity.INFO,
        "Connected "
            + worker.name()
            + " on "
            + report.getHost()
            + ": "
            + report.getSlots()
            + " slots, version "
            + report.getVersion());
  }

  private void takeAll(TieringWorker worker, String reason, long nowMs) {
    for (QueuedTable table : tablesOf(worker)) {
      if (table.isRunning()) {
        queue.fence(table, reason, nowMs);
      } else {
        queue.letGo(table, nowMs);
      }
    }
  }

  private List<QueuedTable> tablesOf(TieringWorker worker) {
    List<QueuedTable> found = new ArrayList<>(worker.tables.size());
    for (long tableId : worker.tables) {
      QueuedTable table = queue.tables.get(tableId);
      if (table != null) {
        found.add(table);
      }
    }
    return found;
  }

  private void finished(TieringWorker worker, RoundFinished finished, long nowMs) {
    QueuedTable table = queue.tables.get(finished.getTableId());
    if (table == null || finished.getEpoch() != table.record.epoch()) {
      return;
    }
    adopt(worker, table, nowMs);
    if (finished.getSnapshotId() >= 0) {
      table.durationOf = finished.getRoundId();
      table.durationMs = Math.max(0, finished.getDurationMs());
    }
    if (table.worker != worker) {
      boolean waits = table.state.group() == TieringGroup.WAITING;
      if (finished.getMore() && waits && !table.isHeld()) {
        queue.enterPending(table, nowMs);
      }
      return;
    }
    table.more = finished.getMore();
    if (table.state == TieringState.TIERED) {
      queue.letGo(table, nowMs);
    } else {
      table.released = true;
      table.heardMs = nowMs;
      if (finished.getSnapshotId() < 0) {
        queue.act(
            new QueueAction.Submit(
                new Command.RoundEmpty(table.tableId, finished.getEpoch(), nowMs)));
      }
    }
  }

  private void failed(TieringWorker worker, RoundFailed failed, long nowMs) {
    QueuedTable table = queue.tables.get(failed.getTableId());
    if (table == null || failed.getEpoch() != table.record.epoch()) {
      return;
    }
    adopt(worker, table, nowMs);
    if (table.worker != worker) {
      return;
    }
    if (!table.isRunning()) {
      // The metadata has its commit: whatever the worker missed, the round succeeded.
      queue.letGo(table, nowMs);
      return;
    }
    if (failed.getSuperseded()) {
      queue.failedUntil(table, nowMs + SUPERSEDED_PAUSE_MS, nowMs);
      queue.notice(
          QueueAction.Severity.INFO,
          "Round "
              + failed.getRoundId()
              + " of "
              + table.path
              + " was superseded on "
              + worker.workerId
              + ": "
              + shortened(failed.getCause()));
      return;
    }
    fail(worker, table, failed, nowMs);
  }

  private void fail(TieringWorker worker, QueuedTable table, RoundFailed failed, long nowMs) {
    String cause = shortened(failed.getCause());
    queue.notice(
        QueueAction.Severity.WARN,
        "Round "
            + failed.getRoundId()
            + " of "
            + table.path
            + " failed on "
            + worker.workerId
            + " ("
            + scopeOf(failed)
            + "): "
            + cause);
    table.lastFailure = new QueuedTable.Failure(cause, scopeOf(failed), worker.workerId, nowMs);
    switch (failed.getScope()) {
      case FAILURE_WORKER -> {
        worker.drain(cause, nowMs);
        queue.notice(
            QueueAction.Severity.WARN, "Drained " + worker.name() + ", no new tables: " + cause);
        backToPending(table, nowMs);
      }
      case FAILURE_LAKE -> {
        if (queue.breaker.open(cause, nowMs)) {
          queue.notice(
              QueueAction.Severity.ERROR,
              "The lake is out of order: rounds stop, one at a time tries: " + cause);
        }
        backToPending(table, nowMs);
      }
      case FAILURE_TABLE, UNRECOGNIZED -> {
        if (failed.getOutage()) {
          queue.failedUntil(table, nowMs + queue.outagePauseMs(table), nowMs);
          return;
        }
        queue.failedUntil(table, nowMs + queue.retryPauseMs(table), nowMs);
        queue.act(
            new QueueAction.Submit(
                new Command.RoundFailed(
                    table.tableId, failed.getEpoch(), worker.workerId, cause, nowMs)));
      }
    }
  }

  private void backToPending(QueuedTable table, long nowMs) {
    queue.failedUntil(table, nowMs, nowMs);
    if (!table.isHeld()) {
      queue.enterPending(table, nowMs);
    }
  }

  private void progress(TieringWorker worker, WorkerSink sink, TableProgress progress, long nowMs) {
    QueuedTable table = queue.tables.get(progress.getTableId());
    if (table == null) {
      queue.orderFence(sink, progress.getTableId(), progress.getEpoch(), "the table was dropped");
      return;
    }
    boolean current = progress.getEpoch() == table.record.epoch() && !table.raising;
    if (current) {
      adopt(worker, table, nowMs);
    }
    if (current && table.worker == worker) {
      table.heardMs = nowMs;
      table.missed = 0;
      table.progress = progress;
    } else if (!current || table.isRunning()) {
      queue.orderFence(
          sink,
          progress.getTableId(),
          progress.getEpoch(),
          "epoch "
              + progress.getEpoch()
              + " of "
              + table.path
              + " is over; the current one is "
              + table.record.epoch());
    }
    // Else its round has ended here and the answer is still on its way to the worker.
  }

  /** A round that was running before this coordinator led has found its worker. */
  private void adopt(TieringWorker worker, QueuedTable table, long nowMs) {
    boolean orphan = table.isRunning() && table.worker == null;
    if (orphan && table.record.hold() != LakeHold.REGRESSED) {
      table.give(worker, nowMs);
    }
  }

  private void leftOut(TieringWorker worker, Set<Long> named, long nowMs) {
    for (QueuedTable table : tablesOf(worker)) {
      if (!named.contains(table.tableId) && nowMs - table.assignedMs >= CROSSING_MS) {
        table.missed++;
        if (table.missed >= MAX_MISSED && table.isRunning()) {
          queue.fence(table, worker.name() + " left it out of " + table.missed + " reports", nowMs);
        } else if (!table.isRunning()) {
          queue.letGo(table, nowMs);
        }
      }
    }
  }

  void disconnected(WorkerSink sink, boolean inOrder, long nowMs) {
    for (TieringWorker worker : queue.workers.values()) {
      if (worker.sink == sink) {
        worker.sink = null;
        if (inOrder) {
          worker.lost = true;
          takeAll(worker, "its worker stops", nowMs);
        }
        queue.notice(
            QueueAction.Severity.INFO,
            (inOrder ? "Stopped " : "Lost the stream of ") + worker.name());
        return;
      }
    }
  }

  private static String scopeOf(RoundFailed failed) {
    return switch (failed.getScope()) {
      case FAILURE_WORKER -> "WORKER";
      case FAILURE_LAKE -> "LAKE";
      case FAILURE_TABLE, UNRECOGNIZED -> "TABLE";
    };
  }

  private static String shortened(String cause) {
    String text = cause.isBlank() ? "no cause given" : cause;
    return text.length() <= MAX_CAUSE ? text : text.substring(0, MAX_CAUSE);
  }
}
