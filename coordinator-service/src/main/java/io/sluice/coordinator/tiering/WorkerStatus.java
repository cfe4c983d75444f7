package io.sluice.coordinator.tiering;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A worker as it stands; the names are those of the REST API. Times are epoch milliseconds.
 *
 * @param tables how many tables it has
 * @param drainReason why it gets no tables, null when it does
 */
public record WorkerStatus(
    String workerId,
    String incarnation,
    String host,
    String version,
    Map<String, String> labels,
    int slots,
    int tables,
    State state,
    long lastReportMs,
    long connectedMs,
    @Nullable String drainReason) {

  /** Whether it works. */
  public enum State {
    ALIVE,
    /** It failed for a reason of its own and gets no tables for a while. */
    DRAINED,
    /** Silent for longer than the time-out, or stopped. */
    LOST
  }

  public WorkerStatus {
    labels = Map.copyOf(labels);
  }

  static WorkerStatus of(TieringWorker worker, long nowMs) {
    boolean drained = worker.isDrained(nowMs);
    return new WorkerStatus(
        worker.workerId,
        worker.incarnation,
        worker.host,
        worker.version,
        worker.labels,
        worker.slots,
        worker.tables.size(),
        worker.lost ? State.LOST : drained ? State.DRAINED : State.ALIVE,
        worker.lastReportMs,
        worker.connectedMs,
        drained ? worker.drainReason : null);
  }
}
