package io.sluice.coordinator.tiering;

import io.sluice.common.SluiceException;
import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.LakeHold;
import io.sluice.coordinator.metadata.LakeTable;
import io.sluice.coordinator.metadata.PersistentMap;
import io.sluice.coordinator.metadata.Table;
import io.sluice.protocol.tiering.v1.Fence;
import io.sluice.protocol.tiering.v1.WorkerOrder;
import io.sluice.protocol.tiering.v1.WorkerReport;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The rules of the queue, without clock, threads or I/O: every call gets the time, and what is to
 * be done comes out of {@link #drain()}. Not thread-safe; the {@link TieringLoop} owns it.
 *
 * <p>What is durable (epoch, offsets, failures, hold) is only read here; it changes by commands and
 * comes back with {@link #sync}. A table goes
 *
 * <pre>
 * from                 to           when
 * (created)            NEW          the metadata has it
 * (new leader)         TIERING      its newest epoch may be running: counts as just heard of
 * (new leader)         FAILED       its last round failed
 * (new leader)         INITIALIZED  it was in the lake; due after max(0, freshness - age)
 * (new leader)         NEW          it never was
 * NEW                  PENDING      one freshness has passed
 * INITIALIZED          PENDING      due
 * SCHEDULED            PENDING      due
 * FAILED               PENDING      its pause is over, at once when a worker was lost
 * PENDING              TIERING      a worker has a free slot
 * TIERING              TIERED       the metadata has its commit, or that nothing was new
 * TIERING              FAILED       its round failed, or its worker is gone or let go of it
 * TIERED               SCHEDULED    its worker let go, or five seconds passed
 * TIERED               PENDING      its worker let go and says that there is more
 * (any)                (gone)       the table was dropped; a worker that has it is fenced
 * </pre>
 *
 * <p>Entering PENDING asks for the next epoch; a worker is given the table only in that epoch. A
 * table with a hold enters neither PENDING nor TIERING. A pause lets a running round end, a
 * regression takes it away.
 */
public final class TieringQueue {
  private static final long TIERED_GRACE_MS = 5_000;
  private static final long RAISE_AGAIN_MS = 1_000;
  private static final int QUARANTINE_AFTER = 10;
  private static final int MAX_OUTAGE_STEPS = 4;
  private static final long FORGET_LOST_MS = 3_600_000;

  final Map<Long, QueuedTable> tables = new TreeMap<>();
  final Map<String, TieringWorker> workers = new TreeMap<>();
  final LakeBreaker breaker;
  final TieringSettings settings;
  private final RandomGenerator random;
  private final WorkerReports reports = new WorkerReports(this);
  private final FifoDispatch dispatch = new FifoDispatch(this);
  private List<QueueAction> actions = new ArrayList<>();
  private long nextSweepMs;

  public TieringQueue(TieringSettings settings, RandomGenerator random) {
    this.settings = settings;
    this.breaker = new LakeBreaker(settings.lakeProbeInterval().toMillis());
    this.random = random;
  }

  /** What has to be done by now; each action is given out once. */
  List<QueueAction> drain() {
    List<QueueAction> drained = actions;
    actions = new ArrayList<>();
    return drained;
  }

  void act(QueueAction action) {
    actions.add(action);
  }

  void notice(QueueAction.Severity severity, String text) {
    actions.add(new QueueAction.Notice(severity, text));
  }

  /** Begins to lead with this state: everybody has a full time-out to report. */
  void restore(ClusterState state, long nowMs) {
    forget();
    nextSweepMs = nowMs + settings.sweepInterval().toMillis();
    for (PersistentMap.Entry<Long, LakeTable> entry : state.lakes()) {
      QueuedTable table = add(state, entry.value());
      if (table != null) {
        restore(table, nowMs);
      }
    }
  }

  /** Leads no longer. */
  void forget() {
    tables.clear();
    workers.clear();
    breaker.close();
    actions = new ArrayList<>();
  }

  private void restore(QueuedTable table, long nowMs) {
    LakeTable record = table.record;
    if (record.mayRun()) {
      table.heardMs = nowMs;
      table.enter(TieringState.TIERING, nowMs);
    } else if (record.failures().inRow() > 0) {
      table.dueMs = nowMs + RetryPause.ms(record.failures().inRow(), random);
      table.enter(TieringState.FAILED, nowMs);
    } else if (record.tieredMs() > 0) {
      long ageMs = Math.max(0, nowMs - record.tieredMs());
      table.dueMs = nowMs + Math.max(0, table.freshnessMs - ageMs);
      table.enter(TieringState.INITIALIZED, nowMs);
    } else {
      table.dueMs = Math.min(nowMs, table.createdMs) + table.freshnessMs;
      table.enter(TieringState.NEW, nowMs);
    }
  }

  /** Follows the metadata; cheap where a table has not changed. */
  void sync(ClusterState state, long nowMs) {
    for (PersistentMap.Entry<Long, LakeTable> entry : state.lakes()) {
      QueuedTable table = tables.get(entry.key());
      if (table == null) {
        QueuedTable added = add(state, entry.value());
        if (added != null) {
          restore(added, nowMs);
        }
      } else {
        Table described = state.table(entry.key());
        if (described != null && described.version() != table.version) {
          table.altered(described);
        }
        if (table.record != entry.value()) {
          changed(table, entry.value(), nowMs);
        }
      }
    }
    if (tables.size() > state.lakes().size()) {
      removeDropped(state);
    }
  }

  private @Nullable QueuedTable add(ClusterState state, LakeTable record) {
    Table table = state.table(record.tableId());
    if (table == null) {
      return null;
    }
    QueuedTable queued = new QueuedTable(table, record);
    tables.put(queued.tableId, queued);
    return queued;
  }

  private void removeDropped(ClusterState state) {
    for (Iterator<QueuedTable> all = tables.values().iterator(); all.hasNext(); ) {
      QueuedTable table = all.next();
      if (!state.lakes().containsKey(table.tableId)) {
        all.remove();
        orderFence(table, "table " + table.path + " was dropped");
        table.takeBack();
      }
    }
  }

  private void changed(QueuedTable table, LakeTable record, long nowMs) {
    LakeTable before = table.record;
    table.record = record;
    if (record.epoch() > before.epoch()) {
      table.raising = false;
    }
    if (record.endedEpoch() > before.endedEpoch()) {
      if (record.failures().total() > before.failures().total()) {
        quarantineAfterTooMany(table);
      } else {
        succeeded(table, nowMs);
      }
    }
    if (record.hold() != before.hold()) {
      holdChanged(table, before.hold(), nowMs);
    }
  }

  private void succeeded(QueuedTable table, long nowMs) {
    table.outages = 0;
    if (breaker.close()) {
      notice(QueueAction.Severity.INFO, "The lake works again: rounds go on");
    }
    if (table.worker != null) {
      table.worker.succeeded();
    }
    if (table.state != TieringState.TIERING || table.record.mayRun()) {
      return;
    }
    table.dueMs = nowMs + table.freshnessMs;
    table.enter(TieringState.TIERED, nowMs);
    if (table.released || table.worker == null) {
      letGo(table, nowMs);
    }
  }

  /** The worker of a tiered table holds it no longer. */
  void letGo(QueuedTable table, long nowMs) {
    boolean more = table.more;
    table.takeBack();
    if (more && !table.isHeld()) {
      enterPending(table, nowMs);
    } else {
      table.enter(TieringState.SCHEDULED, nowMs);
    }
  }

  private void quarantineAfterTooMany(QueuedTable table) {
    LakeTable.Failures failures = table.record.failures();
    boolean agreed = failures.workers().size() > 1 || aliveWorkers() <= 1;
    if (failures.inRow() < QUARANTINE_AFTER || !agreed || table.isHeld()) {
      return;
    }
    act(
        new QueueAction.Submit(
            new Command.SetLakeHold(
                table.tableId,
                LakeHold.QUARANTINED,
                failures.inRow()
                    + " failures in a row on "
                    + String.join(", ", failures.workers())
                    + "; the last: "
                    + failures.cause())));
  }

  private void holdChanged(QueuedTable table, LakeHold before, long nowMs) {
    LakeHold hold = table.record.hold();
    switch (hold) {
      case NONE -> {
        notice(
            QueueAction.Severity.INFO,
            "Table " + table.path + " is no longer " + before.text() + ": rounds go on");
        if (table.state == TieringState.FAILED) {
          table.dueMs = nowMs;
        }
      }
      case PAUSED ->
          notice(
              QueueAction.Severity.INFO,
              "Table " + table.path + " is paused: " + table.record.holdReason());
      case QUARANTINED, REGRESSED ->
          notice(
              QueueAction.Severity.ERROR,
              "Table "
                  + table.path
                  + " is "
                  + hold.text()
                  + " and gets no rounds until it is resumed: "
                  + table.record.holdReason());
    }
    if (hold == LakeHold.REGRESSED && table.isRunning()) {
      fence(table, "the table is held: " + table.record.holdReason(), nowMs);
    }
  }

  /** A report came up a stream. */
  void report(WorkerSink sink, WorkerReport report, long nowMs) {
    reports.handle(sink, report, nowMs);
  }

  /** A stream ended; {@code inOrder} when the worker closed it because it stops. */
  void disconnected(WorkerSink sink, boolean inOrder, long nowMs) {
    reports.disconnected(sink, inOrder, nowMs);
  }

  /** A command was refused or its outcome is not known. */
  void commandFailed(Command.ForLake command, SluiceException failure, long nowMs) {
    QueuedTable table = tables.get(command.tableId());
    if (table == null) {
      return;
    }
    if (command instanceof Command.RaiseTieringEpoch && table.raising) {
      table.raiseAgainMs = nowMs + RAISE_AGAIN_MS;
    }
    notice(
        QueueAction.Severity.WARN,
        "Table " + table.path + ": a command of the queue failed: " + failure.getMessage());
  }

  /** Does what time brings: due tables, silent workers, free slots. */
  void tick(long nowMs) {
    boolean allReported = settings.workersExpected() <= connectedWorkers();
    boolean pending = false;
    for (QueuedTable table : tables.values()) {
      switch (table.state) {
        case NEW, INITIALIZED, SCHEDULED, FAILED -> {
          if (nowMs >= table.dueMs && !table.isHeld()) {
            enterPending(table, nowMs);
          }
        }
        case PENDING -> raiseAgain(table, nowMs);
        case TIERED -> {
          if (nowMs >= table.stateSinceMs + TIERED_GRACE_MS || nowMs >= table.dueMs) {
            letGo(table, nowMs);
          }
        }
        case TIERING -> {
          // A round from before this coordinator led, and none of the workers has it.
          if (table.worker == null && allReported) {
            fence(table, "no worker has it", nowMs);
          }
        }
      }
      pending |= table.state == TieringState.PENDING;
    }
    if (nowMs >= nextSweepMs) {
      nextSweepMs = nowMs + settings.sweepInterval().toMillis();
      sweep(nowMs);
    }
    if (pending) {
      dispatch.giveOut(nowMs);
    }
  }

  private void raiseAgain(QueuedTable table, long nowMs) {
    if (table.raising && nowMs >= table.raiseAgainMs) {
      raise(table);
    }
  }

  void enterPending(QueuedTable table, long nowMs) {
    table.takeBack();
    table.enter(TieringState.PENDING, nowMs);
    raise(table);
  }

  private void raise(QueuedTable table) {
    table.raising = true;
    table.raiseAgainMs = QueuedTable.NEVER;
    act(
        new QueueAction.Submit(
            new Command.RaiseTieringEpoch(table.tableId, table.record.epoch() + 1)));
  }

  /** Takes a running table from its worker at once. */
  void fence(QueuedTable table, String reason, long nowMs) {
    notice(
        QueueAction.Severity.WARN,
        "Table "
            + table.path
            + " is taken back in tiering epoch "
            + table.record.epoch()
            + ": "
            + reason);
    orderFence(table, reason);
    table.takeBack();
    table.enter(TieringState.FAILED, nowMs);
    enterPending(table, nowMs);
  }

  private void orderFence(QueuedTable table, String reason) {
    if (table.worker != null && table.worker.sink != null) {
      orderFence(table.worker.sink, table.tableId, table.record.epoch(), reason);
    }
  }

  void orderFence(WorkerSink sink, long tableId, long epoch, String reason) {
    act(
        new QueueAction.Order(
            sink,
            WorkerOrder.newBuilder()
                .setFence(Fence.newBuilder().setTableId(tableId).setEpoch(epoch).setReason(reason))
                .build()));
  }

  /** A round of the table's own worker failed; the pause is in {@code table.dueMs}. */
  void failedUntil(QueuedTable table, long dueMs, long nowMs) {
    table.takeBack();
    table.dueMs = dueMs;
    table.enter(TieringState.FAILED, nowMs);
  }

  long retryPauseMs(QueuedTable table) {
    return RetryPause.ms(table.record.failures().inRow() + 1, random);
  }

  /** An outage ends for all its tables at once: they look again at least every minute or so. */
  long outagePauseMs(QueuedTable table) {
    table.outages = Math.min(MAX_OUTAGE_STEPS, table.outages + 1);
    return RetryPause.ms(table.outages, random);
  }

  private void sweep(long nowMs) {
    long timeoutMs = settings.workerTimeout().toMillis();
    for (QueuedTable table : tables.values()) {
      if (table.isRunning() && nowMs - table.heardMs > timeoutMs) {
        String who = table.worker == null ? "no worker" : table.worker.name();
        fence(
            table,
            who
                + (table.worker == null ? " has" : " has not")
                + " named it for "
                + (nowMs - table.heardMs) / 1000
                + " s",
            nowMs);
      }
    }
    for (Iterator<TieringWorker> all = workers.values().iterator(); all.hasNext(); ) {
      TieringWorker worker = all.next();
      long silentMs = nowMs - worker.lastReportMs;
      if (!worker.lost && silentMs > timeoutMs) {
        worker.lost = true;
        notice(
            QueueAction.Severity.WARN,
            "Lost " + worker.name() + ": silent for " + silentMs / 1000 + " s");
      }
      if (worker.lost && worker.tables.isEmpty() && silentMs > FORGET_LOST_MS) {
        all.remove();
      }
    }
  }

  /** Workers that reported within the time-out. */
  int aliveWorkers() {
    return (int) workers.values().stream().filter(TieringWorker::isAlive).count();
  }

  private int connectedWorkers() {
    int connected = 0;
    for (TieringWorker worker : workers.values()) {
      connected += worker.sink != null ? 1 : 0;
    }
    return connected;
  }

  /** Every stream there is. */
  Collection<WorkerSink> sinks() {
    List<WorkerSink> sinks = new ArrayList<>();
    for (TieringWorker worker : workers.values()) {
      if (worker.sink != null) {
        sinks.add(worker.sink);
      }
    }
    return sinks;
  }

  /** Where that table stands, null when it is not in the queue. */
  public @Nullable TieringState state(long tableId) {
    QueuedTable table = tables.get(tableId);
    return table == null ? null : table.state;
  }

  /** Every table as it stands, by id. */
  public List<TableStatus> tableStatuses(long nowMs) {
    List<TableStatus> all = new ArrayList<>(tables.size());
    for (QueuedTable table : tables.values()) {
      all.add(TableStatus.of(table, nowMs));
    }
    return all;
  }

  /** One table as it stands, null when it is not in the queue. */
  public @Nullable TableStatus tableStatus(long tableId, long nowMs) {
    QueuedTable table = tables.get(tableId);
    return table == null ? null : TableStatus.of(table, nowMs);
  }

  /** Every worker as it stands, by id. */
  public List<WorkerStatus> workerStatuses(long nowMs) {
    List<WorkerStatus> all = new ArrayList<>(workers.size());
    for (TieringWorker worker : workers.values()) {
      all.add(WorkerStatus.of(worker, nowMs));
    }
    return all;
  }

  /** The queue in numbers. */
  public QueueStatus status(long nowMs) {
    return QueueStatus.of(this, nowMs);
  }
}
