package io.sluice.coordinator.tiering;

import io.sluice.common.TableOptions;
import io.sluice.common.TablePath;
import io.sluice.coordinator.metadata.LakeHold;
import io.sluice.coordinator.metadata.LakeTable;
import io.sluice.coordinator.metadata.Table;
import io.sluice.protocol.tiering.v1.TableProgress;
import org.jspecify.annotations.Nullable;

/** One table in the queue. Mutable, owned by the {@link TieringQueue}. */
final class QueuedTable {
  /** No raise of the epoch is to be sent again. */
  static final long NEVER = Long.MAX_VALUE;

  final long tableId;
  final TablePath path;
  final long createdMs;

  /** The table's version that the freshness is of. */
  int version;

  long freshnessMs;

  /** What is durable. */
  LakeTable record;

  TieringState state = TieringState.NEW;
  long stateSinceMs;

  /** When it leaves a waiting state; without meaning in PENDING and TIERING. */
  long dueMs;

  /** Whether its next epoch is on the way through Raft. */
  boolean raising;

  /** When a raise that failed is sent again, {@link #NEVER} while one is on the way. */
  long raiseAgainMs = NEVER;

  /** Who has it, null also for a round that was running before this coordinator led. */
  @Nullable TieringWorker worker;

  long assignedMs;
  long heardMs;

  /** Outages in a row, at most as many as make the pause longer. */
  int outages;

  /** Reports of its worker in a row that left it out. */
  int missed;

  /** Whether its worker said that the round is over and holds it no longer. */
  boolean released;

  /** Whether the released round left something behind. */
  boolean more;

  @Nullable TableProgress progress;

  /** The last failure of whatever scope, null when this coordinator knows of none. */
  @Nullable Failure lastFailure;

  /** Id and duration of the last finished round, -1 when not known. */
  String durationOf = "";

  long durationMs = -1;

  /** A failure as it was reported. */
  record Failure(String cause, String scope, String worker, long atMs) {}

  QueuedTable(Table table, LakeTable record) {
    this.tableId = table.tableId();
    this.path = table.path();
    this.createdMs = table.createdMs();
    this.version = table.version();
    this.freshnessMs = freshnessMs(table);
    this.record = record;
    LakeTable.Failures failures = record.failures();
    if (failures.total() > 0) {
      lastFailure = new Failure(failures.cause(), "TABLE", failures.worker(), failures.atMs());
    }
  }

  private static long freshnessMs(Table table) {
    return TableOptions.of(table.options()).lakeFreshness().toMillis();
  }

  /** Takes over another freshness; when it waits for the old one to pass it is due with the new. */
  void altered(Table table) {
    long freshnessBeforeMs = freshnessMs;
    version = table.version();
    freshnessMs = freshnessMs(table);
    switch (state) {
      case NEW, INITIALIZED, TIERED, SCHEDULED -> dueMs += freshnessMs - freshnessBeforeMs;
      case PENDING, TIERING, FAILED -> {}
    }
  }

  boolean isHeld() {
    return record.hold() != LakeHold.NONE;
  }

  /** Whether a worker, known or not, may be at work on it. */
  boolean isRunning() {
    return state == TieringState.TIERING;
  }

  void enter(TieringState next, long nowMs) {
    state = next;
    stateSinceMs = nowMs;
  }

  void give(TieringWorker to, long nowMs) {
    worker = to;
    to.tables.add(tableId);
    assignedMs = nowMs;
    heardMs = nowMs;
    missed = 0;
    released = false;
    more = false;
    progress = null;
    enter(TieringState.TIERING, nowMs);
  }

  void takeBack() {
    if (worker != null) {
      worker.tables.remove(tableId);
    }
    worker = null;
    progress = null;
    released = false;
    more = false;
    missed = 0;
  }

  /** Since when the lake lacks what it could have. */
  long lagMs(long nowMs) {
    return Math.max(0, nowMs - (record.tieredMs() > 0 ? record.tieredMs() : createdMs));
  }
}
