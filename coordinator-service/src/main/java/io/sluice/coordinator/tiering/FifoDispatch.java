package io.sluice.coordinator.tiering;

import io.sluice.coordinator.metadata.LakeTable;
import io.sluice.protocol.tiering.v1.Assignment;
import io.sluice.protocol.tiering.v1.WorkerOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which ready table goes to which worker: the one that has been ready for longest first. Part of
 * the {@link TieringQueue}, which owns all state.
 */
final class FifoDispatch {
  private final TieringQueue queue;

  FifoDispatch(TieringQueue queue) {
    this.queue = queue;
  }

  /** Fills the free slots, as far as the lake's breaker lets it. */
  void giveOut(long nowMs) {
    if (!queue.breaker.allows(nowMs) || freeWorker(null, nowMs) == null) {
      return;
    }
    List<QueuedTable> ready = new ArrayList<>();
    for (QueuedTable table : queue.tables.values()) {
      boolean inEpoch = !table.raising && table.record.mayRun();
      if (table.state == TieringState.PENDING && inEpoch && !table.isHeld()) {
        ready.add(table);
      }
    }
    // The order of becoming due; the tree has ordered equals by id.
    ready.sort(Comparator.comparingLong(table -> table.stateSinceMs));
    for (QueuedTable table : ready) {
      TieringWorker worker = freeWorker(table, nowMs);
      if (worker == null || !queue.breaker.allows(nowMs)) {
        return;
      }
      queue.breaker.started(nowMs);
      table.give(worker, nowMs);
      orderAssign(table, worker);
    }
  }

  private void orderAssign(QueuedTable table, TieringWorker worker) {
    if (worker.sink == null) {
      return;
    }
    queue.act(
        new QueueAction.Order(
            worker.sink,
            WorkerOrder.newBuilder()
                .setAssign(
                    Assignment.newBuilder()
                        .setTableId(table.tableId)
                        .setEpoch(table.record.epoch())
                        .setDatabase(table.path.database())
                        .setTable(table.path.table())
                        .setFreshnessMs(table.freshnessMs))
                .build()));
  }

  /**
   * The worker with the most free slots, null when none has one. A table that failed goes to
   * another worker than the one it failed on, while there is another.
   */
  private @Nullable TieringWorker freeWorker(@Nullable QueuedTable table, long nowMs) {
    TieringWorker best = null;
    TieringWorker failedOn = null;
    int bestFree = 0;
    for (TieringWorker worker : queue.workers.values()) {
      int free = worker.freeSlots(held(worker), nowMs);
      if (free == 0) {
        continue;
      }
      LakeTable.Failures failures = table == null ? null : table.record.failures();
      if (failures != null && failures.inRow() > 0 && failures.worker().equals(worker.workerId)) {
        failedOn = worker;
      } else if (free > bestFree) {
        best = worker;
        bestFree = free;
      }
    }
    return best == null ? failedOn : best;
  }

  /** How many slots of the worker are taken: a released table takes none. */
  private int held(TieringWorker worker) {
    int held = 0;
    for (long tableId : worker.tables) {
      QueuedTable table = queue.tables.get(tableId);
      held += table == null || table.released ? 0 : 1;
    }
    return held;
  }
}
