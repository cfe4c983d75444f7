package io.sluice.coordinator.tiering;

import java.util.ArrayDeque;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** One worker, alive or lost. Mutable, owned by the {@link TieringQueue}. */
final class TieringWorker {
  private static final int REMEMBERED_INCARNATIONS = 16;
  private static final long FIRST_DRAIN_MS = 60_000;
  private static final long LAST_DRAIN_MS = 600_000;

  final String workerId;

  /** Tables it has, by the queue's account. */
  final SortedSet<Long> tables = new TreeSet<>();

  String incarnation = "";
  String host = "";
  String version = "";
  Map<String, String> labels = Map.of();
  int slots;
  @Nullable WorkerSink sink;
  long connectedMs;
  long lastReportMs;
  boolean lost;

  /** Why it gets no tables, null when it does. */
  @Nullable String drainReason;

  private long drainedUntilMs;
  private long drainMs;

  /** Drained once and without a success since: gets one table at a time. */
  private boolean onProbation;

  private final ArrayDeque<String> replaced = new ArrayDeque<>();

  TieringWorker(String workerId) {
    this.workerId = workerId;
  }

  boolean isAlive() {
    return !lost;
  }

  /** Whether that incarnation made room for a newer one. */
  boolean hasReplaced(String older) {
    return replaced.contains(older);
  }

  void restarted(String newIncarnation) {
    if (!incarnation.isEmpty()) {
      replaced.addLast(incarnation);
      if (replaced.size() > REMEMBERED_INCARNATIONS) {
        replaced.removeFirst();
      }
    }
    incarnation = newIncarnation;
    drainReason = null;
    onProbation = false;
    drainedUntilMs = 0;
    drainMs = 0;
  }

  void describe(String newHost, String newVersion, Map<String, String> newLabels, int newSlots) {
    host = newHost;
    version = newVersion;
    labels = new TreeMap<>(newLabels);
    slots = newSlots;
  }

  /** It failed for a reason of its own: no tables for a minute, doubling to ten. */
  void drain(String reason, long nowMs) {
    drainReason = reason;
    if (nowMs < drainedUntilMs) {
      // Another table that failed for the same reason.
      return;
    }
    drainMs = drainMs == 0 ? FIRST_DRAIN_MS : Math.min(LAST_DRAIN_MS, drainMs * 2);
    drainedUntilMs = nowMs + drainMs;
    onProbation = true;
  }

  boolean isDrained(long nowMs) {
    return drainReason != null && nowMs < drainedUntilMs;
  }

  /** A round of it succeeded. */
  void succeeded() {
    drainReason = null;
    onProbation = false;
    drainedUntilMs = 0;
    drainMs = 0;
  }

  /** How many tables it can take now. */
  int freeSlots(int held, long nowMs) {
    if (lost || sink == null || isDrained(nowMs)) {
      return 0;
    }
    return Math.max(0, (onProbation ? Math.min(1, slots) : slots) - held);
  }

  String name() {
    return "tiering worker " + workerId + " (" + incarnation + ")";
  }
}
