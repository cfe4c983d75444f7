package io.sluice.lake.commit;

import io.sluice.common.Agent;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import io.sluice.protocol.tiering.v1.LakeState;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the lake with the coordinator's record: once at start, then every interval, one table a
 * pass. A coordinator that is away is logged once and asked again.
 */
public final class CompareLoop implements Agent {
  private static final Logger LOG = LoggerFactory.getLogger(CompareLoop.class);
  private static final Duration SOON = Duration.ofSeconds(2);

  private final LakeTables tables;
  private final LakeRecord record;
  private final Recorder recorder;
  private final Lanes lanes;
  private final TimeSource time;
  private final Duration interval;
  private final Queue<LakeState> waiting = new ArrayDeque<>();
  private volatile long nextNanos;
  private volatile List<LakeState> lastStates = List.of();
  private final Map<Long, String> failures = new HashMap<>();
  private boolean outage;
  private boolean away;
  private long rounds;

  CompareLoop(
      LakeTables tables,
      LakeRecord record,
      Recorder recorder,
      Lanes lanes,
      TimeSource time,
      Duration interval) {
    this.tables = tables;
    this.record = record;
    this.recorder = recorder;
    this.lanes = lanes;
    this.time = time;
    this.interval = interval;
    this.nextNanos = time.nanoTime();
  }

  @Override
  public String name() {
    return "lake-compare";
  }

  /** Makes the next comparison come soon. May be called by any thread. */
  void soon() {
    long soon = time.nanoTime() + SOON.toNanos();
    if (soon - nextNanos < 0) {
      nextNanos = soon;
    }
  }

  /** Every table with the lake enabled, as the last comparison found them. */
  public List<LakeState> lastStates() {
    return lastStates;
  }

  @Override
  public int doWork() {
    if (waiting.isEmpty()) {
      if (time.nanoTime() - nextNanos < 0) {
        return 0;
      }
      nextNanos = time.nanoTime() + (away ? SOON : interval).toNanos();
      begin();
      return waiting.size();
    }
    LakeState state = waiting.remove();
    if (waiting.isEmpty()) {
      rounds++;
    }
    try {
      compare(state);
      outage = false;
      failures.remove(state.getTableId());
    } catch (RuntimeException failure) {
      failed(state, failure);
    }
    return 1;
  }

  private void failed(LakeState state, RuntimeException failure) {
    ErrorCode code = failure instanceof SluiceException known ? known.code() : ErrorCode.INTERNAL;
    if (code == ErrorCode.TABLE_NOT_FOUND) {
      // Dropped since the listing.
      return;
    }
    String now = code + ": " + RoundCommitter.words(failure);
    // One line for an outage that all tables meet, else one for each new failure of a table.
    boolean told = code.retriable() ? outage : now.equals(failures.get(state.getTableId()));
    if (code.retriable()) {
      outage = true;
    } else {
      failures.put(state.getTableId(), now);
    }
    if (!told) {
      LOG.warn(
          "Cannot compare {}.{} with the lake; asking again: {}",
          state.getDatabase(),
          state.getTable(),
          now);
    }
  }

  private void begin() {
    List<LakeState> states;
    try {
      states = record.states();
    } catch (SluiceException failure) {
      if (!away) {
        LOG.warn("No coordinator to compare the lake with; asking again: {}", failure.getMessage());
      }
      away = true;
      nextNanos = time.nanoTime() + SOON.toNanos();
      return;
    }
    if (away) {
      LOG.info("A coordinator answers again; comparing {} lake tables", states.size());
    }
    away = false;
    lastStates = List.copyOf(states);
    waiting.addAll(states);
    Set<Long> known = new HashSet<>();
    for (LakeState state : states) {
      known.add(state.getTableId());
    }
    lanes.retain(known);
    failures.keySet().retainAll(known);
  }

  private void compare(LakeState listed) {
    long tableId = listed.getTableId();
    Comparison found =
        lanes.in(
            tableId,
            lane -> {
              LakeTables.Loaded loaded =
                  tables.own(tableId, listed.getDatabase(), listed.getTable());
              // Asked again inside of the lane: a round may have been committed since the listing.
              return recorder.replay(loaded, record.state(tableId));
            });
    if (found instanceof Comparison.Ahead ahead) {
      LOG.debug("Recorded {} rounds of table id {}", ahead.missing().size(), tableId);
    }
  }

  /** Comparisons of all tables that ended; for tests. */
  long rounds() {
    return rounds;
  }
}
