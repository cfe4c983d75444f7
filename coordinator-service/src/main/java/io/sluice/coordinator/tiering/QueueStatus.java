package io.sluice.coordinator.tiering;

import org.jspecify.annotations.Nullable;

/**
 * The queue in numbers; the names are those of the REST API.
 *
 * @param lakeFailure what the lake failed with, null while it works
 */
public record QueueStatus(
    long nowMs,
    Counts counts,
    int workersAlive,
    int workersExpected,
    boolean lakeBreakerOpen,
    @Nullable String lakeFailure,
    long pollIntervalMs,
    long workerTimeoutMs) {

  /**
   * How many tables stand where.
   *
   * @param held tables with a hold, which are counted in their group as well
   */
  public record Counts(int waiting, int ready, int tiering, int done, int failed, int held) {}

  static QueueStatus of(TieringQueue queue, long nowMs) {
    int[] groups = new int[TieringGroup.values().length];
    int held = 0;
    for (QueuedTable table : queue.tables.values()) {
      groups[table.state.group().ordinal()]++;
      held += table.isHeld() ? 1 : 0;
    }
    return new QueueStatus(
        nowMs,
        new Counts(
            groups[TieringGroup.WAITING.ordinal()],
            groups[TieringGroup.READY.ordinal()],
            groups[TieringGroup.TIERING.ordinal()],
            groups[TieringGroup.DONE.ordinal()],
            groups[TieringGroup.FAILED.ordinal()],
            held),
        queue.aliveWorkers(),
        queue.settings.workersExpected(),
        queue.breaker.isOpen(),
        queue.breaker.cause(),
        queue.settings.pollInterval().toMillis(),
        queue.settings.workerTimeout().toMillis());
  }
}
